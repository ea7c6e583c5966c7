"""How often something may happen: limits that are told the time."""

from collections import deque
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT")


class Deadlines(Generic[KeyT]):
    """At most one deadline for each key, in a heap, so nothing is ever swept through.

    A deadline that was moved or taken back stays in the heap until it comes up or until the heap
    is mostly such leftovers.
    """

    __slots__ = ("_heap", "_pushed", "_when")

    def __init__(self) -> None:
        self._when: dict[KeyT, float] = {}
        self._heap: list[tuple[float, int, KeyT]] = []
        self._pushed = 0

    def set(self, key: KeyT, when: float | None) -> None:
        """`key` is due at `when`, instead of any earlier word on it; None: not at all."""
        if when is None:
            self._when.pop(key, None)
        elif self._when.get(key) != when:
            self._when[key] = when
            # The running number keeps keys from being compared when two deadlines are equal.
            self._pushed += 1
            heappush(self._heap, (when, self._pushed, key))
        if len(self._heap) > 2 * len(self._when) + 64:
            self._heap = [
                (due, order, live) for order, (live, due) in enumerate(self._when.items())
            ]
            heapify(self._heap)

    def next(self) -> float | None:
        """The earliest deadline."""
        heap = self._heap
        while heap:
            when, _, key = heap[0]
            if self._when.get(key) == when:
                return when
            heappop(heap)
        return None

    def due(self, now: float) -> Iterator[KeyT]:
        """Takes out the keys whose deadline has come, the earliest first."""
        while (when := self.next()) is not None and when <= now:
            key = heappop(self._heap)[2]
            del self._when[key]
            yield key


class TokenBucket:
    """So much per second, saved up for at most a given amount: a leaky bucket without a timer.

    Instead of a level it keeps the moment at which everything spent so far is worked off.
    """

    __slots__ = ("_seconds_each", "_seconds_saved", "_worked_off_at")

    def __init__(self, per_second: float, at_once: float) -> None:
        """`per_second` 0 means without limit."""
        self._seconds_each = 1 / per_second if per_second else 0.0
        self._seconds_saved = at_once * self._seconds_each
        self._worked_off_at = 0.0

    @property
    def again_at(self) -> float:
        """When there is something left again."""
        return self._worked_off_at - self._seconds_saved

    def spend(self, amount: float, now: float) -> bool:
        """Spends `amount`, whether it is there or not, and says whether anything is left then."""
        start = now if self._worked_off_at < now else self._worked_off_at
        self._worked_off_at = start + amount * self._seconds_each
        return not self._seconds_each or self._worked_off_at - self._seconds_saved < now

    def take(self, amount: float, now: float) -> bool:
        """Spends `amount` if anything is left, and says whether there was.

        So a single large amount may overdraw it; what follows then waits for longer.
        """
        if self._seconds_each and self._worked_off_at - self._seconds_saved >= now:
            return False
        self.spend(amount, now)
        return True


class SlidingWindow:
    """Counts what happens within any stretch of so many seconds."""

    __slots__ = ("_most", "_seconds", "_times")

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: deque[float] = deque()

    def times(self, now: float) -> list[float]:
        """Return when everything happened that still counts."""
        self._forget_before(now - self._seconds)
        return list(self._times)

    def restart(self) -> None:
        """Forget what has been counted."""
        self._times.clear()

    def count(self, now: float) -> bool:
        """It has happened once more. Whether that was not too often."""
        self._forget_before(now - self._seconds)
        if len(self._times) >= self._most:
            return False
        self._times.append(now)
        return True

    def _forget_before(self, time: float) -> None:
        while self._times and self._times[0] <= time:
            self._times.popleft()
