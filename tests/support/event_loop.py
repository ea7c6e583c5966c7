"""A simulated event loop that jumps from one call to the next."""

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from typing import cast


class ScheduledCall:
    """A call that can be cancelled."""

    __slots__ = ("_call", "is_cancelled")

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def run(self) -> None:
        if not self.is_cancelled:
            self._call()


class EventLoop:
    """Runs calls in the order of their times."""

    def __init__(self, start: float) -> None:
        self.now = start
        """The time. Tests may set it later, so that calls are late."""
        self._heap: list[tuple[float, int, ScheduledCall]] = []
        self._order = 0

    def time(self) -> float:
        return self.now

    def at(self, when: float, call: Callable[[], None]) -> ScheduledCall:
        """Schedule a call; calls at the same time run in the order in which they were scheduled."""
        scheduled = ScheduledCall(call)
        self._order += 1
        heappush(self._heap, (max(when, self.now), self._order, scheduled))
        return scheduled

    def after(self, seconds: float, call: Callable[[], None]) -> ScheduledCall:
        return self.at(self.now + seconds, call)

    def soon(self, call: Callable[[], None]) -> ScheduledCall:
        return self.at(self.now, call)

    def call_later(self, seconds: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        """Schedule a call, with the signature of asyncio's event loop."""
        return cast("asyncio.TimerHandle", self.after(seconds, call))

    def run(self, until: float) -> None:
        """Run all calls up to this time."""
        while self._heap and self._heap[0][0] <= until:
            when, _, scheduled = heappop(self._heap)
            self.move_to(max(self.now, when))
            self.run_call(scheduled)
        self.move_to(max(self.now, until))

    def move_to(self, now: float) -> None:
        self.now = now

    def run_call(self, scheduled: ScheduledCall) -> None:
        scheduled.run()


def set_no_timer(_seconds: float, _call: Callable[[], None]) -> asyncio.TimerHandle:
    """Stand in for `call_later` where the test moves the clock."""
    return cast("asyncio.TimerHandle", None)
