"""Simulated time: a scheduler that jumps from one event to the next."""

from random import Random

from tests.simulation.event_log import EventLog
from tests.support.event_loop import EventLoop, ScheduledCall


class Scheduler(EventLoop):
    """Gives the event log its times, and checks it after each call."""

    def __init__(self, event_log: EventLog, start: float) -> None:
        super().__init__(start)
        self._event_log = event_log
        self._event_log.now = start
        self.steps = 0

    def move_to(self, now: float) -> None:
        self.now = self._event_log.now = now

    def run_call(self, scheduled: ScheduledCall) -> None:
        """Run a call. Raises Violation."""
        self.steps += 1
        scheduled.run()
        self._event_log.check()


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
