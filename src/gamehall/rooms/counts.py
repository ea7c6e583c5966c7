"""Counters for the metrics page: plain numbers that are never reset.

The server and the storage count and the page reads, so this is in a package below all of them.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Final

from gamehall.match import Record

SECONDS: Final = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""The upper bounds of the buckets of a histogram of durations."""


class Histogram:
    """The number of durations in each bucket, and their sum."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        """One for each bound, and one for everything beyond the last."""
        self.total = 0.0

    def add(self, seconds: float, times: int = 1) -> None:
        """Count a duration that applies to `times` measurements."""
        self.counts[bisect_left(self.bounds, seconds)] += times
        self.total += seconds * times


class DoorCounts:
    """The connections and requests of one door."""

    __slots__ = ("admitted", "open", "refused", "requests")

    def __init__(self) -> None:
        self.open = 0
        """The connections that are open now."""
        self.admitted = 0
        self.refused = 0
        """Connections that were closed at once, because of a limit."""
        self.requests = 0


class RoomCounts:
    """The matches and answers of one room."""

    __slots__ = ("answers", "matches", "moves", "waiting_for_commit")

    def __init__(self) -> None:
        self.matches: Counter[str] = Counter()
        """Finished matches by their ending."""
        self.moves = 0
        """The moves of finished matches."""
        self.answers = Histogram()
        """The time from a request to its answer, including the commit."""
        self.waiting_for_commit = 0
        """Answers that wait for their commit now."""

    def note_match(self, record: Record) -> None:
        """Count a match that has ended."""
        self.matches[record.result.ending.value] += 1
        self.moves += len(record.moves)


class JournalCounts:
    """The transactions of the journal. Each number is changed by one thread only."""

    __slots__ = ("given", "seconds", "written")

    def __init__(self) -> None:
        self.given = 0
        """Groups of entries that were passed to the journal."""
        self.written = 0
        """Groups of entries that are committed."""
        self.seconds = Histogram()
        """The durations of transactions."""

    @property
    def waiting(self) -> int:
        """Groups of entries that are not committed yet."""
        return self.given - self.written


class HallCounts:
    """The counters of the whole server."""

    def __init__(self) -> None:
        self.doors: dict[str, DoorCounts] = {}
        self.rooms: dict[str, RoomCounts] = {}
        self.journal = JournalCounts()
