"""A hall whose process is stopped for longer than a turn may take: nobody loses by it.

The doors come from the catalogue, and so does the setting that limits a turn: a new door is tested
by being there.
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
from gamehall.wire.protocol import Protocol
from gamehall.wire.settings import SettingError, read_settings
from tests.support.bot_clients import SETTINGS, play
from tests.support.served import Served

PATIENCE_SECONDS = 120.0
SECONDS_PER_TURN = 5
"""As document 001 has it, and at every other door that can have a limit."""

UNUSUAL_SECONDS = 17
"""No door's own limit: the setting that leads to it is the one for the limit."""

MOVES_BEFORE = 2
"""How many moves a player makes before the one during which the hall is stopped."""

STALL = re.compile(
    r"WARNING the process stalled(?: \d+ times, in all)? for (\d+\.\d) s;"
    r" the players' clocks were stopped"
)


def limit_of_a_turn(protocol: Protocol[Any, Any]) -> str | None:
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
    """Thinks over one of its moves until it is told to go on."""

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


def wait_until_it_runs(port: int) -> None:
    """Wait until the hall has heard a new client and sent it away."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as client:
        client.sendall(b"garbage\n" * 8)
        while client.recv(4096):
            pass


async def play_through_stops(hall: Served, stops: list[float]) -> dict[str, list[BotPlayer[Any]]]:
    """Stop the hall for so many seconds each, while a player at each door is to move.

    All of them answer during the last stop. Return the players of each door when they are done.
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
            # How long the process is stopped is what is tested; there is nothing to wait for.
            await asyncio.sleep(seconds)
            hall.program.send_signal(signal.SIGCONT)
            await asyncio.to_thread(wait_until_it_runs, hall.port("tttp"))
    return {door: [task.result() for task in tasks] for door, tasks in playing.items()}


@pytest.mark.parametrize(
    "stops", [[7.0], [4.0, 4.0]], ids=["one-long-stop", "two-stops-shorter-than-a-turn"]
)
def test_TM_26_nobody_loses_because_the_process_was_stopped(
    stops: list[float], tmp_path: Path
) -> None:
    options = ["--data", str(tmp_path), "--seed", "1"]
    for door, name in LIMITS.items():
        options += ["--door", f"{door}=0"]
        for key, value in {**SETTINGS.get(door, {}), name: str(SECONDS_PER_TURN)}.items():
            options += ["--set", f"{door}.{key}={value}"]
    with Served(*options) as hall:
        guests = asyncio.run(play_through_stops(hall, stops))
        assert hall.stop() == 0
    assert all(visitor.error is None for both in guests.values() for visitor in both)
    seen = {door: [len(visitor.matches) for visitor in both] for door, both in guests.items()}
    assert all(ann == bob >= 1 for ann, bob in seen.values()), seen
    records = [kept.record for kept in Archive(open_database(tmp_path)).latest(1000)]
    assert {record.result.ending for record in records} == {Ending.PLAYED_OUT}
    assert len(records) == sum(ann for ann, _ in seen.values())
    # A busy machine may have added stalls of its own.
    stalled = sum(float(seconds) for seconds in STALL.findall(hall.errors))
    assert stalled > sum(stops) - 0.2, hall.errors


def test_the_doors_of_documents_with_a_time_limit_are_among_those_tested() -> None:
    assert (
        LIMITS.items()
        >= {
            "santorini-lobby": "move-timeout",
            "santorini-tournament": "timeout",
            "tttp": "turn-seconds",
            "go-text": "turn-seconds",
        }.items()
    )
