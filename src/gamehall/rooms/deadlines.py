"""Many deadlines, of which only the next matters."""

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
