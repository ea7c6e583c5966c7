"""The one source of time of a running hall.

Time limits are promises to players, so they are measured in time during which the hall could have
listened to them. What the process loses by itself (it was stopped by a signal, it waits for the
disk, the machine swaps) is not a player's: `HallClock` leaves it out, and rooms, timers and
journals never learn of it.
"""

import asyncio
import logging
from collections.abc import Callable, Hashable

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 0.1
"""How often the clock is read when nothing else happens."""

LONGEST_GAP_SECONDS = 0.25
"""More between two readings is a stall: the heartbeat should have come twice by then."""

SMALL_STALL_SECONDS = 0.5
"""Shorter stalls are logged at debug level only: a busy machine has some."""

SECONDS_BETWEEN_WARNINGS = 5.0

BEATS_TO_CATCH_UP = 2
"""How many beats end the stop that follows a stall.

The first may come in the same turn of the event loop as the reading that noticed the stall; before
the second the loop has read its sockets.
"""


class HallClock:
    """A clock that shows players' time: it stands while the hall cannot listen to them.

    It never goes back. `beat` is to be called every `HEARTBEAT_SECONDS`; a much larger gap between
    two readings is a stall of the process, and is left out. Before the first beat no gap is a
    stall, so a hall may take its time to open.

    After a stall the clock stands for another tenth of a second, while the event loop reads what
    arrived meanwhile. So a client that answered in time is in time, even if its deadline was a
    millisecond away when the process stalled. A deadline that had passed before stays passed.
    """

    __slots__ = (
        "_beats_to_catch_up",
        "_ignores_stops",
        "_is_beating",
        "_is_running",
        "_monotonic",
        "_now",
        "_read_at",
        "_stopped_by",
        "_unlogged",
        "_warned_at",
    )

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """`monotonic` returns seconds and never goes back: `time.monotonic`, but for tests."""
        self._monotonic = monotonic
        self._now = self._read_at = monotonic()
        self._is_running = True
        """Whether time passes: nobody has stopped the clock, and there is no stall to catch up."""
        self._stopped_by: set[Hashable] = set()
        self._ignores_stops = False
        self._is_beating = False
        self._beats_to_catch_up = 0
        self._unlogged: list[float] = []
        """The stalls that are to be logged, in seconds."""
        self._warned_at = float("-inf")

    def now(self) -> float:
        """Return players' time in seconds."""
        # Every message on its way through the hall reads the clock: this must be cheap.
        read_at = self._monotonic()
        passed = read_at - self._read_at
        self._read_at = read_at
        if passed > LONGEST_GAP_SECONDS and self._is_beating:
            self._note_stall(passed)
        if self._is_running:
            self._now += passed
        return self._now

    __call__ = now

    @property
    def is_running(self) -> bool:
        """Return True if time passes."""
        return self._is_running

    def stop(self, owner: Hashable) -> None:
        """Stop the clock until `owner` resumes it; others may stop it, too, and resume it later.

        To stop it again is allowed, and changes nothing.
        """
        if not self._ignores_stops:
            self.now()
            self._stopped_by.add(owner)
            self._note_whether_running()

    def resume(self, owner: Hashable) -> None:
        """Take back the stop of `owner`, if there is one."""
        self.now()
        self._stopped_by.discard(owner)
        self._note_whether_running()

    def ignore_stops(self) -> None:
        """Take back all stops, and ignore further ones.

        For a hall that closes: its rooms are not told of time any more, but connections whose
        clients do not hang up are given up after a while, and that time must pass.
        """
        self.now()
        self._ignores_stops = True
        self._stopped_by.clear()
        self._note_whether_running()

    def beat(self) -> None:
        """Read the clock, set it going again after a stall, and log stalls."""
        self.now()
        self._is_beating = True
        if self._beats_to_catch_up:
            self._beats_to_catch_up -= 1
            self._note_whether_running()
        if self._read_at >= self._warned_at + SECONDS_BETWEEN_WARNINGS:
            self.log_stalls()

    def log_stalls(self) -> None:
        """Log in one line the stalls that were not logged yet, if there are any."""
        if not self._unlogged:
            return
        times = "" if len(self._unlogged) == 1 else f" {len(self._unlogged)} times, in all"
        log.warning(
            "the process stalled%s for %.1f s; the players' clocks were stopped",
            times,
            sum(self._unlogged),
        )
        self._unlogged.clear()
        self._warned_at = self._read_at

    def _note_stall(self, seconds: float) -> None:
        self._beats_to_catch_up = BEATS_TO_CATCH_UP
        self._note_whether_running()
        if seconds < SMALL_STALL_SECONDS:
            log.debug("the process stalled for %.2f s", seconds)
        else:
            self._unlogged.append(seconds)

    def _note_whether_running(self) -> None:
        self._is_running = not self._stopped_by and not self._beats_to_catch_up


async def keep_beating(clock: HallClock) -> None:
    """Beat on the running event loop until cancelled."""
    try:
        while True:
            clock.beat()
            await asyncio.sleep(HEARTBEAT_SECONDS)
    finally:
        clock.log_stalls()
