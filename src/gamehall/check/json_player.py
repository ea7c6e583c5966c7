"""A line on which JSON values come one per line, and whoever reads them looks closely."""

import json
import time
from collections.abc import Sequence
from typing import Any

from gamehall.check.faults import Broken, demand
from gamehall.check.field import Field
from gamehall.check.line import first_to_speak


class JsonPlayer:
    """One line to a server of Santorini."""

    def __init__(self, hall: Field[Any], malformed: str) -> None:
        """`malformed`: the clause that is broken by what is not well-formed JSON."""
        self.line = hall.connect()
        self._malformed = malformed

    def send(self, value: object) -> None:
        """One value, on a line of its own."""
        self.line.send(json.dumps(value).encode() + b"\n")

    def read(self, expected: str, clause: str, seconds: float | None = None) -> object:
        """The next value. What does not come breaks `clause`."""
        try:
            line = self.line.read_line(expected, seconds)
        except Broken as broken:
            if broken.clause is None:
                broken.clause = clause
            raise
        demand(line.isascii() and b"\r" not in line and line != b"", "X-03", "a line of JSON", line)
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            raise Broken("well-formed JSON", repr(line), self._malformed) from None
        return value

    @property
    def has_ended(self) -> bool:
        """Whether the server has closed, and everything has been read."""
        return self.line.has_ended


def next_speaker(players: Sequence[JsonPlayer], end: float) -> JsonPlayer | None:
    """Whoever is told something next, or whose connection ends; None if nobody is until then.

    Also None when the time is up and somebody is told things without end.
    """
    if time.monotonic() > end:
        return None
    line = first_to_speak([player.line for player in players], end - time.monotonic())
    return next((player for player in players if player.line is line), None)
