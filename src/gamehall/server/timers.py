"""One timer for all deadlines of a hall."""

import asyncio
import logging
import typing
from collections.abc import Callable

from gamehall.rooms.deadlines import Deadlines

log = logging.getLogger(__name__)


class Sleeper(typing.Protocol):
    """Somebody who wants to be told when a deadline comes."""

    def tick(self, now: float) -> None:
        """The deadline has come."""


SetAlarm: typing.TypeAlias = Callable[[float, Callable[[], None]], asyncio.TimerHandle]
"""Has something called after so many seconds, as an event loop's call_later does."""


class Timers:
    """Keeps the deadlines of everybody and sets an alarm for the next one only."""

    def __init__(self, clock: Callable[[], float], call_later: SetAlarm) -> None:
        self.clock = clock
        """What time it is, on a clock that nobody sets (X-10)."""
        self._call_later = call_later
        self._deadlines: Deadlines[Sleeper] = Deadlines()
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at: float | None = None

    def set(self, sleeper: Sleeper, when: float | None) -> None:
        """Tell `sleeper` at `when`, instead of any earlier word on it; None: not at all."""
        self._deadlines.set(sleeper, when)
        if when is not None and (self._alarm_at is None or when < self._alarm_at):
            self._set_alarm(when)

    def ring(self) -> None:
        """Tells everybody whose deadline has come, and waits for the next.

        Whoever then wants to be told again at once is told by the next ring, so that the loop
        has a turn in between and nobody can keep it from all others.
        """
        self._alarm_at = None
        now = self.clock()
        for sleeper in list(self._deadlines.due(now)):
            try:
                sleeper.tick(now)
            except Exception:
                # A fault of ours, which must not keep the others from their deadlines.
                log.exception("a deadline could not be kept")
        following = self._deadlines.next()
        if following is not None and (self._alarm_at is None or following < self._alarm_at):
            self._set_alarm(following)

    def _set_alarm(self, when: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        # A loop's timer may be a little early; a millisecond more saves ringing twice.
        self._alarm = self._call_later(max(0.0, when - self.clock()) + 0.001, self.ring)
        self._alarm_at = when
