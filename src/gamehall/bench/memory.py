"""What a connection that waits costs in memory, and whether thousands of them are held."""

import socket
from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

from gamehall.bench.joining import SEATED_RED, join, seat_pair
from gamehall.bench.machine import Server, resident_bytes, running
from gamehall.bench.visitors import connect, still_connected


class Memory(NamedTuple):
    """What a server with so many connections was found to need."""

    connections: int
    bytes_without: int
    bytes_with: int
    still_open: int

    @property
    def bytes_per_connection(self) -> float:
        return (self.bytes_with - self.bytes_without) / self.connections


def idle_at_echo(command: Sequence[str], connections: int) -> Memory:
    """Connections to a bare server that send nothing."""
    with running(command) as server, ExitStack() as closing:
        without = resident_bytes(server.pid)
        return _memory(server, without, _connect(server, connections, closing))


def idle_at_door(command: Sequence[str], connections: int) -> tuple[Memory, bool]:
    """Connections to a TTTP door that send nothing, and whether one more could join beside them."""
    with running(command) as server, ExitStack() as closing:
        without = resident_bytes(server.pid)
        memory = _memory(server, without, _connect(server, connections, closing))
        (one_more,) = _connect(server, 1, closing)
        return memory, join(one_more, "one more") == SEATED_RED


def seated_at_door(command: Sequence[str], connections: int) -> Memory:
    """Connections to a TTTP door that have joined, two at each table, and wait."""
    with running(command) as server, ExitStack() as closing:
        without = resident_bytes(server.pid)
        visitors = _connect(server, connections, closing)
        for table, (red, blue) in enumerate(zip(visitors[::2], visitors[1::2], strict=True), 1):
            seat_pair(red, blue, table)
        return _memory(server, without, visitors)


def _connect(server: Server, count: int, closing: ExitStack) -> list[socket.socket]:
    visitors = connect(server, count)
    for visitor in visitors:
        closing.enter_context(visitor)
    return visitors


def _memory(server: Server, without: int, visitors: Sequence[socket.socket]) -> Memory:
    still_open = still_connected(visitors)
    return Memory(len(visitors), without, resident_bytes(server.pid), still_open)
