"""The cost of watchers for the players of a busy room, with a steady rate of moves at each table.

Watchers read the streams that the pages of the room, of a table and of the lobby read. At the end,
each must have received the last move of every table in its stream.
"""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from statistics import median, quantiles
from time import monotonic
from typing import NamedTuple

import msgspec
import uvloop

from benchmarks.doors import Pair, recorded, seat
from benchmarks.measuring import (
    HOST,
    BenchmarkError,
    Effort,
    Server,
    cpu_seconds,
    gamehall_command,
    raise_open_files_limit,
    ratios,
    running,
    show_progress,
    spread,
    table,
)
from benchmarks.scripts import TTTP, UNLIMITED
from benchmarks.watching import await_last_moves, watcher_process

SECONDS_BETWEEN_MOVES = 1.0
SECONDS_TO_SETTLE = 1.0
"""The time before the measurement, in which new watchers receive the whole state."""
SECONDS_TO_SEE = 20.0

ROOM = "/api/rooms/tttp/stream"
NO_WATCHERS, PAGES, EVERYTHING = "no watchers", "60 at pages", "60 without bounds"
STREAMS = {
    NO_WATCHERS: [],
    PAGES: [f"{ROOM}?tables=24"] * 40 + ["/api/stream?tables=0"] * 10,
    EVERYTHING: [ROOM] * 40 + ["/api/stream"] * 10,
}
"""The streams of the watchers, besides those of TABLES_WATCHED tables."""
TABLES_WATCHED = 10

SEEN = re.compile(rb'^event: table\ndata: .*?"table":\{"name":"([^"]+)".*?"version":(\d+)\}')
"""An event about a table, with its name and version."""


def run(effort: Effort) -> Iterator[str]:
    """Measure, and yield the table."""
    raise_open_files_limit()
    found: dict[str, list[Waits]] = {kind: [] for kind in STREAMS}
    uvloop.run(_measure(effort, found))
    show_progress("")
    medians = {kind: [one.median for one in waits] for kind, waits in found.items()}
    costs = {kind: [one.cpu_per_move for one in waits] for kind, waits in found.items()}
    rows = {
        kind: [
            spread(medians[kind]),
            spread(one.slowest for one in found[kind]),
            spread(ratios(medians[kind], medians[NO_WATCHERS])),
            spread(costs[kind], ".0f"),
            spread(ratios(costs[kind], costs[NO_WATCHERS])),
        ]
        for kind in STREAMS
    }
    title = (
        f"{effort.busy_tables} tables at {1 / SECONDS_BETWEEN_MOVES:g} moves a second,"
        f" {effort.rounds} rounds of {_seconds(effort):g} s; how long players wait, ms"
    )
    columns = ("median", "slowest of 100", "ratio of medians", "CPU us/move", "ratio of CPU")
    yield from table(title, columns, rows)


class Waits(NamedTuple):
    """How long players waited for the answers to their moves, in milliseconds."""

    median: float
    slowest: float
    """The 99th percentile."""
    cpu_per_move: float
    """Total CPU time of the server in microseconds."""


async def _measure(effort: Effort, found: dict[str, list[Waits]]) -> None:
    conversation = recorded("tttp", TTTP)
    settings = {
        **TTTP.settings,
        **UNLIMITED,
        "tables": effort.busy_tables,
        "max-connections": 2 * effort.busy_tables + 100,
    }
    with running(gamehall_command({"tttp": settings, "web": {}}, None)) as server:
        show_progress(f"busy room, {effort.busy_tables} tables")
        pairs = await seat(server, "door", TTTP, conversation, effort.busy_tables)
        try:
            for number in range(1, effort.rounds + 1):
                for kind in STREAMS:
                    show_progress(f"busy room, round {number} of {effort.rounds}: {kind}")
                    with watched(server, kind, effort.busy_tables) as watchers:
                        await play_steadily(pairs, SECONDS_TO_SETTLE)
                        before = cpu_seconds(server.pid)
                        waits = await play_steadily(pairs, _seconds(effort))
                        cpu = cpu_seconds(server.pid) - before
                        if watchers is not None:
                            await asyncio.to_thread(await_last_moves, watchers)
                    found[kind].append(
                        Waits(median(waits), quantiles(waits, n=100)[98], cpu / len(waits) * 1e6)
                    )
        finally:
            for pair in pairs:
                pair.is_over = True
                for player in pair.players:
                    player.transport.abort()
            await asyncio.sleep(0)


def _seconds(effort: Effort) -> float:
    return 2 * effort.seconds


# The players


async def play_steadily(pairs: Sequence[Pair], seconds: float) -> list[float]:
    """Play at every table for this time. Return the milliseconds until each answer.

    Times count from when the move was due, so that a delay also shows in the moves after it.
    """
    loop = asyncio.get_running_loop()
    begin = monotonic()
    waits: list[float] = []

    async def play(pair: Pair, first: float) -> None:
        due = first
        while due < begin + seconds:
            await asyncio.sleep(due - monotonic())
            answered = loop.create_future()
            pair.when_answered = partial(answered.set_result, None)
            pair.is_paused = False
            pair.advance()
            pair.is_paused = True
            async with asyncio.timeout(SECONDS_TO_SEE):
                await answered
            waits.append((monotonic() - due) * 1000)
            due += SECONDS_BETWEEN_MOVES

    interval = min(SECONDS_BETWEEN_MOVES, seconds) / len(pairs)
    await asyncio.gather(*(play(pair, begin + at * interval) for at, pair in enumerate(pairs)))
    for pair in pairs:
        if pair.problem is not None:
            raise BenchmarkError(pair.problem)
    return waits


# The watchers, in a process of their own


@contextmanager
def watched(server: Server, kind: str, tables: int) -> Iterator["subprocess.Popen[str] | None"]:
    """Watch the room meanwhile, by a process for `await_last_moves`, or None without watchers."""
    paths = list(STREAMS[kind])
    if not paths:
        yield None
        return
    numbers = range(1, tables + 1, max(1, tables // TABLES_WATCHED))[:TABLES_WATCHED]
    paths += [f"/api/rooms/tttp/tables/table-{number}/stream" for number in numbers]
    with watcher_process(__name__, server.ports["web"], *paths) as program:
        yield program


class Watcher(asyncio.Protocol):
    """Records the latest version of each table in its stream."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.versions: dict[str, int] = {}
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(f"GET {self.path} HTTP/1.1\r\nHost: hall\r\n\r\n".encode())

    def data_received(self, data: bytes) -> None:
        *events, self._received = (self._received + data).split(b"\n\n")
        for event in events:
            # The event follows the chunk size of HTTP's chunked encoding.
            if found := SEEN.search(event[max(0, event.find(b"event: ")) :]):
                if self.path.startswith("/api/stream"):
                    # The lobby shows one table of each room, which may change.
                    self.versions.clear()
                self.versions[found[1].decode()] = int(found[2])

    def is_behind(self, last: dict[str, int]) -> bool:
        """Return True if a table has changed since it was received."""
        return not self.versions or any(
            last[name] != version for name, version in self.versions.items()
        )


async def watch(port: int, paths: Sequence[str]) -> None:
    """Watch until a line arrives on standard input, then print how many watchers are behind."""
    # The players and the server have priority if there are too few cores.
    os.nice(10)
    loop = asyncio.get_running_loop()
    watchers = [Watcher(path) for path in paths]
    for watcher in watchers:
        await loop.create_connection(lambda watcher=watcher: watcher, HOST, port)  # type: ignore[misc]
    while not all(watcher.versions for watcher in watchers):
        await asyncio.sleep(0.05)
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    last = await loop.run_in_executor(None, last_versions, port)
    deadline = loop.time() + SECONDS_TO_SEE
    behind = watchers
    while behind and loop.time() < deadline:
        await asyncio.sleep(0.1)
        behind = [watcher for watcher in behind if watcher.is_behind(last)]
    print(len(behind), flush=True)


def last_versions(port: int) -> dict[str, int]:
    """Return the current version of each table."""
    connection = HTTPConnection(HOST, port, timeout=SECONDS_TO_SEE)
    try:
        connection.request("GET", "/api/rooms/tttp")
        room = msgspec.json.decode(connection.getresponse().read())
        return {one["name"]: one["version"] for one in room["tables"]}
    finally:
        connection.close()


if __name__ == "__main__":
    asyncio.run(watch(int(sys.argv[1]), sys.argv[2:]))
