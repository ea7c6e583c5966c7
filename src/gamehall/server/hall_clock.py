"""The server's only source of time: a clock that does not count stalls of the process.

Players' time limits count only time in which the server was able to read their messages. When the
process stalls (stopped by a signal, waiting for the disk, swapping), `HallClock` skips that time.
Rooms, timers and journals do not notice it.
"""

import asyncio
import logging
from collections.abc import Callable, Hashable

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 0.1
"""How often the clock is read when nothing else happens."""

LONGEST_GAP_SECONDS = 0.25
"""A longer gap between two readings is a stall: two heartbeats are missing."""

SMALL_STALL_SECONDS = 0.5
"""Shorter stalls are logged at debug level: they are common on a busy machine."""

SECONDS_BETWEEN_WARNINGS = 5.0

BEATS_TO_CATCH_UP = 2
"""How many heartbeats after a stall the clock starts again.

The first may come in the same turn of the event loop in which the stall was noticed. Before the
second, the loop has read its sockets.
"""


class HallClock:
    """A monotonic clock that skips stalls of the process, and can be stopped.

    Call `beat` every `HEARTBEAT_SECONDS`. A much larger gap between two readings is a stall, and is
    skipped. Before the first beat no gap counts as a stall, so opening the server may take long.

    After a stall the clock stands for another tenth of a second, while the event loop reads what
    has arrived. So an answer that was sent in time is in time, even if its deadline was a
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
        """Start at the time of `monotonic`, which is `time.monotonic` except in tests."""
        self._monotonic = monotonic
        self._now = self._read_at = monotonic()
        self._is_running = True
        self._stopped_by: set[Hashable] = set()
        self._ignores_stops = False
        self._is_beating = False
        self._beats_to_catch_up = 0
        self._unlogged: list[float] = []
        """The durations of the stalls that are not logged yet, in seconds."""
        self._warned_at = float("-inf")

    def now(self) -> float:
        """Return the time in seconds."""
        # Called for every message, so this must be cheap.
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
        """Return False while the clock is stopped, or catches up after a stall."""
        return self._is_running

    def stop(self, owner: Hashable) -> None:
        """Stop the clock until every owner that has stopped it has resumed it.

        A second stop by the same owner has no effect.
        """
        if not self._ignores_stops:
            self.now()
            self._stopped_by.add(owner)
            self._update_is_running()

    def resume(self, owner: Hashable) -> None:
        """Undo the stop of `owner`, if there is one."""
        self.now()
        self._stopped_by.discard(owner)
        self._update_is_running()

    def ignore_stops(self) -> None:
        """Undo all stops, and ignore further ones.

        For closing the server: rooms have no deadlines any more, but time must pass for connections
        whose clients do not close their end, so that they are aborted in the end.
        """
        self.now()
        self._ignores_stops = True
        self._stopped_by.clear()
        self._update_is_running()

    def beat(self) -> None:
        """Read the clock, start it again after a stall, and log stalls."""
        self.now()
        self._is_beating = True
        if self._beats_to_catch_up:
            self._beats_to_catch_up -= 1
            self._update_is_running()
        if self._read_at >= self._warned_at + SECONDS_BETWEEN_WARNINGS:
            self.log_stalls()

    def log_stalls(self) -> None:
        """Log the stalls that are not logged yet, in one line."""
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
        self._update_is_running()
        if seconds < SMALL_STALL_SECONDS:
            log.debug("the process stalled for %.2f s", seconds)
        else:
            self._unlogged.append(seconds)

    def _update_is_running(self) -> None:
        self._is_running = not self._stopped_by and not self._beats_to_catch_up


async def keep_beating(clock: HallClock) -> None:
    """Beat on the running event loop until cancelled."""
    try:
        while True:
            clock.beat()
            await asyncio.sleep(HEARTBEAT_SECONDS)
    finally:
        clock.log_stalls()
