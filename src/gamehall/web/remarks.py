"""What somebody at a page says to a table at which it only looks on."""

import asyncio
from typing import Any

from gamehall.rooms.notices import ChatRejected, Notice
from gamehall.rooms.requests import SpectatorChat
from gamehall.server.hall import Hall
from gamehall.web.endpoints import RefusedError

PATIENCE_SECONDS = 1.5
"""Less than the pages have to close."""


async def pass_on(hall: Hall, room: str, remark: SpectatorChat) -> None:
    """Has everybody at that table hear it. Raises RefusedError."""
    answered: asyncio.Future[Notice[Any]] = asyncio.get_running_loop().create_future()

    def hear(notice: Notice[Any]) -> None:
        if not answered.done():
            answered.set_result(notice)

    client = hall.enter(room, hear)
    try:
        client.submit(remark)
        async with asyncio.timeout(PATIENCE_SECONDS):
            notice = await answered
    except TimeoutError:
        raise RefusedError("the hall does not answer just now: try again") from None
    finally:
        client.leave()
    if isinstance(notice, ChatRejected):
        raise RefusedError(notice.reason)
