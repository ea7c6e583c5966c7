"""Players do not lose because the server's process was stopped for longer than a turn.

The doors and their settings for the time limit come from the catalogue, so new doors are tested
automatically.
"""

import asyncio
import re
import signal
import socket
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gamehall.bots.bot import RandomBot
from gamehall.core import Position, Seat
from gamehall.match import Ending
from gamehall.players.bot_player import BotPlayer
from gamehall.protocols.catalogue import all_protocols
from gamehall.storage import Archive, open_database
from gamehall.wire.protocol import WireProtocol
from gamehall.wire.settings import SettingError, read_settings
from tests.support.bot_clients import SETTINGS, play
from tests.support.served import Served

PATIENCE_SECONDS = 120.0
SECONDS_PER_TURN = 5
"""The limit of the santorini-tournament document, set at all doors that can have one."""

UNUSUAL_SECONDS = 17
"""Not a default of any door, so the setting that has this effect is the time limit."""

MOVES_BEFORE = 2
"""The number of moves before the one during which the server is stopped."""

STALL = re.compile(
    r"WARNING the process stalled(?: \d+ times, in all)? for (\d+\.\d) s;"
    r" the players' clocks were stopped"
)


def limit_of_a_turn(protocol: WireProtocol[Any, Any]) -> str | None:
    """Return the name of the setting that limits the time for a turn, None if there is none."""
    for field in msgspec.structs.fields(protocol.settings):
        try:
            settings = read_settings(
                protocol.settings, {field.encode_name: str(UNUSUAL_SECONDS)}, protocol.name
            )
        except SettingError:
            continue
        if protocol.clock_at(settings).seconds_per_turn == UNUSUAL_SECONDS:
            return field.encode_name
    return None


LIMITS = {
    door: name
    for door, protocol in all_protocols().items()
    if (name := limit_of_a_turn(protocol)) is not None
}
"""The doors that can have a time limit, and the setting for it."""


class SlowBot(RandomBot):
    """Waits during one of its moves until `may_answer` is set."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.is_thinking = threading.Event()
        self.may_answer = threading.Event()
        self._moves = 0

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        self._moves += 1
        if self._moves == MOVES_BEFORE + 1:
            self.is_thinking.set()
            assert self.may_answer.wait(PATIENCE_SECONDS)
        return super().choose(position, seat, seconds_left)


def wait_until_running(port: int) -> None:
    """Wait until the server has closed the connection of a client that sends garbage."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as client:
        client.sendall(b"garbage\n" * 8)
        while client.recv(4096):
            pass


async def play_through_stops(hall: Served, stops: list[float]) -> dict[str, list[BotPlayer[Any]]]:
    """Stop the server's process for these times while it is a player's turn at each door.

    The players move during the last stop. Return all players of each door after the games.
    """
    slow = {door: SlowBot(1) for door in LIMITS}
    async with asyncio.timeout(PATIENCE_SECONDS), asyncio.TaskGroup() as group:
        playing = {
            door: [
                group.create_task(play(door, hall.port(door), "ann", slow[door])),
                group.create_task(play(door, hall.port(door), "bob", RandomBot(2))),
            ]
            for door in LIMITS
        }
        for bot in slow.values():
            await asyncio.to_thread(bot.is_thinking.wait, PATIENCE_SECONDS)
        for number, seconds in enumerate(stops, start=1):
            hall.program.send_signal(signal.SIGSTOP)
            if number == len(stops):
                for bot in slow.values():
                    bot.may_answer.set()
            # The process must be stopped for this time.
            await asyncio.sleep(seconds)
            hall.program.send_signal(signal.SIGCONT)
            await asyncio.to_thread(wait_until_running, hall.port("tttp"))
    return {door: [task.result() for task in tasks] for door, tasks in playing.items()}


@pytest.mark.parametrize(
    "stops", [[7.0], [4.0, 4.0]], ids=["one-long-stop", "two-stops-shorter-than-a-turn"]
)
def test_TM_26_players_do_not_lose_because_the_process_was_stopped(
    stops: list[float], tmp_path: Path
) -> None:
    options = ["--data", str(tmp_path), "--seed", "1"]
    for door, name in LIMITS.items():
        options += ["--door", f"{door}=0"]
        for key, value in {**SETTINGS.get(door, {}), name: str(SECONDS_PER_TURN)}.items():
            options += ["--set", f"{door}.{key}={value}"]
    with Served(*options) as hall:
        players = asyncio.run(play_through_stops(hall, stops))
        assert hall.stop() == 0
    assert all(player.error is None for both in players.values() for player in both)
    seen = {door: [len(player.matches) for player in both] for door, both in players.items()}
    assert all(ann == bob >= 1 for ann, bob in seen.values()), seen
    records = [kept.record for kept in Archive(open_database(tmp_path)).latest(1000)]
    assert {record.result.ending for record in records} == {Ending.PLAYED_OUT}
    assert len(records) == sum(ann for ann, _ in seen.values())
    # A busy machine may add other stalls.
    stalled = sum(float(seconds) for seconds in STALL.findall(hall.errors))
    assert stalled > sum(stops) - 0.2, hall.errors


def test_all_doors_with_a_time_limit_are_tested() -> None:
    assert (
        LIMITS.items()
        >= {
            "santorini-lobby": "move-timeout",
            "santorini-tournament": "timeout",
            "tttp": "turn-seconds",
            "go-text": "turn-seconds",
        }.items()
    )
