"""A player at a server that sends JSON values, one on each line."""

import json
import time
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from gamehall.conformance.connection import ClauseError, first_to_speak, shown
from gamehall.conformance.target import Target

TargetT = TypeVar("TargetT", bound=Target[Any])
PlayerT = TypeVar("PlayerT", bound="JsonPlayer[Any]")


class JsonPlayer(Generic[TargetT]):
    """A connection to such a server."""

    def __init__(self, target: TargetT, malformed: str) -> None:
        """`malformed`: the clause that is broken by what is not well-formed JSON."""
        self.target = target
        self.connection = target.connect()
        self._malformed = malformed

    def send(self, value: object) -> None:
        """Send a value on a line of its own."""
        self.connection.send(json.dumps(value).encode() + b"\n")

    def read(self, expected: str, clause: str, seconds: float | None = None) -> object:
        """Read the next value. That none comes breaks `clause`."""
        line = self.connection.read_line(expected, clause, seconds)
        if not line.isascii() or line.endswith(b"\r") or line == b"":
            self.target.differs("X-03", f"there was a line {shown(line)}")
        if not line.strip():
            return self.read(expected, clause, seconds)
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            raise ClauseError("well-formed JSON", repr(line), self._malformed) from None
        return value

    def put_back(self, value: object) -> None:
        """Have this value read next."""
        self.connection.kept[:0] = json.dumps(value).encode() + b"\n"


def next_speaker(players: Sequence[PlayerT], end: float) -> PlayerT | None:
    """Return the player who receives something next, or whose connection ends.

    None if there is none until `end`, or if the time is up while one receives without end.
    """
    if time.monotonic() > end:
        return None
    line = first_to_speak([player.connection for player in players], end - time.monotonic())
    return next((player for player in players if player.connection is line), None)
