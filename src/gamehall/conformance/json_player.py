"""A line on which JSON values come one per line, and whoever reads them looks closely."""

import json
import time
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from gamehall.conformance.faults import Broken, shown
from gamehall.conformance.field import Field
from gamehall.conformance.line import first_to_speak

HallT = TypeVar("HallT", bound=Field[Any])
PlayerT = TypeVar("PlayerT", bound="JsonPlayer[Any]")


class JsonPlayer(Generic[HallT]):
    """One line to a server of Santorini."""

    def __init__(self, hall: HallT, malformed: str) -> None:
        """`malformed`: the clause that is broken by what is not well-formed JSON."""
        self.hall = hall
        self.line = hall.connect()
        self._malformed = malformed

    def send(self, value: object) -> None:
        """One value, on a line of its own."""
        self.line.send(json.dumps(value).encode() + b"\n")

    def read(self, expected: str, clause: str, seconds: float | None = None) -> object:
        """The next value. That none comes breaks `clause`."""
        line = self.line.read_line(expected, clause, seconds)
        if not line.isascii() or line.endswith(b"\r") or line == b"":
            self.hall.differs("X-03", f"there was a line {shown(line)}")
        if not line.strip():
            return self.read(expected, clause, seconds)
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            raise Broken("well-formed JSON", repr(line), self._malformed) from None
        return value

    def put_back(self, value: object) -> None:
        """Have this value read next, once more."""
        self.line.kept[:0] = json.dumps(value).encode() + b"\n"


def next_speaker(players: Sequence[PlayerT], end: float) -> PlayerT | None:
    """Whoever is told something next, or whose connection ends; None if nobody is until then.

    Also None when the time is up and somebody is told things without end.
    """
    if time.monotonic() > end:
        return None
    line = first_to_speak([player.line for player in players], end - time.monotonic())
    return next((player for player in players if player.line is line), None)
