"""Simulated time: a scheduler that jumps from one event to the next."""

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random

from tests.simulation.event_log import EventLog


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


class Scheduler:
    """Runs calls in the order of their times."""

    def __init__(self, event_log: EventLog, start: float) -> None:
        self.now = event_log.now = start
        self._event_log = event_log
        self._heap: list[tuple[float, int, ScheduledCall]] = []
        self._order = 0
        self.steps = 0

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

    def run(self, until: float) -> None:
        """Run all calls up to this time. Raises Violation."""
        while self._heap and self._heap[0][0] <= until:
            when, _, scheduled = heappop(self._heap)
            self.now = self._event_log.now = when
            self.steps += 1
            scheduled.run()
            self._event_log.check()
        self.now = self._event_log.now = max(self.now, until)


class Conditions:
    """The delays of the network, the disk and the event loop in this world."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._slowest = random.choice([0.002, 0.05, 0.3])
        self._smallest_piece = random.choice([1, 7, 200, 100_000])
        self._slowest_turn = random.choice([0.0, 0.0, 0.002])
        self.timers_come_first = random.random() < 0.5
        """Whether the event loop calls its timers before it reads sockets after a stall."""
        self._disk = random.choice([0.001, 0.02, 0.2, 0.8])
        self.socket_bytes = random.choice([600, 5_000, 100_000])
        """The bytes that fit into a socket before they are read."""

    def delay(self) -> float:
        """Return a delay of the network."""
        return self._random.uniform(0.0001, self._slowest)

    def disk_delay(self) -> float:
        return self._random.uniform(0.0001, self._disk)

    def turn_delay(self) -> float:
        """Return the duration of a turn of the event loop."""
        return self._random.uniform(0.0, self._slowest_turn)

    def timer_delay(self) -> float:
        """Return how late a timer of the event loop is; it may also be a little early."""
        return self._random.uniform(-0.0005, 0.004)

    def pieces(self, message: bytes) -> list[bytes]:
        """Return the pieces into which the network cuts a message: mostly one."""
        if self._random.random() < 0.7 or len(message) > 4000:
            return [message]
        pieces = []
        while message:
            length = self._random.randint(1, max(self._smallest_piece, len(message) // 8))
            pieces.append(message[:length])
            message = message[length:]
        return pieces
