"""One timer for all deadlines of a hall."""

import asyncio
import logging
import typing
from collections.abc import Callable

from gamehall.rooms.timing import Deadlines

log = logging.getLogger(__name__)


class Sleeper(typing.Protocol):
    """Somebody who wants to be told when a deadline comes."""

    def tick(self, now: float) -> None:
        """The deadline has come."""


SetAlarm: typing.TypeAlias = Callable[[float, Callable[[], None]], asyncio.TimerHandle]
"""Has something called after so many seconds, as an event loop's call_later does."""

SHORTEST_WAIT = 0.001
"""In seconds. A loop's timer may be a little early; a millisecond more saves ringing twice."""

MOST_DOUBLINGS = 6
"""So an alarm that comes too early again and again is set for 64 ms later at least."""


class Timers:
    """Keeps the deadlines of everybody and sets an alarm for the next one only.

    The event loop's time and the clock's are not the same: the clock leaves stalls out, and may
    stand. Then the alarm comes early and is set again, at most some ten times a second while the
    clock stands.
    """

    def __init__(self, clock: Callable[[], float], call_later: SetAlarm) -> None:
        self.clock = clock
        """What time it is, on a clock that nobody sets (X-10)."""
        self._call_later = call_later
        self._deadlines: Deadlines[Sleeper] = Deadlines()
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at: float | None = None
        self._times_early = 0
        """How often in a row the alarm came before its time by the clock."""

    def set(self, sleeper: Sleeper, when: float | None) -> None:
        """Tell `sleeper` at `when`, instead of any earlier word on it; None: not at all."""
        self._deadlines.set(sleeper, when)
        if when is not None and (self._alarm_at is None or when < self._alarm_at):
            self._set_alarm(when)

    def next_deadline(self) -> float | None:
        """Return the earliest deadline, by the clock; None if there is none."""
        return self._deadlines.next()

    def ring(self) -> None:
        """Tells everybody whose deadline has come, and waits for the next.

        Whoever then wants to be told again at once is told by the next ring, so that the loop
        has a turn in between and nobody can keep it from all others.
        """
        now = self.clock()
        is_early = self._alarm_at is not None and now < self._alarm_at
        self._times_early = self._times_early + 1 if is_early else 0
        self._alarm_at = None
        for sleeper in list(self._deadlines.due(now)):
            try:
                sleeper.tick(now)
            except MemoryError:
                raise  # That is no error of this one: it ends the process.
            except Exception:
                # A fault of ours, which must not keep the others from their deadlines.
                log.exception("a deadline could not be kept")
        following = self._deadlines.next()
        if following is not None and (self._alarm_at is None or following < self._alarm_at):
            self._set_alarm(following)

    def _set_alarm(self, when: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        wait = SHORTEST_WAIT * 2 ** min(self._times_early, MOST_DOUBLINGS)
        self._alarm = self._call_later(max(0.0, when - self.clock()) + wait, self.ring)
        self._alarm_at = when
