"""A disk that is slow, and a program's ledger on it: what is not safe yet, a crash loses."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from gamehall.match import Record
from gamehall.rooms.ledger import Epoch, Ledger
from tests.simulation.chronicle import Chronicle
from tests.simulation.clockwork import Clockwork, Weather

MOVES = ("Play", "Submit")

MOST_LOOKS = 150
"""At rooms in one run of the program, since to look at one takes a while."""


class Promise(NamedTuple):
    """An entry that will be acknowledged when everything up to its number is safe."""

    number: int
    room: str
    epoch: str
    place: int
    """Of the entry in the journal of that epoch, from 1 on."""
    entry: bytes


class Disk:
    """What is safe: it outlives every crash."""

    def __init__(self) -> None:
        self.lives: dict[str, tuple[str, Epoch, list[bytes]]] = {}
        """By the name of the epoch: of which room, and its journal."""
        self.records: list[tuple[str, Record]] = []
        self.moves: Counter[tuple[str, int]] = Counter()
        """How many requests to move were noted, by room and peer."""
        self._begun = 0

    def new_name(self) -> str:
        self._begun += 1
        return f"epoch-{self._begun}"

    def begin(self, room: str, epoch: Epoch) -> None:
        self.lives[epoch.name] = (room, epoch, [])

    def write(self, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> None:
        if epoch in self.lives:
            # In the database entries of an epoch that has ended would be nobody's.
            self.lives[epoch][2].append(entry)
        self.records += [(room, record) for record in records]
        match msgspec.json.decode(entry):
            case [_, int(peer), {"type": str(kind)}, *_] if kind in MOVES:
                self.moves[room, peer] += 1

    def has(self, promise: Promise) -> bool:
        """Whether an entry is where it should be."""
        _, _, entries = self.lives.get(promise.epoch, (None, None, []))
        return entries[promise.place - 1 : promise.place] == [promise.entry]

    def end(self, epoch: str) -> None:
        self.lives.pop(epoch, None)

    def last(self, room: str) -> tuple[Epoch, list[bytes]] | None:
        lives = [(epoch, entries) for where, epoch, entries in self.lives.values() if where == room]
        return (lives[-1][0], list(lives[-1][1])) if lives else None


class SlowLedger(Ledger):
    """The ledger of one run of the program: it writes in the background, in order, in groups."""

    def __init__(
        self,
        disk: Disk,
        clockwork: Clockwork,
        weather: Weather,
        random: Random,
        chronicle: Chronicle,
    ) -> None:
        self.tell_safe: Callable[[int], None] = lambda _: None
        self.look: Callable[[str], str | None] = lambda _: None
        """How a room looks now, for whoever wants to know whether it looks so again later."""
        self.heed: Callable[[str, bytes], None] = lambda _room, _entry: None
        """Hears of every entry that is made, and of which room."""
        self.at_a_result: Callable[[], None] | None = None
        """To be called when the next record has been given, before it is safe."""
        self.is_watched = False
        """Whether it is kept how rooms looked after each entry, since a crash is near."""
        self.given: Counter[str] = Counter()
        """How many entries there are of each epoch, safe or not."""
        self.looks: dict[tuple[str, int], str | None] = {}
        self._disk = disk
        self._clockwork = clockwork
        self._weather = weather
        self._random = random
        self._chronicle = chronicle
        self._promised: deque[Promise] = deque()
        """What was given, and not acknowledged yet."""
        self._ended: set[str] = set()
        self._waiting: deque[Callable[[], None]] = deque()
        self._numbers = 0
        self._written = 0
        self._is_busy = False
        self._is_dead = False
        self._told_at = 0.0

    def begin(self, room: str, secret: bytes, settings: bytes) -> str:
        epoch = Epoch(self._disk.new_name(), secret, settings)
        self._put(lambda: self._disk.begin(room, epoch))
        self._chronicle.note(room, f"begins {epoch.name}")
        return epoch.name

    def write(self, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> int | None:
        self.given[epoch] += 1
        if self.is_watched and len(self.looks) < MOST_LOOKS:
            self.looks[epoch, self.given[epoch]] = self.look(room)
        self._chronicle.note(room, f"{entry.decode()[:150]} {len(records) or ''}")
        self.heed(room, entry)
        number = self._put_together(room, epoch, entry, records)
        self._promised.append(Promise(number, room, epoch, self.given[epoch], entry))
        if records and self.at_a_result is not None:
            self._clockwork.soon(self.at_a_result)
            self.at_a_result = None
        return number

    def end(self, epoch: str) -> None:
        self._ended.add(epoch)
        self._put(lambda: self._disk.end(epoch))
        self._chronicle.note(epoch, "has ended")

    def last(self, room: str) -> tuple[Epoch, list[bytes]] | None:
        last = self._disk.last(room)
        if last is not None:
            self.given[last[0].name] = len(last[1])
        return last

    def crash(self) -> None:
        """Of what waits, the first of it may just have become safe; the rest never will."""
        self._is_dead = True
        self._write(self._random.randint(0, len(self._waiting)))
        self._chronicle.note("disk", f"loses {len(self._waiting)}")

    def close(self) -> None:
        """Everything becomes safe, in an orderly end."""
        self._write(len(self._waiting))
        self._is_dead = True

    @property
    def is_idle(self) -> bool:
        return not self._waiting and not self._is_busy

    def _put_together(self, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> int:
        return self._put(lambda: self._disk.write(room, epoch, entry, records))

    def _put(self, work: Callable[[], None]) -> int:
        self._waiting.append(work)
        self._numbers += 1
        if not self._is_busy:
            self._is_busy = True
            self._clockwork.after(self._weather.disk_delay(), self._commit)
        return self._numbers

    def _commit(self) -> None:
        if self._is_dead:
            return
        all_of_them = self._random.random() < 0.8
        waiting = len(self._waiting)
        self._write(waiting if all_of_them else self._random.randint(1, waiting))
        number = self._written
        self._told_at = max(self._told_at, self._clockwork.now + self._weather.disk_delay() / 4)
        self._clockwork.at(self._told_at, lambda: self._tell(number))
        self._is_busy = bool(self._waiting)
        if self._is_busy:
            self._clockwork.after(self._weather.disk_delay(), self._commit)

    def _write(self, count: int) -> None:
        for _ in range(count):
            self._waiting.popleft()()
            self._written += 1

    def _tell(self, number: int) -> None:
        if self._is_dead:
            return
        while self._promised and self._promised[0].number <= number:
            promise = self._promised.popleft()
            if promise.epoch not in self._ended and not self._disk.has(promise):
                self._chronicle.complain(
                    f"a journal line is lost: {promise.room} is told that its entry"
                    f" {promise.place} is safe, and it is not on the disk: {promise.entry.decode()}"
                )
        self.tell_safe(number)
