"""One timer of the event loop for all deadlines of the server."""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol, TypeAlias

from gamehall.rooms.timing import Deadlines

log = logging.getLogger(__name__)


class Timed(Protocol):
    """An object with a deadline."""

    def tick(self, now: float) -> None:
        """Act on the deadline, which has passed."""


CallLater: TypeAlias = Callable[[float, Callable[[], None]], asyncio.TimerHandle]
"""The `call_later` of an event loop."""

SHORTEST_WAIT = 0.001
"""Added to each wait, in seconds: the event loop's timers may fire slightly early."""

MOST_DOUBLINGS = 6
"""An alarm that comes early again and again is set at least 64 ms later each time."""


class Timers:
    """Calls `tick` at deadlines. The event loop is only asked to wake it for the earliest.

    The clock differs from the event loop's time: it skips stalls, and may be stopped. Then the
    alarm comes early and is set again, some ten times a second while the clock is stopped.
    """

    def __init__(self, clock: Callable[[], float], call_later: CallLater) -> None:
        self.clock = clock
        """A monotonic clock: changes of the system time must not move deadlines (X-10)."""
        self._call_later = call_later
        self._deadlines: Deadlines[Timed] = Deadlines()
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at: float | None = None
        self._times_early = 0
        """How many times in a row the alarm has come early."""

    def set(self, timed: Timed, when: float | None) -> None:
        """Set the one deadline of an object; None removes it."""
        self._deadlines.set(timed, when)
        if when is not None and (self._alarm_at is None or when < self._alarm_at):
            self._set_alarm(when)

    def next_deadline(self) -> float | None:
        """Return the earliest deadline, None if there is none."""
        return self._deadlines.next()

    def run_due(self) -> None:
        """Tick every object whose deadline has passed, and set the alarm for the next deadline.

        An object that sets another deadline in the past is ticked in the next turn of the event
        loop, so that it cannot block all others.
        """
        now = self.clock()
        is_early = self._alarm_at is not None and now < self._alarm_at
        self._times_early = self._times_early + 1 if is_early else 0
        self._alarm_at = None
        for timed in list(self._deadlines.due(now)):
            try:
                timed.tick(now)
            except MemoryError:
                raise  # Not an error of this object: it ends the process.
            except Exception:
                # An error in one object must not affect the deadlines of others.
                log.exception("an error at a deadline")
        following = self.next_deadline()
        if following is not None and (self._alarm_at is None or following < self._alarm_at):
            self._set_alarm(following)

    def _set_alarm(self, when: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        wait = SHORTEST_WAIT * 2 ** min(self._times_early, MOST_DOUBLINGS)
        self._alarm = self._call_later(max(0.0, when - self.clock()) + wait, self.run_due)
        self._alarm_at = when
