"""How long players wait for an answer while web clients watch their table.

Two players of TTTP play at a human pace without watchers, with many, and with one that never reads.
"""

import asyncio
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from statistics import median, quantiles

from benchmarks.measuring import (
    HOST,
    ROOT,
    BenchmarkError,
    Effort,
    Server,
    connected,
    gamehall_command,
    ratios,
    running,
    show_progress,
    spread,
    table,
)
from benchmarks.scripts import TTTP, UPDATE_LENGTH, Step, play

SECONDS_BETWEEN_MOVES = 0.03
SECONDS_TO_SEE = 10.0
STREAM = "/api/rooms/tttp/tables/table-1/stream"
REQUEST = f"GET {STREAM} HTTP/1.1\r\nHost: hall\r\n\r\n".encode()
VERSION = re.compile(rb'"version":(\d+)')


def run(effort: Effort) -> Iterator[str]:
    """Measure, and yield the table."""
    kinds = ("no watchers", f"{effort.watchers} watch", "one never reads")
    waits: dict[str, list[list[float]]] = {kind: [] for kind in kinds}
    with (
        running(gamehall_command({"tttp": TTTP.settings, "web": {}}, None)) as server,
        connected(server, 2, server.ports["tttp"]) as players,
    ):
        play(TTTP.opening, players, TTTP.count)
        script = cycle(TTTP.lap)
        for number in range(1, effort.rounds + 1):
            for kind in kinds:
                show_progress(f"watching, round {number} of {effort.rounds}: {kind}")
                with watched(server, kind, effort.watchers):
                    waits[kind].append(
                        [wait_for_answer(players, script) for _ in range(effort.watched_moves)]
                    )
    show_progress("")
    medians = {kind: [median(one) for one in found] for kind, found in waits.items()}
    rows = {
        kind: [
            spread(medians[kind]),
            spread(quantiles(one, n=100)[98] for one in found),
            spread(ratios(medians[kind], medians[kinds[0]])),
        ]
        for kind, found in waits.items()
    }
    title = f"how long players wait, ms, {effort.rounds} rounds of {effort.watched_moves} moves"
    yield from table(title, ("median", "slowest of 100", "ratio of medians"), rows)


def wait_for_answer(players: Sequence[socket.socket], script: Iterator[Step]) -> float:
    """Play the next move. Return the milliseconds until its player has the answer."""
    time.sleep(SECONDS_BETWEEN_MOVES)
    step = next(script)
    began = time.perf_counter()
    players[step.player].sendall(step.message)
    _receive_update(players[step.player])
    waited = time.perf_counter() - began
    _receive_update(players[1 - step.player])
    return waited * 1000


def _receive_update(player: socket.socket) -> None:
    if len(player.recv(UPDATE_LENGTH, socket.MSG_WAITALL)) < UPDATE_LENGTH:
        raise BenchmarkError("the server closed the connection instead of answering")


@contextmanager
def watched(server: Server, kind: str, watchers: int) -> Iterator[None]:
    """Watch the table meanwhile. At the end every watcher must have the latest version."""
    port = server.ports["web"]
    if kind == "no watchers":
        yield
    elif kind == "one never reads":
        with socket.create_connection((HOST, port)) as silent:
            silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            silent.sendall(REQUEST)
            yield
    else:
        with watcher_process(__name__, port, watchers) as program:
            yield
            await_last_moves(program)


@contextmanager
def watcher_process(module: str, *arguments: object) -> Iterator["subprocess.Popen[str]"]:
    """Run watchers in a process of their own, and wait until they are connected."""
    with subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as program:
        assert program.stdout is not None
        try:
            if program.stdout.readline() != "ready\n":
                raise BenchmarkError("the watchers could not connect")
            yield program
        finally:
            program.kill()


def await_last_moves(program: "subprocess.Popen[str]") -> None:
    """Wait until the watchers have received the last moves, or raise BenchmarkError."""
    assert program.stdin is not None
    assert program.stdout is not None
    print("done", file=program.stdin, flush=True)
    behind = program.stdout.readline()
    if behind != "0\n":
        raise BenchmarkError(f"{behind.strip()} watchers have not seen the last moves")


async def watch(port: int, count: int) -> None:
    """Watch until a line comes on standard input, then print how many have not seen the end."""
    loop = asyncio.get_running_loop()
    versions = [-1] * count

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection(HOST, port, limit=1 << 20)
        writer.write(REQUEST)
        while line := await reader.readline():
            if found := VERSION.search(line):
                versions[number] = int(found[1])

    tasks = []
    for number in range(count):
        tasks.append(asyncio.create_task(one(number)))
        if number % 50 == 49:
            await asyncio.sleep(0.05)
    while -1 in versions:
        await asyncio.sleep(0.01)
    print("ready", flush=True)
    await loop.run_in_executor(None, sys.stdin.readline)
    deadline = loop.time() + SECONDS_TO_SEE
    while len(set(versions)) > 1 and loop.time() < deadline:
        await asyncio.sleep(0.05)
    print(sum(version != max(versions) for version in versions), flush=True)


if __name__ == "__main__":
    asyncio.run(watch(int(sys.argv[1]), int(sys.argv[2])))
