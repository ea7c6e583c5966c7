"""Time that passes from one thing to the next, and not in between."""

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random

from tests.simulation.chronicle import Chronicle


class Alarm:
    """Something that is to happen, unless it is cancelled."""

    __slots__ = ("_call", "is_cancelled")

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def ring(self) -> None:
        if not self.is_cancelled:
            self._call()


class Clockwork:
    """Keeps what is to happen in order, and jumps from one thing to the next."""

    def __init__(self, chronicle: Chronicle, start: float) -> None:
        self.now = chronicle.now = start
        self._chronicle = chronicle
        self._heap: list[tuple[float, int, Alarm]] = []
        self._order = 0
        self.steps = 0

    def at(self, when: float, call: Callable[[], None]) -> Alarm:
        """Has something happen then; what is to happen at the same time happens in this order."""
        alarm = Alarm(call)
        self._order += 1
        heappush(self._heap, (max(when, self.now), self._order, alarm))
        return alarm

    def after(self, seconds: float, call: Callable[[], None]) -> Alarm:
        return self.at(self.now + seconds, call)

    def soon(self, call: Callable[[], None]) -> Alarm:
        return self.at(self.now, call)

    def run(self, until: float) -> None:
        """Lets things happen until then. Raises Violation."""
        while self._heap and self._heap[0][0] <= until:
            when, _, alarm = heappop(self._heap)
            self.now = self._chronicle.now = when
            self.steps += 1
            alarm.ring()
            self._chronicle.check()
        self.now = self._chronicle.now = max(self.now, until)


class Weather:
    """How slow and how fickle network and disk are in this world."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._slowest = random.choice([0.002, 0.05, 0.3])
        self._smallest_piece = random.choice([1, 7, 200, 100_000])
        self._slowest_turn = random.choice([0.0, 0.0, 0.002])
        self.timers_come_first = random.random() < 0.5
        """Whether a loop that was stopped calls its timers before it reads its sockets."""
        self._disk = random.choice([0.001, 0.02, 0.2, 0.8])
        self.socket_bytes = random.choice([600, 5_000, 100_000])
        """What a socket takes in before its reader has read any of it."""

    def delay(self) -> float:
        """Of some bytes on their way."""
        return self._random.uniform(0.0001, self._slowest)

    def disk_delay(self) -> float:
        return self._random.uniform(0.0001, self._disk)

    def turn_delay(self) -> float:
        """How long the turn of the event loop lasts in which something was decided."""
        return self._random.uniform(0.0, self._slowest_turn)

    def alarm_delay(self) -> float:
        """A loop's timer may be a little early, and is mostly a little late."""
        return self._random.uniform(-0.0005, 0.004)

    def pieces(self, message: bytes) -> list[bytes]:
        """The message as the network cuts it: sometimes small, mostly whole."""
        if self._random.random() < 0.7 or len(message) > 4000:
            return [message]
        pieces = []
        while message:
            length = self._random.randint(1, max(self._smallest_piece, len(message) // 8))
            pieces.append(message[:length])
            message = message[length:]
        return pieces
