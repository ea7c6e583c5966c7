"""The journal of the simulated hall: a model of what is durable, and stores that write to it.

`Disk` is the model: it survives every crash. `WatchedJournal` is what the hall is given. It passes
everything on to a store, notes what each commit contains, and moves the model on when a commit is
durable. A store decides when that is. Those in this module keep nothing themselves and read from
the model; those in database.py are the real ones, and must always have what the model has.
"""

import copy
import typing
from collections import Counter, deque
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import NamedTuple, TypeAlias

import msgspec

from gamehall.match import Record
from gamehall.rooms.journal import Journal, RoomKey, RoomSpec, StoredRoom
from tests.simulation.chronicle import Chronicle
from tests.simulation.clockwork import Clockwork, Weather

MOVES = ("Play", "Submit")

MOST_FINGERPRINTS = 150
"""How many are taken in one run of the hall, since each takes a while."""


class Begin(NamedTuple):
    """A room has a journal from now on."""

    key: RoomKey
    spec: RoomSpec


class Append(NamedTuple):
    """A room has one more entry."""

    key: RoomKey
    entry: bytes
    records: Sequence[Record]


class Close(NamedTuple):
    """A room's entries are not needed any more."""

    key: RoomKey


Change: TypeAlias = Begin | Append | Close
Batch: TypeAlias = list[Change]
"""What one commit stores."""


class Disk:
    """What is durable."""

    def __init__(self) -> None:
        self.rooms: dict[RoomKey, StoredRoom] = {}
        self.records: list[tuple[str, Record]] = []
        """With the name of the room or, for a table, of its lobby."""
        self.moves: Counter[tuple[str, int]] = Counter()
        """How many requests to move were stored in this run of the hall, by room and peer."""
        self._last_key = 0

    def new_key(self) -> RoomKey:
        self._last_key += 1
        return RoomKey(self._last_key)

    def apply(self, batch: Batch) -> None:
        """Store what one commit contains."""
        for change in batch:
            match change:
                case Begin(key, spec):
                    self.rooms[key] = StoredRoom(key, spec, [])
                case Append(key, entry, records):
                    self.append(key, entry, records)
                case Close(key):
                    del self.rooms[key]

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        room = self.rooms[key]
        room.entries.append(entry)
        self.records += [(room.spec.owner, record) for record in records]
        match msgspec.json.decode(entry):
            case [_, int(peer), {"type": str(kind)}, *_] if kind in MOVES:
                self.moves[room.spec.owner, peer] += 1

    def contents(self) -> "Contents":
        """Return all of it, so that it can be compared with what a database has."""
        rooms = {key: (room.spec, tuple(room.entries)) for key, room in self.rooms.items()}
        return Contents(rooms, tuple(record.seed for _, record in self.records))

    def copy(self) -> "Disk":
        """Return a disk of its own with the same contents."""
        other = Disk()
        other.rooms = copy.deepcopy(self.rooms)
        other.records = list(self.records)
        return other


class Contents(NamedTuple):
    """What a disk or a database has."""

    rooms: dict[RoomKey, tuple[RoomSpec, tuple[bytes, ...]]]
    seeds: tuple[int, ...]
    """Those of the matches of which there are records."""

    def difference(self, other: "Contents") -> str:
        """Say in what two contents differ."""
        if self.seeds != other.seeds:
            return f"{len(self.seeds)} records are not {len(other.seeds)}"
        for key in sorted({*self.rooms, *other.rooms}):
            mine, yours = self.rooms.get(key), other.rooms.get(key)
            if mine != yours:
                return f"room {key}: {mine!r} is not {yours!r}"
        return "they are the same"


class Store(Journal, typing.Protocol):
    """A journal that can crash."""

    def crash(self) -> None:
        """The process is gone."""

    def finish(self) -> int:
        """Store what is left: the hall has ended in an orderly way.

        Return how many batches could not be stored, since the disk is full.
        """

    def set_full(self, is_full: bool) -> None:
        """Have all commits fail from now on, or succeed again."""

    def contents(self) -> Contents | None:
        """Return what is stored, None if nothing is stored but in the model."""

    def written(self) -> int:
        """Return how many batches were written of which the hall was not told yet."""


class ModelStore:
    """Keeps nothing but what the model keeps. Subclasses decide how long a commit takes."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._waiting: deque[Callable[[], None]] = deque()
        """What is to be called when each batch is durable, the oldest first."""
        self._is_full = False
        self._is_dead = False

    def begin(self, spec: RoomSpec) -> RoomKey:
        return self._disk.new_key()

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        pass

    def close(self, key: RoomKey) -> None:
        pass

    def commit(self, durable: Callable[[], None]) -> None:
        self._waiting.append(durable)
        self._write()

    def restore(self) -> list[StoredRoom]:
        rooms = sorted(self._disk.rooms.items())
        return [StoredRoom(key, room.spec, list(room.entries)) for key, room in rooms]

    def read(self, key: RoomKey) -> StoredRoom | None:
        return None

    def crash(self) -> None:
        self._is_dead = True

    def finish(self) -> int:
        self._is_dead = True
        return len(self._waiting) if self._is_full else 0

    def set_full(self, is_full: bool) -> None:
        self._is_full = is_full
        self._write()

    def contents(self) -> Contents | None:
        return None

    def written(self) -> int:
        return 0

    def _write(self) -> None:
        """Write the batches that wait."""
        while self._waiting and not self._is_full and not self._is_dead:
            self._waiting.popleft()()


class SlowStore(ModelStore):
    """Writes in the background, several batches at a time, and tells the hall a little later."""

    def __init__(
        self,
        disk: Disk,
        clockwork: Clockwork,
        weather: Weather,
        random: Random,
        call_in_hall: Callable[[Callable[[], None]], None],
    ) -> None:
        """`call_in_hall` calls something as soon as the process can handle it."""
        super().__init__(disk)
        self._clockwork = clockwork
        self._weather = weather
        self._random = random
        self._call_in_hall = call_in_hall
        self._written: deque[Callable[[], None]] = deque()
        self._is_busy = False
        self._told_at = 0.0

    def crash(self) -> None:
        # Of the batches that wait, the first ones may just have been written.
        for _ in range(self._random.randint(0, len(self._waiting))):
            self._written.append(self._waiting.popleft())
        super().crash()

    def written(self) -> int:
        return len(self._written)

    def _write(self) -> None:
        if self._waiting and not self._is_busy and not self._is_full and not self._is_dead:
            self._is_busy = True
            self._clockwork.after(self._weather.disk_delay(), self._end_write)

    def _end_write(self) -> None:
        self._is_busy = False
        if self._is_full or self._is_dead:
            return
        waiting = len(self._waiting)
        is_all = self._random.random() < 0.8
        for _ in range(waiting if is_all else self._random.randint(1, waiting)):
            self._written.append(self._waiting.popleft())
            self._told_at = max(self._told_at, self._clockwork.now + self._weather.disk_delay() / 4)
            self._clockwork.at(self._told_at, lambda: self._call_in_hall(self._tell))
        self._write()

    def _tell(self) -> None:
        if not self._is_dead:
            self._written.popleft()()


class WatchedJournal:
    """The journal of one run of the hall, which notes and checks what it passes on."""

    def __init__(
        self, disk: Disk, store: Store, clockwork: Clockwork, chronicle: Chronicle
    ) -> None:
        self.restored: Callable[[StoredRoom], None] = lambda _: None
        """Called with each room that is restored."""
        self.appended: Callable[[str, bytes], None] = lambda _room, _entry: None
        """Called with every new entry, save those of a compaction, and the name of its room."""
        self.begun: Callable[[str], None] = lambda _: None
        """Called with the name of each room that is begun, save by a compaction."""
        self.committed: Callable[[float], None] = lambda _: None
        """Called with how many seconds of the hall's clock a commit took, or has taken so far."""
        self.take_fingerprint: Callable[[str], str | None] = lambda _: None
        self.hall_time: Callable[[], float] = lambda: 0.0
        self.at_next_record: Callable[[], None] | None = None
        """Called once, when a record was appended that is not durable yet."""
        self.at_next_commit: Callable[[], None] | None = None
        """Called instead of telling the hall that what it has committed is durable."""
        self.is_compacting = False
        self.is_watched = False
        """Whether it is noted how rooms look after each entry, since a crash is near."""
        self.given: Counter[RoomKey] = Counter()
        """How many entries of each room there are, durable or not."""
        self.fingerprints: dict[tuple[RoomKey, int], str | None] = {}
        self.busy_until = 0.0
        """When the last commit was durable that took a while."""
        self.base = disk.copy()
        """What was durable when this run began."""
        self.batches: list[Batch] = []
        """What this run has made durable."""
        self._disk = disk
        self._store = store
        self._clockwork = clockwork
        self._chronicle = chronicle
        self._names: dict[RoomKey, str] = {}
        self._batch: Batch = []
        self._in_flight: deque[Batch] = deque()
        self._hall_times: deque[float] = deque()
        """When each of these began, by the hall's clock."""
        self._is_full = False
        self._is_dead = False
        disk.moves.clear()

    # What the hall asks

    def begin(self, spec: RoomSpec) -> RoomKey:
        key = self._store.begin(spec)
        self._batch.append(Begin(key, spec))
        self._names[key] = spec.room
        self.given[key] = 0
        self._chronicle.note(spec.room, f"journal {key} begins, {spec.drawn} drawn")
        if not self.is_compacting:
            self.begun(spec.room)
        return key

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        name = self._names[key]
        self._store.append(key, entry, records)
        self._batch.append(Append(key, entry, records))
        self.given[key] += 1
        if self.is_watched and len(self.fingerprints) < MOST_FINGERPRINTS:
            self.fingerprints[key, self.given[key]] = self.take_fingerprint(name)
        self._chronicle.note(name, f"{entry.decode()[:150]} {len(records) or ''}")
        if not self.is_compacting:
            self.appended(name, entry)
        if records and self.at_next_record is not None:
            self._clockwork.soon(self.at_next_record)
            self.at_next_record = None

    def close(self, key: RoomKey) -> None:
        self._store.close(key)
        self._batch.append(Close(key))
        self._chronicle.note(self._names[key], f"journal {key} is closed")

    def commit(self, durable: Callable[[], None]) -> None:
        batch, self._batch = self._batch, []
        self._in_flight.append(batch)
        began, hall_began = self._clockwork.now, self.hall_time()
        self._hall_times.append(hall_began)
        self._store.commit(partial(self._note_durable, durable, began, hall_began))

    def restore(self) -> list[StoredRoom]:
        found = self._store.restore()
        expected = self._disk.contents().rooms
        if {room.key: (room.spec, tuple(room.entries)) for room in found} != expected:
            self._chronicle.complain("a journal line is lost: the hall restores something else")
        for room in found:
            self._names[room.key] = room.spec.room
            self.given[room.key] = len(room.entries)
            self.restored(room)
        return found

    def read(self, key: RoomKey) -> StoredRoom | None:
        model = self._disk.copy()
        for batch in (*self._in_flight, self._batch):
            model.apply(batch)
        found = self._store.read(key)
        if found is not None and found != model.rooms.get(key):
            self._chronicle.complain("a journal line is lost: a room is rebuilt without it")
        return model.rooms.get(key)

    # What the world does

    def set_full(self, is_full: bool) -> None:
        """The disk is full, or is not any more."""
        self._chronicle.note("disk", "is full" if is_full else "has room again")
        self._is_full = is_full
        self._store.set_full(is_full)

    def crash(self) -> None:
        """The process is gone; what was not written is lost."""
        self._is_dead = True
        self._store.crash()
        for _ in range(self._store.written()):
            self._apply(self._in_flight.popleft())
        self._check_contents()
        self._chronicle.note("disk", f"loses {len(self._in_flight)} batches")

    def finish(self) -> None:
        """The hall has ended in an orderly way."""
        self._is_dead = True
        unwritten = self._store.finish()
        if unwritten and not self._is_full:
            self._chronicle.complain(f"{unwritten} batches are lost in an orderly end")
        if any(self._batch):
            self._in_flight.append(self._batch)
        while len(self._in_flight) > unwritten:
            self._apply(self._in_flight.popleft())
        self._check_contents()

    @property
    def is_idle(self) -> bool:
        """Return True if no commit is under way."""
        return not self._in_flight

    def check_commits(self) -> None:
        """Report how long the oldest commit has taken so far."""
        if self._hall_times:
            self.committed(self.hall_time() - self._hall_times[0])

    def _note_durable(self, durable: Callable[[], None], began: float, hall_began: float) -> None:
        if self._is_dead:
            return
        self._apply(self._in_flight.popleft())
        self._hall_times.popleft()
        if self._clockwork.now > began:
            self.busy_until = self._clockwork.now
            self.committed(self.hall_time() - hall_began)
        if self.at_next_commit is not None and self.batches[-1]:
            self._is_dead = True
            self.at_next_commit()
        else:
            durable()

    def _apply(self, batch: Batch) -> None:
        self._disk.apply(batch)
        self.batches.append(batch)

    def _check_contents(self) -> None:
        """Complain if a database does not have what the model has."""
        found = self._store.contents()
        if found is not None and found != self._disk.contents():
            self._chronicle.complain(
                "a journal line is lost: the database does not have what was committed:"
                f" {self._disk.contents().difference(found)}"
            )
