"""Blocking TTTP clients: connect many, seat them, see who is still connected.

Plain sockets: the load generator hands them to its loop once everybody is seated, and 10,000 of
them cost the benchmark next to nothing.
"""

import select
import socket
import time
from collections.abc import Sequence

from gamehall.bench.catsgame import UPDATE_LENGTH
from gamehall.bench.machine import BenchError, Server, open_files

SECONDS_TO_ANSWER = 20.0
# Fewer than the 100 connections that a listening socket of asyncio lets wait to be accepted:
# beyond those a connection attempt is dropped and tried again only after a second.
CONNECTIONS_AT_A_TIME = 50

SEATED_RED, SEATED_BLUE, SPECTATOR = 1, 2, 3


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


def join(visitor: socket.socket, name: str) -> int:
    """Send JOIN and read the response and, if accepted, the first UPDT; give the response code."""
    visitor.sendall(b"JOIN" + bytes((len(name),)) + name.encode("ascii"))
    response = _receive(visitor, 5)
    if response[:4] != b"JOIN":
        raise BenchError(f"instead of a JOIN response came {response!r}")
    code = response[4]
    if code in (SEATED_RED, SEATED_BLUE, SPECTATOR):
        _receive_update(visitor)
    return code


def seat_pair(red: socket.socket, blue: socket.socket, table: int) -> None:
    """Join both, who must be the next two to be seated, and so at the same table."""
    codes = join(red, f"red {table}"), join(blue, f"blue {table}")
    if codes != (SEATED_RED, SEATED_BLUE):
        raise BenchError(f"table {table}: JOIN was answered with {codes}, not (1, 2)")
    _receive_update(red)  # that Blue has sat down


def still_connected(visitors: Sequence[socket.socket]) -> int:
    """How many connections are open and silent, as idle ones must be."""
    poll = select.poll()
    for visitor in visitors:
        poll.register(visitor, select.POLLIN | select.POLLRDHUP)
    return len(visitors) - len(poll.poll(0))


def _receive_update(visitor: socket.socket) -> None:
    message = _receive(visitor, UPDATE_LENGTH)
    if message[:4] != b"UPDT":
        raise BenchError(f"instead of UPDT came {message!r}")


def _receive(visitor: socket.socket, length: int) -> bytes:
    received = b""
    while len(received) < length:
        try:
            piece = visitor.recv(length - len(received))
        except TimeoutError:
            raise BenchError(f"no answer within {SECONDS_TO_ANSWER:g} s") from None
        if not piece:
            raise BenchError("the server closed the connection instead of answering")
        received += piece
    return received
