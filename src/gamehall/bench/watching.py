"""The benchmark of watching: how long players wait for an answer while others look on.

Two players of TTTP, at a pace of some moves a second, with nobody watching, with many watchers of
their table at the web door, and with one who never reads. In a round all of these, one after the
other. Every watcher must in the end have seen the last picture, or there is no figure.
"""

import asyncio
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from statistics import median, quantiles
from urllib.parse import urlsplit

from gamehall.bench.catsgame import SCRIPT, UPDATE_LENGTH, Step
from gamehall.bench.joining import seat_pair
from gamehall.bench.machine import BenchError, StartedServer, running
from gamehall.bench.progress import show_progress
from gamehall.bench.speed import spread
from gamehall.bench.visitors import connect

SECONDS_BETWEEN_MOVES = 0.03
SECONDS_TO_SEE = 10.0
VERSION = re.compile(rb'"version":(\d+)')
TABLE = "/api/rooms/tttp/tables/table-1"
COMMAND = ("serve", "--door", "tttp=0", "--door", "web=0", "--data", "none")


def run(report: Callable[[str], None], watchers: int, moves: int, rounds: int) -> dict[str, object]:
    """Measure, report a table line by line, and give all figures in a form fit for JSON."""
    title = f"watching, {rounds} rounds of {moves} moves, {1 / SECONDS_BETWEEN_MOVES:.0f} a second"
    report(f"{title}: how long players wait, ms, median of rounds (lowest - highest)")
    report(f"{'':28}{'median':>24}{'of 100 the slowest':>24}{'ratio of medians':>24}")
    kinds: dict[str, int | None] = {
        "nobody watches": 0,
        f"{watchers} watch": watchers,
        "one never reads": None,
    }
    waits: dict[str, list[list[float]]] = {kind: [] for kind in kinds}
    with running([sys.executable, "-m", "gamehall.cli", *COMMAND]) as server:
        players = connect(server, 2)
        seat_pair(players[0], players[1], 1)
        script = cycle(SCRIPT)
        for number in range(1, rounds + 1):
            for kind, count in kinds.items():
                show_progress(f"watching, round {number} of {rounds}: {kind}")
                with _watched(server, count) as watching:
                    waits[kind].append([_move(players, script) for _ in range(moves)])
                    watching()
        show_progress("")
    figures: dict[str, object] = {}
    base = [median(round_) for round_ in waits["nobody watches"]]
    for kind, of_kind in waits.items():
        medians = [median(round_) for round_ in of_kind]
        slow = [quantiles(round_, n=100)[98] for round_ in of_kind]
        ratios = [mine / others for mine, others in zip(medians, base, strict=True)]
        figures[kind] = {
            "median_ms": spread(medians)._asdict(),
            "slow_ms": spread(slow)._asdict(),
            "ratio": spread(ratios)._asdict(),
        }
        cells = (in_words(values) for values in (medians, slow, ratios))
        report(f"{kind:<28}" + "".join(f"{cell:>24}" for cell in cells))
    return figures


def in_words(values: list[float]) -> str:
    """`0.52 (0.49 - 0.61)`."""
    found = spread(values)
    return f"{found.median:.2f} ({found.low:.2f} - {found.high:.2f})"


def _move(players: list[socket.socket], script: Iterator[Step]) -> float:
    """The next move of the game. Gives the milliseconds until its player has the answer."""
    time.sleep(SECONDS_BETWEEN_MOVES)
    mover, message, update = next(script)
    began = time.perf_counter()
    players[mover].sendall(message)
    if _receive(players[mover]) != update:
        raise BenchError("a move was answered with another board")
    waited = time.perf_counter() - began
    _receive(players[1 - mover])
    return waited * 1000


def _receive(player: socket.socket) -> bytes:
    received = b""
    while len(received) < UPDATE_LENGTH:
        part = player.recv(UPDATE_LENGTH - len(received))
        if not part:
            raise BenchError("the server closed the connection instead of answering")
        received += part
    return received


@contextmanager
def _watched(server: StartedServer, count: int | None) -> Iterator[Callable[[], None]]:
    """So many watchers in another program, None for one who never reads.

    Gives what raises BenchError if somebody has not seen the last picture.
    """
    port = urlsplit(server.page).port
    assert port is not None
    if count == 0:
        yield lambda: None
        return
    if count is None:
        with socket.create_connection(("127.0.0.1", port)) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.sendall(f"GET {TABLE}/stream HTTP/1.1\r\nHost: hall\r\n\r\n".encode())
            yield lambda: None
        return
    program = subprocess.Popen(
        [sys.executable, "-m", __name__, str(port), str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        if program.stdout.readline() != "ready\n":
            raise BenchError("the watchers could not come in")

        def have_seen_all() -> None:
            assert program.stdin is not None
            assert program.stdout is not None
            print("done", file=program.stdin, flush=True)
            seen = json.loads(program.stdout.readline())
            if seen["behind"]:
                raise BenchError(f"{seen['behind']} watchers have not seen the last picture")

        yield have_seen_all
    finally:
        program.kill()
        program.communicate()


async def watch(port: int, count: int) -> None:
    """So many watchers, until a line comes on standard input; then says who is behind."""
    loop = asyncio.get_running_loop()
    versions = [-1] * count

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
        writer.write(f"GET {TABLE}/stream HTTP/1.1\r\nHost: hall\r\n\r\n".encode())
        while line := await reader.readline():
            found = VERSION.search(line)
            if found:
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
    behind = sum(version != max(versions) for version in versions)
    print(json.dumps({"behind": behind}), flush=True)


if __name__ == "__main__":
    asyncio.run(watch(int(sys.argv[1]), int(sys.argv[2])))
