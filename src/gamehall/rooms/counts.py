"""What is counted while the hall runs, for those who watch over it: plain numbers, never reset."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Final

from gamehall.match import Record

SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""The bounds between which durations are counted."""


class Histogram:
    """How often durations fell between two bounds, and what they come to together."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        """Up to each bound, and beyond the last."""
        self.total = 0.0

    def add(self, seconds: float, times: int = 1) -> None:
        """Count a duration, which was measured for this many things."""
        self.counts[bisect_left(self.bounds, seconds)] += times
        self.total += seconds * times


class DoorCounts:
    """What has come through one door."""

    __slots__ = ("admitted", "open", "refused", "requests")

    def __init__(self) -> None:
        self.open = 0
        """Connections that there are now."""
        self.admitted = 0
        self.refused = 0
        """Connections that there have been, and that there have not."""
        self.requests = 0


class RoomCounts:
    """What has happened in one room."""

    __slots__ = ("answers", "held", "matches", "moves")

    def __init__(self) -> None:
        self.matches: Counter[str] = Counter()
        """How many have ended in each way."""
        self.moves = 0
        """In these."""
        self.answers = Histogram()
        """From a request to what is said to it, being written down included."""
        self.held = 0
        """Answers that wait now until they are written down."""

    def note_match(self, record: Record) -> None:
        """Count a match that has ended."""
        self.matches[record.result.ending.value] += 1
        self.moves += len(record.moves)


class JournalCounts:
    """How writing down goes. Each number is changed by one thread only."""

    __slots__ = ("given", "seconds", "written")

    def __init__(self) -> None:
        self.given = 0
        self.written = 0
        """Groups of entries that are to be written, and those that are."""
        self.seconds = Histogram()
        """What transactions take."""

    @property
    def waiting(self) -> int:
        """Groups that are not written yet."""
        return self.given - self.written


class HallCounts:
    """All of it."""

    def __init__(self) -> None:
        self.doors: dict[str, DoorCounts] = {}
        self.rooms: dict[str, RoomCounts] = {}
        self.journal = JournalCounts()
