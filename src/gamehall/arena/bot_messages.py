"""What is said between us and a bot that is a program of its own.

What it is told is pickled, since that comes from us; what it says is not, since anybody's bot may
say it: JSON, with a move as a text in the notation of the game. Before each message stands its
length.
"""

import socket
from typing import Any

import msgspec

from gamehall.core import Game, Position, Seat
from gamehall.match import Result

LENGTH_BYTES = 4
LONGEST_ANSWER = 1 << 20


class Begin(msgspec.Struct, frozen=True):
    """A match begins: everything random follows from this seed."""

    seed: int


class Ask(msgspec.Struct, frozen=True):
    """What is your move?"""

    position: Position[Any]
    seat: Seat
    seconds_left: float | None


class Over(msgspec.Struct, frozen=True):
    """The match has ended."""

    position: Position[Any]
    seat: Seat
    result: Result


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a bot says: its move, or one of the others; nothing at all to what needs no answer."""

    move: str | None = None
    gives_up: bool = False
    no_move: str | None = None
    """What it has returned instead of a move."""
    fault: str | None = None
    trace: str = ""


class Setting(msgspec.Struct, frozen=True):
    """What the program has to know before anything is asked."""

    text: str
    """The bot, as people write it."""
    game: Game[Any]
    seconds_per_move: float | None
    megabytes: int
    parent: int


def send(line: socket.socket, content: bytes) -> None:
    """Sends one message. Raises OSError."""
    line.sendall(len(content).to_bytes(LENGTH_BYTES, "big") + content)


def receive(line: socket.socket) -> bytes | None:
    """One message, None if the other end is closed."""
    head = receive_exactly(line, LENGTH_BYTES)
    return None if head is None else receive_exactly(line, int.from_bytes(head, "big"))


def receive_exactly(line: socket.socket, length: int) -> bytes | None:
    """So many bytes, None if there are no more."""
    content = b""
    while len(content) < length:
        part = line.recv(length - len(content))
        if not part:
            return None
        content += part
    return content
