"""Deadlines and rate limits. The current time is always an argument."""

from collections import deque
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT")


def earliest(*deadlines: float | None) -> float | None:
    """Return the first of these deadlines, or None if all are None."""
    return min((when for when in deadlines if when is not None), default=None)


class Deadlines(Generic[KeyT]):
    """A heap of deadlines, at most one for each key.

    A deadline that was changed or removed stays in the heap until it is due, or until the heap
    consists mostly of such leftovers.
    """

    __slots__ = ("_heap", "_pushed", "_when")

    def __init__(self) -> None:
        self._when: dict[KeyT, float] = {}
        self._heap: list[tuple[float, int, KeyT]] = []
        self._pushed = 0

    def set(self, key: KeyT, when: float | None) -> None:
        """Replace the deadline of `key`; None removes it."""
        if when is None:
            self._when.pop(key, None)
        elif self._when.get(key) != when:
            self._when[key] = when
            # With the running number, two equal deadlines do not compare their keys.
            self._pushed += 1
            heappush(self._heap, (when, self._pushed, key))
        if len(self._heap) > 2 * len(self._when) + 64:
            self._heap = [
                (due, order, live) for order, (live, due) in enumerate(self._when.items())
            ]
            heapify(self._heap)

    def next(self) -> float | None:
        """Return the earliest deadline, or None if there is none."""
        heap = self._heap
        while heap:
            when, _, key = heap[0]
            if self._when.get(key) == when:
                return when
            heappop(heap)
        return None

    def due(self, now: float) -> Iterator[KeyT]:
        """Remove the keys whose deadline has passed, and yield them, the earliest first."""
        while (when := self.next()) is not None and when <= now:
            key = heappop(self._heap)[2]
            del self._when[key]
            yield key


class TokenBucket:
    """A rate limit that allows bursts.

    It stores no level of tokens and needs no timer: it stores when the bucket will be full again.
    """

    __slots__ = ("_burst_seconds", "_full_at", "_seconds_each")

    def __init__(self, per_second: float, at_once: float) -> None:
        """Allow `per_second` on average (0: no limit), and a burst of `at_once`."""
        self._seconds_each = 1 / per_second if per_second else 0.0
        self._burst_seconds = at_once * self._seconds_each
        self._full_at = 0.0

    @property
    def again_at(self) -> float:
        """The time at which a token will be available."""
        return self._full_at - self._burst_seconds

    def spend(self, amount: float, now: float) -> bool:
        """Spend `amount` even if it is not available. Return True if anything is left then."""
        start = now if self._full_at < now else self._full_at
        self._full_at = start + amount * self._seconds_each
        return not self._seconds_each or self._full_at - self._burst_seconds < now

    def take(self, amount: float, now: float) -> bool:
        """Spend `amount` if anything is left. Return False if nothing was.

        A single large amount may overdraw the bucket; later calls then wait for longer.
        """
        if self._seconds_each and self._full_at - self._burst_seconds >= now:
            return False
        self.spend(amount, now)
        return True


class SlidingWindow:
    """A limit on the number of events in any stretch of some seconds."""

    __slots__ = ("_limit", "_seconds", "_times")

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._times: deque[float] = deque()

    def times(self, now: float) -> list[float]:
        """Return the times of the events that still count."""
        # Forget nothing: a room whose journal was compacted must stay as one that is replayed.
        return [time for time in self._times if time > now - self._seconds]

    def restart(self) -> None:
        """Forget all events."""
        self._times.clear()

    def take(self, now: float) -> bool:
        """Count an event if the limit allows it. Return False if it does not."""
        self._forget_before(now - self._seconds)
        if len(self._times) >= self._limit:
            return False
        self._times.append(now)
        return True

    def _forget_before(self, time: float) -> None:
        while self._times and self._times[0] <= time:
            self._times.popleft()
