"""House bots return to their seats after the server was killed or stopped and started again."""

import asyncio
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gamehall.bots.bot import RandomBot
from gamehall.core import Position, Seat
from gamehall.match import Ending
from gamehall.protocols.catalogue import all_protocols
from gamehall.storage import Archive, open_database
from tests.support.bot_clients import play, serve_options
from tests.support.page_players import PagePlayer, at_once, has_verdict, rooms_of
from tests.support.programs import children_of, status_of
from tests.support.served import GAMEHALL, Served

pytestmark = pytest.mark.timeout(300)

DOORS = all_protocols()
OPTIONS = {"every-door": serve_options(*DOORS), "pages-only": []}
HAVE_NAMES = ("tttp", "santorini-lobby", "santorini-tournament")
"""The doors that recognise a returning player by its name."""
PATIENCE_SECONDS = 120.0
ENDS = pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])

FAILS_LATER = '''
class FailsLater:
    """Makes two legal moves, and then fails."""

    moves = 0

    def choose(self, position, seat, seconds_left):
        self.moves += 1
        if self.moves > 2:
            raise KeyError("x")
        return next(iter(position.legal_moves()))
'''


@ENDS
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_X_07_a_bot_finishes_its_match_with_a_browser_after_a_restart(
    options: list[str], end: signal.Signals, tmp_path: Path
) -> None:
    arguments = (*options, "--door", "web=0", "--data", str(tmp_path))
    with Served(*arguments, program=[str(GAMEHALL)]) as hall:
        rooms = rooms_of(hall)
        players = {room: PagePlayer(hall, "Jürgen") for room in rooms}

        def begin(room: str) -> None:
            player = players[room].sit(room, rooms[room], bot="random")
            assert not has_verdict(player.play_moves(2))

        at_once([partial(begin, room) for room in rooms])
        hall.stop(end)
    with Served(*arguments) as hall:
        again = {room: PagePlayer(hall, "Jürgen", players[room].browser) for room in rooms}

        def finish(room: str) -> None:
            again[room].sit(room, rooms[room]).play_short_match()

        at_once([partial(finish, room) for room in rooms])
        assert hall.stop() == 0
    records = [kept.record for kept in Archive(open_database(tmp_path)).latest(100)]
    assert {record.result.ending for record in records} <= {Ending.PLAYED_OUT, Ending.RESIGNED}
    firsts = {record.game: record for record in records}
    assert firsts.keys() == set(rooms.values())
    for room, player in again.items():
        if room not in DOORS or not DOORS[room].is_for_tournaments:
            [*_, last] = player.seen
            number = last["match"]
            [record] = [one for one in records if one.match_name == number]
            assert len(record.moves) > players[room].moves + player.moves, (
                "the same match continues"
            )


class Pausing(RandomBot):
    """Sets an event after two moves."""

    def __init__(self, seed: int, paused: asyncio.Event, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(seed)
        self._left = 2
        self._paused, self._loop = paused, loop

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        self._left -= 1
        if self._left == 0:
            self._loop.call_soon_threadsafe(self._paused.set)
        return super().choose(position, seat, seconds_left)


@ENDS
@pytest.mark.parametrize("bot", ["random", "FailsLater"])
def test_X_07_a_house_bot_finishes_its_match_with_a_client_after_a_restart(
    bot: str, end: signal.Signals, tmp_path: Path
) -> None:
    # A bot that has failed is tried and replaced again.
    (tmp_path / "bots.py").write_text(FAILS_LATER)
    text = bot if bot == "random" else f"{tmp_path / 'bots.py'}:{bot}"
    games = {DOORS[door].game for door in HAVE_NAMES}
    house = [word for game in sorted(games) for word in ("--house", f"{game}={text}")]
    arguments = (*serve_options(*HAVE_NAMES), *house, "--data", str(tmp_path / "data"))

    async def begin(hall: Served) -> None:
        loop, playing = asyncio.get_running_loop(), []
        paused = {door: asyncio.Event() for door in HAVE_NAMES}
        for door in HAVE_NAMES:
            player = Pausing(1, paused[door], loop)
            playing.append(asyncio.create_task(play(door, hall.port(door), "player", player)))
        async with asyncio.timeout(PATIENCE_SECONDS):
            for event in paused.values():
                await event.wait()
        hall.program.send_signal(end)
        await asyncio.gather(*playing, return_exceptions=True)

    async def finish(hall: Served) -> list[Any]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            players: list[Any] = await asyncio.gather(
                *(play(door, hall.port(door), "player", RandomBot(2)) for door in HAVE_NAMES)
            )
        return players

    with Served(*arguments, program=[str(GAMEHALL)]) as hall:
        asyncio.run(begin(hall))
        hall.wait()
    with Served(*arguments) as hall:
        players = asyncio.run(finish(hall))
        assert hall.stop() == 0
    assert [player.error for player in players] == [None] * len(players)
    assert all(player.matches for player in players)


@ENDS
def test_no_process_of_a_bot_outlives_its_server(end: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(
        "import threading\n\nclass Sleeps:\n    def choose(self, *_):\n"
        "        threading.Event().wait()\n"
    )
    house = f"connect-four={tmp_path / 'bots.py'}:Sleeps"
    with Served("--door", "web=0", "--house", house, program=[str(GAMEHALL)]) as hall:
        PagePlayer(hall, "Jürgen").sit("connect-four", "connect-four").play_moves(1)
        bots = children_of(hall.program.pid)
        assert bots
        hall.stop(end)
        for bot in bots:
            # It ends after a moment; otherwise the test would time out.
            while Path(f"/proc/{bot}").exists() and "\nState:\tZ" not in status_of(bot):
                pass
