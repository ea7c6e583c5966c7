"""Blocking clients of any server: connect many, see who is still connected.

Plain sockets: a load generator hands them to its loop when it is ready for them, and 10,000 of them
cost the benchmark next to nothing.
"""

import select
import socket
import time
from collections.abc import Sequence

from gamehall.bench.machine import BenchError, Server, open_files

SECONDS_TO_ANSWER = 20.0
# Fewer than the 100 connections that a listening socket of asyncio lets wait to be accepted:
# beyond those a connection attempt is dropped and tried again only after a second.
CONNECTIONS_AT_A_TIME = 50


def connect(server: Server, count: int) -> list[socket.socket]:
    """So many connections, accepted by the server in this order."""
    files_before = open_files(server.pid)
    visitors: list[socket.socket] = []
    while len(visitors) < count:
        for _ in range(min(CONNECTIONS_AT_A_TIME, count - len(visitors))):
            visitor = socket.create_connection(("127.0.0.1", server.port), SECONDS_TO_ANSWER)
            visitor.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            visitors.append(visitor)
        deadline = time.monotonic() + SECONDS_TO_ANSWER
        while open_files(server.pid) < files_before + len(visitors):
            if time.monotonic() > deadline:
                accepted = open_files(server.pid) - files_before
                raise BenchError(f"the server holds {accepted} of {len(visitors)} connections")
            time.sleep(0.001)
    return visitors


def still_connected(visitors: Sequence[socket.socket]) -> int:
    """How many connections are open and silent, as idle ones must be."""
    poll = select.poll()
    for visitor in visitors:
        poll.register(visitor, select.POLLIN | select.POLLRDHUP)
    return len(visitors) - len(poll.poll(0))
