"""Whatever becomes of a bot, at every door: the guest at its table is told, and nobody waits.

Most wires tell a player that its opponent has gone. Over HTTP (document 004) they cannot: there
another bot of the house goes on in the seat.
"""

import asyncio
import contextlib
import re
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from gamehall.cli.house import House, HouseBot
from gamehall.web.parlour_house import ParlourHouse
from gamehall.web.ways import Entrance, into_parlour, through_door

from gamehall.bots.bot import RandomBot
from gamehall.bots.visitor import Visitor
from gamehall.client.connection import Address
from gamehall.engines.watchdog import HANGS
from gamehall.games.catalogue import all_games
from gamehall.match import Ending
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.hall import Hall
from gamehall.server.plan import DoorPlan
from gamehall.web.model import SeatState
from gamehall.web.seat import NotNow, WebSeat
from tests.end_to_end.test_bot import Running
from tests.support.guests import ANSWERS, play, serve_options, settings_of
from tests.support.served import Served

DOORS = all_protocols()
SEATS_STAY_TAKEN = {"ascension-http"}
"""The doors where nobody can leave a seat (A-Q27)."""
LIMIT = "2"
PATIENCE_SECONDS = 200.0

BOTS = '''
import os
import re
import threading

from gamehall.bots import BotResignedError


class Bot:
    """Makes one legal move, and then fails."""

    moves = 0

    def choose(self, position, seat, seconds_left):
        self.moves += 1
        return next(iter(position.legal_moves())) if self.moves == 1 else self.fail()


class Raises(Bot):
    def fail(self):
        raise KeyError("x")


class Exits(Bot):
    def fail(self):
        os._exit(3)


class ExitsAsIfAllWereWell(Bot):
    def fail(self):
        os._exit(0)


class Sleeps(Bot):
    def fail(self):
        threading.Event().wait()


class Cheats(Bot):
    def fail(self):
        return object()


class Resigns(Bot):
    def fail(self):
        raise BotResignedError


class LeavesAHelperBehind(Bot):
    """The helper holds open what the bot's program had open: its connection, and its errors."""

    def fail(self):
        if os.fork() == 0:
            threading.Event().wait()
        os._exit(3)


class HoldsTheInterpreter(Bot):
    def fail(self):
        re.match("(a+)+$", "a" * 100 + "b")


class CannotBeMade(Bot):
    def __init__(self):
        raise OSError("no book")
'''
FAILURES = {
    "Raises": "raised KeyError",
    "Exits": "exit code 3",
    "ExitsAsIfAllWereWell": "",
    "Sleeps": "took longer than 2 s over a move",
    "Cheats": "which is illegal",
    "Resigns": "",
    "LeavesAHelperBehind": "exit code 3",
}
"""The bots that fail in the middle of a game, and what the log of the hall says of them."""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    file = tmp_path / "failing.py"
    file.write_text(BOTS)
    return file


async def play_at(hall: Served, *doors: str) -> dict[str, Visitor[Any]]:
    """What a guest at each of these doors has seen, all playing at the same time."""
    async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        playing = {
            door: group.create_task(play(door, hall.port(door), "guest", RandomBot(1)))
            for door in doors
        }
    return {door: task.result() for door, task in playing.items()}


def house_of(bots: Path, failure: str, *doors: str) -> list[str]:
    games = {DOORS[door].game for door in doors}
    return [word for game in sorted(games) for word in ("--house", f"{game}={bots}:{failure}")]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_guest_is_told_when_a_bot_of_the_house_fails(bots: Path, failure: str) -> None:
    options = [*serve_options(*DOORS), *house_of(bots, failure, *DOORS), "--house-limit", LIMIT]
    with Served(*options) as hall:
        guests = asyncio.run(play_at(hall, *DOORS))
        if FAILURES[failure]:
            said = [rf"{door}: the house bot .*:{failure} has failed: " for door in DOORS]
            hall.wait_for_errors(*said)
        assert hall.stop() == 0
    assert {door: guest.trouble for door, guest in guests.items()} == dict.fromkeys(DOORS)
    for door, guest in guests.items():
        assert guest.matches, f"{door}: no game has come to an end"
        failures = re.findall(rf"{door}: the house bot .*:{failure} has failed: (.*)", hall.errors)
        if FAILURES[failure]:
            assert any(FAILURES[failure] in words for words in failures), door
        if door in SEATS_STAY_TAKEN:
            assert guest.matches[0].result.ending is Ending.PLAYED_OUT
            assert any(words.endswith("plays in its place") for words in failures)
    assert "Traceback" not in hall.errors


def test_a_guest_who_waits_gets_another_opponent_when_a_bot_cannot_even_begin(bots: Path) -> None:
    house = house_of(bots, "CannotBeMade", *DOORS)
    with Served(*serve_options(*DOORS), *house) as hall:
        guests = asyncio.run(play_at(hall, *DOORS))
        assert hall.stop() == 0
    assert {door: guest.trouble for door, guest in guests.items()} == dict.fromkeys(DOORS)
    for door, guest in guests.items():
        assert guest.matches[0].result.ending is Ending.PLAYED_OUT, door
        assert f"{door}: the house bot {bots}:CannotBeMade has failed: " in hall.errors


def test_A_Q09_another_bot_goes_on_with_the_token_of_the_one_that_failed(bots: Path) -> None:
    house = house_of(bots, "Raises", *SEATS_STAY_TAKEN)
    options = [*serve_options(*SEATS_STAY_TAKEN), "--set", "ascension-http.tokens=true"]
    with Served(*options, *house) as hall:
        guests = asyncio.run(play_at(hall, *SEATS_STAY_TAKEN))
        assert hall.stop() == 0
    for guest in guests.values():
        assert guest.trouble is None
        assert guest.matches[0].result.ending is Ending.PLAYED_OUT
    assert f"the house bot {bots}:Raises has failed" in hall.errors


@pytest.mark.parametrize("failure", sorted(FAILURES.keys() - {"LeavesAHelperBehind"}))
def test_the_opponent_is_told_when_a_bot_of_somebody_fails(bots: Path, failure: str) -> None:
    # Where a seat cannot be left, a clock tells: nobody else plays for a player who is gone.
    options = [*serve_options(*DOORS), "--set", "ascension-http.turn-timeout=5"]
    with Served(*options) as hall:
        failing = []
        for door, protocol in DOORS.items():
            options = ["--name", "failing", "--limit", LIMIT]
            for question in protocol.answers.keys() & ANSWERS.keys():
                options += ["--answer", f"{question}={ANSWERS[question]}"]
            address = f"{door}://127.0.0.1:{hall.port(door)}"
            failing.append(Running(address, f"{bots}:{failure}", *options))
        guests = asyncio.run(play_at(hall, *DOORS))
        ends = [bot.end() for bot in failing]
        assert hall.stop() == 0
    assert {door: guest.trouble for door, guest in guests.items()} == dict.fromkeys(DOORS)
    assert all(guest.matches for guest in guests.values())
    for code, _, errors in ends:
        assert "Traceback" not in errors
        if FAILURES[failure]:
            assert code != 0
            assert FAILURES[failure] in errors or not errors


def test_a_bot_that_holds_the_interpreter_is_ended_all_the_same(bots: Path) -> None:
    with Served("--door", "tttp=0") as hall:
        address = f"tttp://127.0.0.1:{hall.port()}"
        bot = f"{bots}:HoldsTheInterpreter"
        failing = Running(address, bot, "--name", "failing", "--limit", "0.5")
        guest = asyncio.run(play_at(hall, "tttp"))["tttp"]
        code, _, errors = failing.end()
        assert hall.stop() == 0
    assert guest.matches[0].result.ending is Ending.CANCELLED
    assert code == 1
    assert errors.startswith(HANGS)


class Visit:
    """A visitor at the page of a hall in this process, who has a bot come and plays with it."""

    def __init__(self, hall: Hall, entrance: Entrance, call: Callable[[str], None]) -> None:
        """`call` has a bot come to a room."""
        self._hall = hall
        self._room = entrance.room
        self._call = call
        self._seat = WebSeat("seat", entrance, "guest", time.monotonic, lambda *_: None, "token")

    async def until(self, is_over: Callable[[SeatState], bool]) -> None:
        """Play until that is so, once the bot was called."""
        visit = asyncio.create_task(self._seat.run())
        is_called = False
        try:
            while not (is_called and is_over(self._seat.state())):
                if not is_called and self._is_alone:
                    self._call(self._room)
                    is_called = True
                with contextlib.suppress(NotNow):
                    self._act(self._seat.state())
                await asyncio.sleep(0.01)
        finally:
            self._seat.leave()
            await visit

    @property
    def _is_alone(self) -> bool:
        return bool(self._hall.waiting_players(self._room))

    def _act(self, state: SeatState) -> None:
        if state.question is not None:
            self._seat.answer("5" if state.question.usual == "19" else state.question.usual)
        elif state.choices:
            self._seat.move(state.choices[0].move)

    async def until_told(self) -> None:
        """Play until the page says how the match has ended."""
        await self.until(lambda state: bool(state.verdict))

    async def until_opposed(self) -> None:
        """Play until there is an opponent."""
        await self.until(lambda _: not self._is_alone)


async def visit_every_room(bot: str, act: Callable[[Visit], Coroutine[Any, Any, None]]) -> None:
    """Open every door, and for every game a room without one; call the bot to each."""
    plans = [DoorPlan(protocol, 0, settings_of(door), door) for door, protocol in DOORS.items()]
    parlours = [kind() for kind in all_games().values()]
    loop = asyncio.get_running_loop()
    hall = Hall(plans, 1, time.monotonic, loop.call_soon, loop.call_later, parlours=parlours)
    opened = dict(await hall.open("127.0.0.1"))
    house = House([], hall, plans, opened, is_tls=False)
    parlour_house = ParlourHouse(hall, parlours)
    keeping_house = asyncio.create_task(house.run())
    visits = []
    for plan in plans:
        door = plan.protocol.name
        address = Address(plan.protocol, "127.0.0.1", int(opened[door].rpartition(":")[2]))
        entrance = through_door(plan, address, None, hall)
        visits.append(Visit(hall, entrance, lambda room: house.call(room, bot)))
    for game in parlours:
        entrance = into_parlour(game, hall)
        visits.append(Visit(hall, entrance, lambda room: parlour_house.call(room, bot)))
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
            for visit in visits:
                group.create_task(act(visit))
    finally:
        keeping_house.cancel()
        await asyncio.gather(keeping_house, parlour_house.close(), return_exceptions=True)
        await hall.close("the test is over")


def test_a_visitor_at_a_page_is_told_when_the_bot_it_has_called_fails(bots: Path) -> None:
    asyncio.run(visit_every_room(f"{bots}:Raises", Visit.until_told))


def test_a_visitor_at_a_page_gets_another_bot_when_the_one_it_has_called_cannot_come(
    bots: Path,
) -> None:
    asyncio.run(visit_every_room(f"{bots}:CannotBeMade", Visit.until_opposed))


def test_when_every_bot_fails_the_log_says_so_and_the_house_rests(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")

    async def wait_alone() -> None:
        plan = DoorPlan(DOORS["tttp"], 0, settings_of("tttp"), "tttp")
        loop = asyncio.get_running_loop()
        hall = Hall([plan], 1, time.monotonic, loop.call_soon, loop.call_later)
        opened = await hall.open("127.0.0.1")
        house = House([HouseBot("connect-four", "random")], hall, [plan], dict(opened), False)
        keeping_house = asyncio.create_task(house.run())
        port = int(opened[0][1].rpartition(":")[2])
        guest = asyncio.create_task(play("tttp", port, "guest", RandomBot(1)))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while "all that could come have failed" not in caplog.text:
                    await asyncio.sleep(0.01)
            assert not guest.done()
        finally:
            keeping_house.cancel()
            await asyncio.gather(keeping_house, return_exceptions=True)
            await hall.close("the test is over")
            await guest

    asyncio.run(wait_alone())
    failures = re.findall("the house bot (.*) has failed: (.*)", caplog.text)
    assert failures == [
        ("random", "its program ended with exit code 1; perfect plays in its place"),
        ("perfect", "its program ended with exit code 1; random plays in its place"),
        ("random", "its program ended with exit code 1"),
    ]
