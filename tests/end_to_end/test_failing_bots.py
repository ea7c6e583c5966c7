"""Whatever becomes of a bot, at every door: the guest at its table is told, and nobody waits.

Most wires tell a player that its opponent has gone. Over HTTP (document 004) they cannot: there
another bot of the house goes on in the seat.
"""

import asyncio
import re
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gamehall.bots.bot import RandomBot
from gamehall.match import Ending
from gamehall.players.bot_player import BotPlayer
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.hall import Hall
from gamehall.server.house_bots import HouseBots
from gamehall.server.plan import DoorPlan
from tests.end_to_end.test_bot import Running
from tests.support.bot_clients import ANSWERS, play, serve_options, settings_of
from tests.support.page_players import PagePlayer, at_once, rooms_of, web_port
from tests.support.served import Served
from tests.web.browser import Browser

DOORS = all_protocols()
SEATS_STAY_TAKEN = {"ascension-http"}
"""The doors where nobody can leave a seat (A-Q27)."""
LIMIT = "2"
PATIENCE_SECONDS = 200.0
SECONDS_TO_ANSWER = 5.0
"""Within which the hall answers others, where all tests run at the same time."""

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


class FillsMemory(Bot):
    def fail(self):
        hoard = []
        while True:
            hoard.append(bytearray(1 << 30))


class ReturnsNothing(Bot):
    def fail(self):
        return None


class Repeats:
    """Makes the same move again and again, which most games forbid."""

    move = None

    def choose(self, position, seat, seconds_left):
        self.move = self.move or next(iter(position.legal_moves()))
        return self.move


class CannotBeMade(Bot):
    def __init__(self):
        raise OSError("no book")


class ExitsAtOnce(Bot):
    def __init__(self):
        os._exit(4)


class IsNeverReady(Bot):
    def __init__(self):
        threading.Event().wait()
'''
FAILURES = {
    "Raises": "raised KeyError",
    "Exits": "exit code 3",
    "ExitsAsIfAllWereWell": "exit code 0",
    "Sleeps": "took longer than 2 s over a move",
    "Cheats": "which is illegal",
    "Resigns": "",
    "LeavesAHelperBehind": "exit code 3",
    "HoldsTheInterpreter": "took longer than 2 s over a move",
    "FillsMemory": "raised MemoryError",
    "ReturnsNothing": "choose returned None: is a return missing?",
}
"""The bots that fail in the middle of a game, and what `gamehall bot` says of them."""
FAILURES_OF_THE_HOUSE = FAILURES | {
    "Sleeps": "no answer in time",
    "Cheats": "<object object at",
    "HoldsTheInterpreter": "no answer in time",
    "ReturnsNothing": "None",
    "Repeats": "",
}
"""The same, and what the log of the hall says of them when they play for the house."""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    file = tmp_path / "failing.py"
    file.write_text(BOTS)
    return file


async def play_at(hall: Served, *doors: str) -> dict[str, BotPlayer[Any]]:
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


@pytest.mark.parametrize("failure", FAILURES_OF_THE_HOUSE)
def test_a_guest_is_told_when_a_bot_of_the_house_fails(bots: Path, failure: str) -> None:
    options = [*serve_options(*DOORS), *house_of(bots, failure, *DOORS), "--house-limit", LIMIT]
    with Served(*options) as hall:
        guests = asyncio.run(play_at(hall, *DOORS))
        if FAILURES_OF_THE_HOUSE[failure]:
            said = [rf"{door}: the house bot .*:{failure} has failed: " for door in DOORS]
            hall.wait_for_errors(*said)
        assert hall.stop() == 0
    assert {door: guest.error for door, guest in guests.items()} == dict.fromkeys(DOORS)
    for door, guest in guests.items():
        assert guest.matches, f"{door}: no game has come to an end"
        failures = re.findall(rf"{door}: the house bot .*:{failure} has failed: (.*)", hall.errors)
        if FAILURES_OF_THE_HOUSE[failure]:
            expected = [FAILURES_OF_THE_HOUSE[failure]]
            if failure == "FillsMemory":
                # On a busy machine its time is over before its memory is full.
                expected.append("no answer in time")
            assert any(one in words for one in expected for words in failures), door
        if door in SEATS_STAY_TAKEN and failures:
            assert guest.matches[0].result.ending is Ending.PLAYED_OUT
            assert any(words.endswith("plays in its place") for words in failures)
    assert "Traceback" not in hall.errors


def test_a_guest_who_waits_gets_another_opponent_when_a_bot_cannot_even_begin(bots: Path) -> None:
    house = house_of(bots, "CannotBeMade", *DOORS)
    with Served(*serve_options(*DOORS), *house) as hall:
        guests = asyncio.run(play_at(hall, *DOORS))
        assert hall.stop() == 0
    assert {door: guest.error for door, guest in guests.items()} == dict.fromkeys(DOORS)
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
        assert guest.error is None
        assert guest.matches[0].result.ending is Ending.PLAYED_OUT
    assert f"the house bot {bots}:Raises has failed" in hall.errors


@pytest.mark.parametrize("failure", FAILURES)
def test_the_opponent_is_told_when_a_bot_of_somebody_fails(bots: Path, failure: str) -> None:
    # Where a seat cannot be left, a clock tells: nobody else plays for a player who is gone.
    options = [*serve_options(*DOORS), "--set", "ascension-http.turn-timeout=5"]
    with Served(*options) as hall:
        failing = []
        for door, protocol in DOORS.items():
            options = ["--name", "failing", "--limit", LIMIT, "--memory", "1024"]
            for question in protocol.answers.keys() & ANSWERS.keys():
                options += ["--answer", f"{question}={ANSWERS[question]}"]
            address = f"{door}://127.0.0.1:{hall.port(door)}"
            failing.append(Running(address, f"{bots}:{failure}", *options))
        guests = asyncio.run(play_at(hall, *DOORS))
        ends = [bot.end() for bot in failing]
        assert hall.stop() == 0
    assert {door: guest.error for door, guest in guests.items()} == dict.fromkeys(DOORS)
    assert all(guest.matches for guest in guests.values())
    for code, _, errors in ends:
        assert "Traceback" not in errors
        if FAILURES[failure]:
            assert code == 1
            assert FAILURES[failure] in errors


@pytest.mark.parametrize(
    "failure", [*FAILURES_OF_THE_HOUSE, "CannotBeMade", "ExitsAtOnce", "IsNeverReady"]
)
def test_a_visitor_at_a_page_is_told_when_its_opponent_fails_and_plays_to_the_end(
    bots: Path, failure: str
) -> None:
    house = house_of(bots, failure, *DOORS)
    options = [*serve_options(*DOORS), "--door", "web=0", *house, "--house-limit", LIMIT]
    with Served(*options) as hall:
        rooms, answers = rooms_of(hall), []
        guests = {room: PagePlayer(hall, "田中") for room in rooms}
        is_over = threading.Event()

        def visit(room: str) -> None:
            guests[room].sit(room, rooms[room]).play_short_match()

        def visit_all() -> None:
            try:
                at_once([partial(visit, room) for room in rooms])
            finally:
                is_over.set()

        def look_on() -> None:
            """Another client asks the hall something all the time."""
            while not is_over.is_set():
                began = time.monotonic()
                Browser(web_port(hall)).get("/api/rooms")
                answers.append(time.monotonic() - began)

        at_once([visit_all, look_on])
        assert hall.stop() == 0
    assert "Traceback" not in re.sub(r"(?m)^ .*|^its last output:.*", "", hall.errors)
    assert max(answers) < SECONDS_TO_ANSWER
    for room, guest in guests.items():
        has_failed = f"{room}: the house bot {bots}:{failure} has failed" in hall.errors
        assert has_failed or failure in ("Resigns", "Repeats"), room
        if has_failed and failure in FAILURES_OF_THE_HOUSE:
            said = f"{failure} has failed; "
            assert any(said in text for text in guest.texts()), (room, guest.texts())


def test_when_every_bot_fails_the_log_says_so_and_the_hall_waits_before_the_next(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")

    async def wait_alone() -> None:
        plan = DoorPlan(DOORS["tttp"], 0, settings_of("tttp"), "tttp")
        loop = asyncio.get_running_loop()
        hall = Hall([plan], 1, time.monotonic, loop.call_soon, loop.call_later)
        opened = await hall.open("127.0.0.1")
        house_bots = asyncio.create_task(HouseBots(hall, {"connect-four": "random"}).run())
        port = int(opened[0][1].rpartition(":")[2])
        guest = asyncio.create_task(play("tttp", port, "guest", RandomBot(1)))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while "so have all its substitutes" not in caplog.text:
                    await asyncio.sleep(0.01)
            assert not guest.done()
        finally:
            house_bots.cancel()
            await asyncio.gather(house_bots, return_exceptions=True)
            await hall.close("the test is over")
            await guest

    asyncio.run(wait_alone())
