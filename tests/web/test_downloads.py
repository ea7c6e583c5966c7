"""Downloads of records."""

import asyncio
from pathlib import Path

import pytest

from gamehall.games.connect_four import ConnectFour
from gamehall.match import Clock, Referee
from gamehall.storage import Archive, open_database
from gamehall.web.errors import RefusedError
from gamehall.web.records import RecordQueries
from tests.match.test_record import play_at_random
from tests.support.records import store

FOUR = play_at_random(Referee(ConnectFour(), Clock(), 2), 2)


def test_no_gif_is_drawn_for_a_client_that_has_disconnected(tmp_path: Path) -> None:
    database = open_database(tmp_path)
    store(database, FOUR)

    async def is_gone() -> bool:
        return True

    async def download(form: str) -> bytes:
        return await RecordQueries(Archive(database)).download(FOUR.match_name, form, is_gone)

    with pytest.raises(RefusedError, match="is gone"):
        asyncio.run(download("gif"))
    # The other formats are written at once.
    assert asyncio.run(download("svg")).startswith(b"<svg")
