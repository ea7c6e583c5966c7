"""When a bot fails, its opponent is told at every door and does not wait for ever.

Most protocols can tell a player that its opponent has left. Ascension over HTTP cannot: there
another house bot takes over the seat.
"""

import asyncio
import os
import re
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from gamehall.bots.bot import RandomBot
from gamehall.match import Ending
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.hall import Hall
from gamehall.server.house_bots import HouseBots
from gamehall.server.plan import DoorPlan
from tests.end_to_end.test_bot import BotProcess
from tests.support.bot_clients import ANSWERS, play, play_at, serve_options, settings_of
from tests.support.page_players import PagePlayer, State, at_once, rooms_of, web_port
from tests.support.programs import children_of
from tests.support.served import GAMEHALL, Served
from tests.web.api_client import ApiClient

DOORS = all_protocols()
SEATS_STAY_TAKEN = {"ascension-http"}
"""The doors where players cannot leave their seats (A-Q27)."""
LIMIT = "2"
PATIENCE_SECONDS = 200.0
SECONDS_TO_ANSWER = 5.0
"""The limit for answers to other clients, with all tests running in parallel."""

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


class ExitsWithoutError(Bot):
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


class LeavesAChildProcess(Bot):
    """The child keeps the pipes of the bot's process open."""

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
    """Repeats its first move, which is illegal in most games."""

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
    "ExitsWithoutError": "exit code 0",
    "Sleeps": "took longer than 2 s over a move",
    "Cheats": "which is illegal",
    "Resigns": "",
    "LeavesAChildProcess": "exit code 3",
    "HoldsTheInterpreter": "took longer than 2 s over a move",
    "FillsMemory": "raised MemoryError",
    "ReturnsNothing": "choose returned None: is a return missing?",
}
"""Bots that fail during a game, and the error that `gamehall bot` prints."""
HOUSE_BOT_FAILURES = FAILURES | {
    "Sleeps": "no answer in time",
    "Cheats": "<object object at",
    "HoldsTheInterpreter": "no answer in time",
    "ReturnsNothing": "None",
    "Repeats": "",
}
"""The same bots, and the log line when they play as house bots."""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    file = tmp_path / "failing.py"
    file.write_text(BOTS)
    return file


def house_of(bots: Path, failure: str, *doors: str) -> list[str]:
    games = {DOORS[door].game for door in doors}
    return [word for game in sorted(games) for word in ("--house", f"{game}={bots}:{failure}")]


@pytest.mark.parametrize("failure", HOUSE_BOT_FAILURES)
def test_a_player_is_told_when_a_house_bot_fails(bots: Path, failure: str) -> None:
    options = [*serve_options(*DOORS), *house_of(bots, failure, *DOORS), "--house-limit", LIMIT]
    with Served(*options) as hall:
        players = asyncio.run(play_at(hall, *DOORS))
        if HOUSE_BOT_FAILURES[failure]:
            lines = [rf"{door}: the house bot .*:{failure} has failed: " for door in DOORS]
            hall.wait_for_errors(*lines)
        assert hall.stop() == 0
    assert {door: player.error for door, player in players.items()} == dict.fromkeys(DOORS)
    for door, player in players.items():
        assert player.matches, f"{door}: no game has come to an end"
        failures = re.findall(rf"{door}: the house bot .*:{failure} has failed: (.*)", hall.errors)
        if HOUSE_BOT_FAILURES[failure]:
            expected = [HOUSE_BOT_FAILURES[failure]]
            if failure == "FillsMemory":
                # On a busy machine it exceeds the time limit before the memory limit.
                expected.append("no answer in time")
            assert any(one in words for one in expected for words in failures), door
        if door in SEATS_STAY_TAKEN and failures:
            assert player.matches[0].result.ending is Ending.PLAYED_OUT
            assert any(words.endswith("plays in its place") for words in failures)
    assert "Traceback" not in hall.errors


def test_a_bot_that_does_not_start_is_replaced_by_another(bots: Path) -> None:
    house = house_of(bots, "CannotBeMade", *DOORS)
    with Served(*serve_options(*DOORS), *house) as hall:
        players = asyncio.run(play_at(hall, *DOORS))
        assert hall.stop() == 0
    assert {door: player.error for door, player in players.items()} == dict.fromkeys(DOORS)
    for door, player in players.items():
        assert player.matches[0].result.ending is Ending.PLAYED_OUT, door
        assert f"{door}: the house bot {bots}:CannotBeMade has failed: " in hall.errors


def test_A_Q09_another_bot_takes_over_the_token_of_a_bot_that_failed(bots: Path) -> None:
    house = house_of(bots, "Raises", *SEATS_STAY_TAKEN)
    options = [*serve_options(*SEATS_STAY_TAKEN), "--set", "ascension-http.tokens=true"]
    with Served(*options, *house) as hall:
        players = asyncio.run(play_at(hall, *SEATS_STAY_TAKEN))
        assert hall.stop() == 0
    for player in players.values():
        assert player.error is None
        assert player.matches[0].result.ending is Ending.PLAYED_OUT
    assert f"the house bot {bots}:Raises has failed" in hall.errors


@pytest.mark.parametrize("failure", FAILURES)
def test_the_opponent_is_told_when_a_bot_of_a_user_fails(bots: Path, failure: str) -> None:
    # Where seats cannot be left, a clock is needed: nobody takes over the seat of a user's bot.
    options = [*serve_options(*DOORS), "--set", "ascension-http.turn-timeout=5"]
    with Served(*options) as hall:
        failing = []
        for door, protocol in DOORS.items():
            options = ["--name", "failing", "--limit", LIMIT, "--memory", "1024"]
            for question in protocol.answers.keys() & ANSWERS.keys():
                options += ["--answer", f"{question}={ANSWERS[question]}"]
            address = f"{door}://127.0.0.1:{hall.port(door)}"
            failing.append(BotProcess(address, f"{bots}:{failure}", *options))
        players = asyncio.run(play_at(hall, *DOORS))
        ends = [bot.end() for bot in failing]
        assert hall.stop() == 0
    assert {door: player.error for door, player in players.items()} == dict.fromkeys(DOORS)
    assert all(player.matches for player in players.values())
    for code, _, errors in ends:
        assert "Traceback" not in errors
        if FAILURES[failure]:
            assert code == 1
            assert FAILURES[failure] in errors


@pytest.mark.parametrize(
    "failure", [*HOUSE_BOT_FAILURES, "CannotBeMade", "ExitsAtOnce", "IsNeverReady"]
)
def test_a_player_in_the_browser_is_told_when_its_opponent_fails(bots: Path, failure: str) -> None:
    house = house_of(bots, failure, *DOORS)
    options = [*serve_options(*DOORS), "--door", "web=0", *house, "--house-limit", LIMIT]
    with Served(*options) as hall:
        rooms, answers = rooms_of(hall), []
        players = {room: PagePlayer(hall, "田中") for room in rooms}
        is_over = threading.Event()

        def play_room(room: str) -> None:
            players[room].sit(room, rooms[room]).play_short_match()

        def play_all() -> None:
            try:
                at_once([partial(play_room, room) for room in rooms])
            finally:
                is_over.set()

        def send_requests() -> None:
            """Measure how fast another client gets its answers."""
            while not is_over.is_set():
                began = time.monotonic()
                ApiClient(web_port(hall)).get("/api/rooms")
                answers.append(time.monotonic() - began)

        at_once([play_all, send_requests])
        assert hall.stop() == 0
    assert "Traceback" not in re.sub(r"(?m)^ .*|^its last output:.*", "", hall.errors)
    assert max(answers) < SECONDS_TO_ANSWER
    for room, player in players.items():
        has_failed = f"{room}: the house bot {bots}:{failure} has failed" in hall.errors
        assert has_failed or failure in ("Resigns", "Repeats"), room
        if has_failed and failure in HOUSE_BOT_FAILURES:
            notice = f"{failure} has failed; "
            assert any(notice in text for text in player.texts()), (room, player.texts())


def test_a_house_bot_that_is_killed_is_started_again_and_then_replaced_by_a_weaker_one() -> None:
    with Served("--door", "web=0", program=[str(GAMEHALL)]) as hall:
        player = PagePlayer(hall, "田中").sit("connect-four", "connect-four", bot="greedy")
        for words in ("greedy has failed, and is started again.", "greedy has failed; random "):
            player.play(lambda state: bool(state["choices"]))
            for bot in children_of(hall.program.pid):
                os.kill(bot, signal.SIGKILL)
            player.play_moves(1)
            player.play(partial(has_text, words))
        state = player.play(lambda state: bool(state["choices"] and state["status"]))
        assert state["status"] == "random plays in place of greedy."
        assert not any(message["name"] for message in state["messages"])
        assert hall.stop() == 0


def has_text(words: str, state: State) -> bool:
    return any(words in message["text"] for message in state["messages"])


def test_when_every_bot_fails_the_server_waits_before_the_next_try(
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
        player = asyncio.create_task(play("tttp", port, "player", RandomBot(1)))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while "so have all its substitutes" not in caplog.text:
                    await asyncio.sleep(0.01)
            assert not player.done()
        finally:
            house_bots.cancel()
            await asyncio.gather(house_bots, return_exceptions=True)
            await hall.close("the test is over")
            await player

    asyncio.run(wait_alone())
