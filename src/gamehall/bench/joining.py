"""Blocking TTTP clients take their seats."""

import socket

from gamehall.bench.catsgame import UPDATE_LENGTH
from gamehall.bench.machine import BenchError
from gamehall.bench.visitors import SECONDS_TO_ANSWER

SEATED_RED, SEATED_BLUE, SPECTATOR = 1, 2, 3


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
