"""So that many who ask for pages at once do not make those wait who play."""

import asyncio
from collections import deque

from starlette.types import ASGIApp, Receive, Scope, Send


class RequestQueue:
    """Lets requests in one by one, one for each turn of the loop.

    In between, the loop sees to everything else; what a request does later, when it has waited for
    something, is its own.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_turning = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._is_turning:
            self._is_turning = True
            loop.call_soon(self._let_in)
        await turn
        await self._app(scope, receive, send)

    def _let_in(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            # Whoever asked may be gone.
            if not turn.done():
                turn.set_result(None)
                break
        self._is_turning = bool(self._waiting)
        if self._is_turning:
            asyncio.get_running_loop().call_soon(self._let_in)
