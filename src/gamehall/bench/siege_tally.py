"""What honest clients count while they play: games, moves, how long they wait, what goes wrong."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

import msgspec

REASONS_KEPT = 20
"""Of what went wrong, in words; the rest is counted."""


class Waits(msgspec.Struct, frozen=True):
    """How long somebody waited, in milliseconds; None if nobody did."""

    median: float | None
    p99: float | None
    longest: float | None

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Waits":
        """The summary of these."""
        if not seconds:
            return cls(None, None, None)
        ordered = sorted(seconds)
        high = ordered[min(len(ordered) - 1, math.ceil(len(ordered) * 0.99) - 1)]
        return cls(statistics.median(ordered) * 1e3, high * 1e3, ordered[-1] * 1e3)

    def figures(self) -> dict[str, float | None]:
        """The same, fit for JSON."""
        return {"median": self.median, "p99": self.p99, "longest": self.longest}


class DoorTally:
    """What the honest have done at one door in one phase."""

    def __init__(self) -> None:
        self.endings_heard = 0
        """Every game has two who hear of its end."""
        self.moves = 0
        self.seconds_waited: list[float] = []
        self.disturbed = 0
        self.reasons: list[str] = []

    def disturb(self, reason: str) -> None:
        """An honest client was dropped, refused, kept waiting, or lost by anything but play."""
        self.disturbed += 1
        if len(self.reasons) < REASONS_KEPT:
            self.reasons.append(reason)

    def figures(self) -> dict[str, Any]:
        """All of it, fit for JSON."""
        return {
            "games": self.endings_heard // 2,
            "moves": self.moves,
            "waits": len(self.seconds_waited),
            "wait_ms": Waits.of(self.seconds_waited).figures(),
            "disturbed": self.disturbed,
            "reasons": self.reasons,
        }


class Tally:
    """What the honest have done at every door in the phase that goes on."""

    def __init__(self, doors: Sequence[str]) -> None:
        self._names = tuple(doors)
        self.doors: dict[str, DoorTally] = {}
        self.newcomers: dict[str, DoorTally] = {}
        """Who does not play, but comes, asks for one thing and goes."""
        self.begin_phase()

    def begin_phase(self) -> None:
        """From now on it is counted anew."""
        self.doors = {door: DoorTally() for door in self._names}
        self.newcomers = {door: DoorTally() for door in self._names}

    def figures(self) -> dict[str, Any]:
        """All of it, fit for JSON."""
        return {
            "doors": {door: tally.figures() for door, tally in self.doors.items()},
            "newcomers": {door: tally.figures() for door, tally in self.newcomers.items()},
        }
