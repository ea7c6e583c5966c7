"""What must be true of every input."""

from typing import Any

from gamehall.wire.framing import Framing, Lines, Packets
from gamehall.wire.http import LONGEST_HEAD, LONGEST_QUEUE, PIECE, HttpRequests, HttpResponses
from gamehall.wire.json import JsonValues

LONGEST_PACKET = 4 + 1 + 2 + 255 + 65_535
"""A CHAT from the server, with the longest name and the longest text."""

SECONDS_PER_INPUT = 0.5
SECONDS_PER_BYTE = 20e-6
"""How long an input may take: a constant part for the room, and a part for each byte."""


class Violation(AssertionError):
    """A check failed."""


def bytes_buffered(framing: Framing[Any]) -> int:
    """Return how many bytes the framing keeps for messages that were not returned yet."""
    match framing:
        case Packets():
            return len(framing._buffer) - framing._start
        case Lines() | JsonValues():
            return len(framing._buffer)
        case HttpRequests() | HttpResponses():
            fields = sum(len(name) + len(value) for name, value in framing._headers.items())
            bodies = sum(len(message.body) for message in framing._ready)
            return (
                len(framing._unparsed) + len(framing._target) + len(framing._body) + fields + bodies
            )
        case _:
            raise TypeError(f"unknown framing {framing!r}")


def most_kept(framing: Framing[Any]) -> int:
    """Return how many bytes the framing may keep, besides those that have just arrived."""
    match framing:
        case Packets():
            return LONGEST_PACKET
        case Lines() | JsonValues():
            return framing._longest
        case HttpRequests() | HttpResponses():
            # A queue is cleared when it is too long, so it need not be added to a body.
            return max(LONGEST_QUEUE, framing._longest_body + 2 * LONGEST_HEAD + PIECE)
        case _:
            raise TypeError(f"unknown framing {framing!r}")


def check_kept(framing: Framing[Any], arrived: int) -> None:
    """Raise Violation if the framing keeps too much, when `arrived` bytes have just arrived."""
    if bytes_buffered(framing) > most_kept(framing) + arrived:
        raise Violation(
            f"{type(framing).__name__} keeps {bytes_buffered(framing)} bytes,"
            f" of which {arrived} have just arrived; {most_kept(framing)} may be kept"
        )


def check_count(count: int, arrived: int) -> None:
    """Raise Violation if there are more messages than bytes."""
    if count > arrived + 16:
        raise Violation(f"{count} messages were read in {arrived} bytes")


def is_slow(seconds: float, size: int) -> bool:
    """Return True if an input of `size` bytes took too long."""
    return seconds > SECONDS_PER_INPUT + size * SECONDS_PER_BYTE


def check_seconds(seconds: float, size: int) -> None:
    """Raise Violation if an input of `size` bytes took too long."""
    if is_slow(seconds, size):
        raise Violation(f"an input of {size} bytes took {seconds:.1f} seconds")
