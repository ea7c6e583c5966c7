"""The memory of a connection and of a room in the server's process.

It is the growth of the resident memory, without socket buffers, which belong to the kernel.
"""

import select
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from benchmarks.measuring import (
    BenchmarkError,
    Effort,
    Server,
    bare_command,
    connected,
    gamehall_command,
    raise_open_files_limit,
    resident_bytes,
    running,
    show_progress,
    table,
)
from benchmarks.scripts import TTTP, UNLIMITED, play

MOVES_IN_ROOM = 20


def run(effort: Effort) -> Iterator[str]:
    """Measure, and yield the table."""
    raise_open_files_limit()
    count, rooms = effort.idle_connections, effort.rooms
    with tempfile.TemporaryDirectory(prefix="gamehall-benchmark-") as name:
        no_answers = Path(name) / "answers"
        no_answers.write_bytes(msgspec.msgpack.encode([[], []]))
        settings = {**TTTP.settings, **UNLIMITED, "tables": rooms, "max-connections": count + 100}
        command = gamehall_command({"tttp": settings}, Path(name) / "data")
        show_progress(f"{count} idle connections")
        with running(bare_command("relay", no_answers)) as server:
            bare = growth(server, count, lambda _: None)
        with running(command) as server:
            idle = growth(server, count, lambda _: None)
        show_progress(f"{rooms} rooms")
        with running([*command, "--fresh"]) as server:
            room = growth(server, 2 * rooms, begin_games) * 2
    show_progress("")
    rows = {
        "bare, idle connection": [f"{count:,}", f"{bare:,.0f}", "1.00"],
        "door, idle connection": [f"{count:,}", f"{idle:,.0f}", f"{idle / bare:.2f}"],
        f"door, room with two players, {MOVES_IN_ROOM} moves": [
            f"{rooms:,}",
            f"{room:,.0f}",
            f"{room / bare:.2f}",
        ],
    }
    yield from table(
        "memory of the server's process (tttp)", ("held at once", "bytes each", "to bare"), rows
    )


def growth(server: Server, count: int, do: Callable[[list[socket.socket]], None]) -> float:
    """Open connections, call a function on them, and return the growth per connection."""
    before = resident_bytes(server.pid)
    with connected(server, count) as sockets:
        do(sockets)
        poll = select.poll()
        for one in sockets:
            poll.register(one, select.POLLIN | select.POLLRDHUP)
        if closed := poll.poll(0):
            raise BenchmarkError(
                f"{len(closed)} of {count} idle connections were closed or received data"
            )
        return max(1, resident_bytes(server.pid) - before) / count


def begin_games(sockets: list[socket.socket]) -> None:
    """Seat pairs of connections, and play some moves at every table."""
    for number in range(len(sockets) // 2):
        pair = sockets[2 * number : 2 * number + 2]
        play([*TTTP.opening, *TTTP.lap[:MOVES_IN_ROOM]], pair, TTTP.count, number)
