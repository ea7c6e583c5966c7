"""Clocks: time limits are the players', whatever happens to the hall, its process or its disk."""

from collections.abc import Callable

import msgspec

from gamehall.server.hall_clock import HallClock
from tests.simulation.chronicle import Chronicle
from tests.simulation.clockwork import Clockwork

SMALLEST_DIFFERENCE = 1e-6
"""In seconds; less is how numbers are rounded."""

LONGEST_COMMIT = 0.08
"""How long a clock may run during a commit: until it is overdue, and the timer comes."""

SECONDS_TO_RECOVER = 0.5
"""How long a clock may stand after a stall."""


class RoomClock:
    """What the clock of one room must show in one run of the hall.

    It stands while the room waits for those who were there before a restart, and runs from then on.
    """

    def __init__(
        self, room: str, stood_at: float, opened_at: float, is_waiting: Callable[[], bool]
    ) -> None:
        """`stood_at`: the time of its last entry before the restart, by this clock.

        `is_waiting` tells whether the room waits for anybody.
        """
        self._room = room
        self._stood_at = stood_at
        self._runs_since = opened_at
        self._is_waiting = is_waiting
        self._stands = True

    def update(self, now: float) -> None:
        """Call this when the room is opened, and whenever a player may have come back."""
        if self._stands:
            # The last one to come back, or to be given up, finds the clock still standing.
            self._runs_since = now
            self._stands = self._is_waiting()

    def check(self, entry: bytes, now: float, chronicle: Chronicle) -> None:
        """Complain if a new entry has a time that the clock cannot show now."""
        shows: float = msgspec.json.decode(entry)[0]
        self.update(now)
        ran = shows - self._stood_at
        should = now - self._runs_since
        if ran - should > SMALLEST_DIFFERENCE:
            chronicle.complain(
                f"a clock runs while players are away: that of {self._room} has gone on by"
                f" {ran:.3f} seconds since the hall was opened again, and everybody has been"
                f" there for {should:.3f} of them"
            )
        elif should - ran > SMALLEST_DIFFERENCE:
            chronicle.complain(
                f"a clock stands though nobody is away: that of {self._room} has gone on by"
                f" {ran:.3f} seconds in {should:.3f}"
            )


class HallClockCheck:
    """Checks the clock of the hall: it runs with real time, except while the hall cannot listen."""

    def __init__(self, clock: HallClock, clockwork: Clockwork, chronicle: Chronicle) -> None:
        self._clock = clock
        self._clockwork = clockwork
        self._chronicle = chronicle
        self._beat_at = self._stall_ended_at = clockwork.now
        self._showed = self._showed_at_stall = self.shows
        self.is_closing = False
        """Whether the hall is closing: then slow commits do not stop the clock."""

    @property
    def shows(self) -> float:
        """The time by the hall's clock; unlike a reading of it, this does not count as one."""
        return self._clock._now

    def begin_stall(self) -> None:
        """The process stops."""
        self._stall_ended_at = float("inf")
        self._showed_at_stall = self.shows

    def end_stall(self, seconds: float) -> None:
        """The process goes on, and has handled all that arrived meanwhile."""
        ran = self.shows - self._showed_at_stall
        self._stall_ended_at = self._clockwork.now
        if ran > SMALLEST_DIFFERENCE:
            self._chronicle.complain(
                f"a stall is not subtracted: the clock has gone on by {ran:.3f} seconds while the"
                f" process did nothing for {seconds:.3f}"
            )

    def check_beat(self, busy_until: float) -> None:
        """The clock has just been read. `busy_until`: when a commit was under way last."""
        now, shows = self._clockwork.now, self.shows
        passed, ran = now - self._beat_at, shows - self._showed
        is_calm = max(self._stall_ended_at + SECONDS_TO_RECOVER, busy_until) < self._beat_at
        if ran > passed + SMALLEST_DIFFERENCE:
            self._chronicle.complain(f"the hall's clock is fast: {ran:.3f} s in {passed:.3f}")
        elif is_calm and ran < passed - SMALLEST_DIFFERENCE:
            self._chronicle.complain(f"the hall's clock stands: {ran:.3f} s in {passed:.3f}")
        self._beat_at, self._showed = now, shows

    def check_commit(self, seconds: float) -> None:
        """A commit is durable. `seconds`: how long it took by the hall's clock."""
        if seconds > LONGEST_COMMIT and not self.is_closing:
            self._chronicle.complain(
                f"a clock runs while the disk is slow: by {seconds:.3f} seconds in one commit"
            )
