"""The simulated journal: a model of what is durable, and stores that write to it.

`Disk` is the model, which survives every crash. The server uses a `WatchedJournal`. It passes
everything on to a store, notes what each commit contains, and updates the model when the store says
that a commit is durable. The stores in this module keep nothing themselves and read from the model;
those in database.py are the real ones, and must always have the contents of the model.
"""

import copy
from collections import Counter, deque
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from gamehall.match import Record
from gamehall.rooms.journal import Journal, RoomKey, RoomSpec, StoredRoom
from tests.simulation.event_log import EventLog
from tests.simulation.scheduler import Conditions, Scheduler
from tests.support.journal_changes import Append, Begin, Change, Close

MOVES = ("Play", "Submit")

MAX_FINGERPRINTS = 150
"""Per run of the server, because they are slow."""


Batch: TypeAlias = list[Change]
"""The changes of one commit."""


class Disk:
    """What is durable."""

    def __init__(self) -> None:
        self.rooms: dict[RoomKey, StoredRoom] = {}
        self.records: list[tuple[str, Record]] = []
        """Each with the name of its room or, for a table, of its lobby."""
        self.moves: Counter[tuple[str, int]] = Counter()
        """The number of stored moves in this run of the server, by room and peer."""
        self._last_key = 0

    def new_key(self) -> RoomKey:
        self._last_key += 1
        return RoomKey(self._last_key)

    def apply(self, batch: Batch) -> None:
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
        """Return the contents, for comparison with a database."""
        rooms = {key: (room.spec, tuple(room.entries)) for key, room in self.rooms.items()}
        return Contents(rooms, tuple(record.seed for _, record in self.records))

    def copy(self) -> "Disk":
        other = Disk()
        other.rooms = copy.deepcopy(self.rooms)
        other.records = list(self.records)
        return other


class Contents(NamedTuple):
    """The contents of a disk or a database."""

    rooms: dict[RoomKey, tuple[RoomSpec, tuple[bytes, ...]]]
    seeds: tuple[int, ...]
    """The seeds of the matches that have records."""

    def difference(self, other: "Contents") -> str:
        """Return the first difference, in words."""
        if self.seeds != other.seeds:
            return f"{len(self.seeds)} records are not {len(other.seeds)}"
        for key in sorted({*self.rooms, *other.rooms}):
            mine, yours = self.rooms.get(key), other.rooms.get(key)
            if mine != yours:
                return f"room {key}: {mine!r} is not {yours!r}"
        return "they are the same"


class Store(Journal, Protocol):
    """A journal that can crash."""

    def crash(self) -> None:
        """Lose everything that is not durable."""

    def finish(self) -> int:
        """Store what is left at an orderly end of the server.

        Return how many batches could not be stored because the disk is full.
        """

    def set_full(self, is_full: bool) -> None:
        """Make all commits fail from now on, or succeed again."""

    def contents(self) -> Contents | None:
        """Return the contents, None if the store has none besides the model."""

    def written(self) -> int:
        """Return the number of durable batches of which the server was not told yet."""


class ModelStore:
    """A store without contents besides the model. Subclasses decide how long a commit takes."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._waiting: deque[Callable[[], None]] = deque()
        """The callbacks of batches that are not durable yet, the oldest first."""
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
        """Write the waiting batches."""
        while self._waiting and not self._is_full and not self._is_dead:
            self._waiting.popleft()()


class SlowStore(ModelStore):
    """Writes in the background, several batches at a time, and tells the server a little later."""

    def __init__(
        self,
        disk: Disk,
        scheduler: Scheduler,
        conditions: Conditions,
        random: Random,
        call_in_server: Callable[[Callable[[], None]], None],
    ) -> None:
        """`call_in_server` calls a function as soon as the process runs."""
        super().__init__(disk)
        self._scheduler = scheduler
        self._conditions = conditions
        self._random = random
        self._call_in_server = call_in_server
        self._written: deque[Callable[[], None]] = deque()
        self._is_busy = False
        self._told_at = 0.0

    def crash(self) -> None:
        # The first of the waiting batches may just have been written.
        for _ in range(self._random.randint(0, len(self._waiting))):
            self._written.append(self._waiting.popleft())
        super().crash()

    def written(self) -> int:
        return len(self._written)

    def _write(self) -> None:
        if self._waiting and not self._is_busy and not self._is_full and not self._is_dead:
            self._is_busy = True
            self._scheduler.after(self._conditions.disk_delay(), self._end_write)

    def _end_write(self) -> None:
        self._is_busy = False
        if self._is_full or self._is_dead:
            return
        waiting = len(self._waiting)
        is_all = self._random.random() < 0.8
        for _ in range(waiting if is_all else self._random.randint(1, waiting)):
            self._written.append(self._waiting.popleft())
            self._told_at = max(
                self._told_at, self._scheduler.now + self._conditions.disk_delay() / 4
            )
            self._scheduler.at(self._told_at, lambda: self._call_in_server(self._tell))
        self._write()

    def _tell(self) -> None:
        if not self._is_dead:
            self._written.popleft()()


class WatchedJournal:
    """The journal of one run of the server, which checks what it passes on to a store."""

    def __init__(self, disk: Disk, store: Store, scheduler: Scheduler, event_log: EventLog) -> None:
        self.restored: Callable[[StoredRoom], None] = lambda _: None
        """Called with each restored room."""
        self.appended: Callable[[str, bytes], None] = lambda _room, _entry: None
        """Called with the name of a room and a new entry, except for compactions."""
        self.begun: Callable[[str], None] = lambda _: None
        """Called with the name of each new room, except for compactions."""
        self.committed: Callable[[float], None] = lambda _: None
        """Called with the seconds of the server's clock that a commit has taken so far."""
        self.take_fingerprint: Callable[[str], str | None] = lambda _: None
        self.hall_time: Callable[[], float] = lambda: 0.0
        self.at_next_record: Callable[[], None] | None = None
        """Called once, after a record was appended, before it is durable."""
        self.at_next_commit: Callable[[], None] | None = None
        """Called once, instead of telling the server that a commit is durable."""
        self.is_compacting = False
        self.is_watched = False
        """Whether to take fingerprints of rooms after each entry, because a crash is planned."""
        self.given: Counter[RoomKey] = Counter()
        """The number of entries of each room, durable or not."""
        self.fingerprints: dict[tuple[RoomKey, int], str | None] = {}
        self.busy_until = 0.0
        """The end of the last commit that was not immediate."""
        self.base = disk.copy()
        """What was durable when this run began."""
        self.batches: list[Batch] = []
        """What this run has made durable."""
        self._disk = disk
        self._store = store
        self._scheduler = scheduler
        self._event_log = event_log
        self._names: dict[RoomKey, str] = {}
        self._batch: Batch = []
        self._in_flight: deque[Batch] = deque()
        self._hall_times: deque[float] = deque()
        """The beginning of each, by the server's clock."""
        self._is_full = False
        self._is_dead = False
        disk.moves.clear()

    # Called by the server

    def begin(self, spec: RoomSpec) -> RoomKey:
        key = self._store.begin(spec)
        self._batch.append(Begin(key, spec))
        self._names[key] = spec.room
        self.given[key] = 0
        self._event_log.note(spec.room, f"journal {key} begins, {spec.drawn} drawn")
        if not self.is_compacting:
            self.begun(spec.room)
        return key

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        name = self._names[key]
        self._store.append(key, entry, records)
        self._batch.append(Append(key, entry, records))
        self.given[key] += 1
        if self.is_watched and len(self.fingerprints) < MAX_FINGERPRINTS:
            self.fingerprints[key, self.given[key]] = self.take_fingerprint(name)
        self._event_log.note(name, f"{entry.decode()[:150]} {len(records) or ''}")
        if not self.is_compacting:
            self.appended(name, entry)
        if records and self.at_next_record is not None:
            self._scheduler.soon(self.at_next_record)
            self.at_next_record = None

    def close(self, key: RoomKey) -> None:
        self._store.close(key)
        self._batch.append(Close(key))
        self._event_log.note(self._names[key], f"journal {key} is closed")

    def commit(self, durable: Callable[[], None]) -> None:
        batch, self._batch = self._batch, []
        self._in_flight.append(batch)
        began, hall_began = self._scheduler.now, self.hall_time()
        self._hall_times.append(hall_began)
        self._store.commit(partial(self._note_durable, durable, began, hall_began))

    def restore(self) -> list[StoredRoom]:
        found = self._store.restore()
        expected = self._disk.contents().rooms
        if {room.key: (room.spec, tuple(room.entries)) for room in found} != expected:
            self._event_log.report("a journal line is lost: the server restores something else")
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
            self._event_log.report("a journal line is lost: a room is rebuilt without it")
        return model.rooms.get(key)

    # Called by the world

    def set_full(self, is_full: bool) -> None:
        self._event_log.note("disk", "is full" if is_full else "has room again")
        self._is_full = is_full
        self._store.set_full(is_full)

    def crash(self) -> None:
        self._is_dead = True
        self._store.crash()
        for _ in range(self._store.written()):
            self._apply(self._in_flight.popleft())
        self._check_contents()
        self._event_log.note("disk", f"loses {len(self._in_flight)} batches")

    def finish(self) -> None:
        self._is_dead = True
        unwritten = self._store.finish()
        if unwritten and not self._is_full:
            self._event_log.report(f"{unwritten} batches are lost in an orderly end")
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
        if self._scheduler.now > began:
            self.busy_until = self._scheduler.now
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
        """Report a violation if the database differs from the model."""
        found = self._store.contents()
        if found is not None and found != self._disk.contents():
            self._event_log.report(
                "a journal line is lost: the database does not have what was committed:"
                f" {self._disk.contents().difference(found)}"
            )
