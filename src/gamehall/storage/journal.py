"""The journal of a hall in its database: what rooms were told, and records, in one transaction.

Each entry has a number in its room and a checksum that is chained to the entry before it, and each
room has the number and the checksum of its last entry. So a row that is missing or was changed is
found when the journal is read.
"""

import logging
import threading
import time
from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from queue import SimpleQueue
from typing import Final, NamedTuple
from zlib import crc32

import msgspec

from gamehall.match import Record
from gamehall.rooms.counts import JournalCounts
from gamehall.rooms.journal import JournalError, RoomKey, RoomSpec, StoredRoom
from gamehall.storage.archive import INSERT as INSERT_RECORD
from gamehall.storage.archive import record_row
from gamehall.storage.database import Connection, Database, Sqlite, StorageError

log = logging.getLogger(__name__)

INSERT_ROOM: Final = (
    "INSERT INTO journal_rooms (id, room, seed, settings, entries, checksum)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
INSERT_ENTRY: Final = (
    "INSERT INTO journal_entries (id, room, number, content, checksum) VALUES (?, ?, ?, ?, ?)"
)
UPDATE_ROOM: Final = "UPDATE journal_rooms SET entries = ?, checksum = ? WHERE id = ?"
DELETE_ENTRY: Final = "DELETE FROM journal_entries WHERE id = ?"
DELETE_ROOM: Final = "DELETE FROM journal_rooms WHERE id = ?"
ROOMS: Final = "SELECT id, room, seed, settings, entries, checksum FROM journal_rooms ORDER BY id"
ENTRIES: Final = "SELECT id, room, number, content, checksum FROM journal_entries ORDER BY id"
ENTRIES_OF: Final = "SELECT id, content FROM journal_entries WHERE room = ? ORDER BY id"

WHAT_TO_DO: Final = (
    "`gamehall journal verify` lists all that is wrong. Restore a backup of the database, or start"
    " with --fresh, which drops the games in play and keeps the records"
)

SECONDS_BETWEEN_TRIES: Final = 0.25
"""How long a commit that found the disk full waits until it is tried again."""

SECONDS_TO_FINISH: Final = 10.0

PAGES_TO_CHECKPOINT: Final = 1000
"""How many pages the write-ahead log may have before it is copied to the database."""

PAGES_PER_BATCH: Final = 2
ENTRIES_PER_PAGE: Final = 20
"""By these it is guessed how many pages a batch adds to the log."""

MOST_BATCHES: Final = 1000
"""How many go into one transaction, so that none waits for a long one."""


class JournalRoom:
    """A room in the journal, and where its chain of entries ends."""

    __slots__ = ("checksum", "entries", "id", "rows", "spec")

    def __init__(self, number: int, spec: RoomSpec) -> None:
        self.id = number
        self.spec = spec
        self.entries = 0
        self.checksum = first_checksum(number, spec)
        self.rows = array("q")
        """The ids of its entries."""


class Batch:
    """Everything between two commits."""

    __slots__ = ("begun", "changed", "deleted_entries", "deleted_rooms", "entries", "records")

    def __init__(self) -> None:
        self.begun: list[tuple[object, ...]] = []
        self.entries: list[tuple[int, int, int, bytes, int]] = []
        self.changed: dict[int, tuple[int, int, int]] = {}
        """Of each room that has new entries: how many it has, the last checksum, and its id."""
        self.records: list[tuple[object, ...]] = []
        self.deleted_entries: list[tuple[int]] = []
        self.deleted_rooms: list[tuple[int]] = []

    @property
    def is_empty(self) -> bool:
        """Return True if there is nothing to write."""
        return not (self.entries or self.begun or self.deleted_rooms)


def first_checksum(number: int, spec: RoomSpec) -> int:
    """Return what the chain of a room's checksums begins with."""
    return crc32(msgspec.json.encode((number, spec.room, spec.settings, spec.seed)))


class DatabaseJournal(ABC):
    """A journal in a database. How a batch is committed, its subclasses decide."""

    def __init__(self, database: Database, fresh: bool = False) -> None:
        """`fresh`: drop all rooms that were in use. Raises StorageError."""
        self.counts = JournalCounts()
        self._database = database
        self._connection = database.connect_to_write()
        self._fresh = fresh
        self._rooms: dict[int, JournalRoom] = {}
        self._last_room = 0
        self._last_entry = 0
        self._batch = Batch()

    def begin(self, spec: RoomSpec) -> RoomKey:
        self._last_room += 1
        room = JournalRoom(self._last_room, spec)
        self._rooms[room.id] = room
        row = (room.id, spec.room, spec.seed.hex(), spec.settings, 0, room.checksum)
        self._batch.begun.append(row)
        return RoomKey(room.id)

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        room, batch = self._rooms[key], self._batch
        self._last_entry = row = self._last_entry + 1
        room.entries = number = room.entries + 1
        room.checksum = checksum = crc32(entry, room.checksum)
        room.rows.append(row)
        batch.entries.append((row, key, number, entry, checksum))
        batch.changed[key] = (number, checksum, key)
        if records:
            ended = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            for record in records:
                stamped = msgspec.structs.replace(record, room=room.spec.room, ended=ended)
                batch.records.append(record_row(stamped))

    def close(self, key: RoomKey) -> None:
        room = self._rooms.pop(key)
        self._batch.deleted_entries += [(row,) for row in room.rows]
        self._batch.deleted_rooms.append((key,))

    @abstractmethod
    def commit(self, durable: Callable[[], None]) -> None:
        """Store the batch; then call `durable`."""

    def restore(self) -> list[StoredRoom]:
        """Raises StorageError, too."""
        connection = self._database.connect()
        try:
            contents = read_journal(connection)
        finally:
            connection.close()
        if contents.faults and not self._fresh:
            raise JournalError(f"the journal is damaged: {contents.faults[0]}. {WHAT_TO_DO}")
        self._last_room = max((room.id for room in contents.rooms), default=0)
        self._last_entry = contents.last_entry
        self._rooms = {room.id: room for room in contents.rooms}
        if self._fresh:
            self._drop_everything()
        return [
            StoredRoom(RoomKey(room.id), room.spec, contents.entries[room.id])
            for room in self._rooms.values()
        ]

    def read(self, key: RoomKey) -> StoredRoom | None:
        room = self._rooms[key]
        connection = self._database.connect()
        try:
            rows = connection.run(ENTRIES_OF, key)
        finally:
            connection.close()
        contents = {row: bytes(content) for row, content in rows}
        for batch in self._unwritten():
            contents |= {row: content for row, of, _, content, _ in batch.entries if of == key}
        return StoredRoom(key, room.spec, [contents[row] for row in room.rows])

    @abstractmethod
    def finish(self) -> None:
        """Write what is left, and close the database."""

    def _unwritten(self) -> Iterable[Batch]:
        """Return the batches that may not be in the database yet."""
        return [self._batch]

    def _drop_everything(self) -> None:
        with self._connection.transaction(self._database.begin_alone):
            self._connection.run("DELETE FROM journal_entries")
            self._connection.run("DELETE FROM journal_rooms")
        self._rooms.clear()


class LoopJournal(DatabaseJournal):
    """Commits on the event loop: what is committed outlives the process, if not a power cut.

    While the disk is full it tries again, with the same batch before anything else.
    """

    def __init__(
        self,
        database: Sqlite,
        call_later: Callable[[float, Callable[[], None]], object],
        failed: Callable[[str], None],
        fresh: bool = False,
    ) -> None:
        """`failed` is called with the reason when nothing can be stored any more.

        Raises StorageError.
        """
        super().__init__(database, fresh)
        self._call_later = call_later
        self._failed = failed
        self._waiting: deque[tuple[Batch, Callable[[], None]]] = deque()
        """The batches that could not be committed yet, the first first."""
        self._connection.run("PRAGMA wal_autocheckpoint = 0")
        self._checkpoints = Checkpoints(database)

    def commit(self, durable: Callable[[], None]) -> None:
        batch = self._batch
        if self._waiting:
            self._batch = Batch()
            self._waiting.append((batch, durable))
            return
        if not batch.is_empty:
            self._batch = Batch()
            if not self._write(batch):
                self._waiting.append((batch, durable))
                return
        durable()

    def finish(self) -> None:
        self.commit(_nothing)
        if self._waiting:
            log.error("%d batches of the journal could not be written", len(self._waiting))
        self._checkpoints.finish()
        self._connection.close()

    def _unwritten(self) -> Iterable[Batch]:
        return [*(batch for batch, _ in self._waiting), self._batch]

    def _write(self, batch: Batch) -> bool:
        """Write a batch. If that cannot be done now, return False and try again later."""
        began = time.monotonic()
        try:
            write(self._connection, [batch])
        except StorageError as error:
            if not error.is_temporary:
                self._failed(str(error))
            else:
                if not self._waiting:
                    log.warning("cannot write the journal: %s; play stops until it can be", error)
                self._call_later(SECONDS_BETWEEN_TRIES, self._try_again)
            return False
        self.counts.given += 1
        self.counts.written += 1
        self.counts.seconds.add(time.monotonic() - began)
        self._checkpoints.note(batch)
        return True

    def _try_again(self) -> None:
        while self._waiting:
            batch, durable = self._waiting[0]
            if not batch.is_empty and not self._write(batch):
                return
            self._waiting.popleft()
            if not self._waiting:
                log.warning("the journal can be written again: play goes on")
            durable()


class Checkpoints:
    """Copies the write-ahead log to the database now and then, in a thread of its own.

    SQLite would do that by itself in the commit that makes the log too long, which then takes
    hundreds of times as long.
    """

    def __init__(self, database: Sqlite) -> None:
        self._database = database
        self._pages = 0
        """About how many the log has grown by since the thread was last woken."""
        self._wake = threading.Event()
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def note(self, batch: Batch) -> None:
        """A batch was written."""
        self._pages += PAGES_PER_BATCH + len(batch.entries) // ENTRIES_PER_PAGE
        self._pages += len(batch.records) + len(batch.deleted_entries) // ENTRIES_PER_PAGE
        if self._pages >= PAGES_TO_CHECKPOINT:
            self._pages = 0
            self._wake.set()

    def finish(self) -> None:
        """End the thread."""
        self._is_over = True
        self._wake.set()
        self._thread.join(SECONDS_TO_FINISH)

    def _run(self) -> None:
        connection = self._database.connect()
        while not self._is_over:
            self._wake.wait()
            self._wake.clear()
            # It is tried again after further batches; nothing is lost by a longer log.
            with suppress(StorageError):
                connection.run("PRAGMA wal_checkpoint(PASSIVE)")
        connection.close()


class ThreadJournal(DatabaseJournal):
    """Commits in a thread: for a disk that is synced before anything is delivered, or a server."""

    def __init__(
        self,
        database: Database,
        call_in_loop: Callable[[Callable[[], None]], object],
        failed: Callable[[str], None],
        fresh: bool = False,
    ) -> None:
        """`call_in_loop` may be called from another thread. Raises StorageError."""
        super().__init__(database, fresh)
        self._call_in_loop = call_in_loop
        self._failed = failed
        self._in_flight: deque[tuple[Batch, Callable[[], None]]] = deque()
        self._queue: SimpleQueue[Batch | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def commit(self, durable: Callable[[], None]) -> None:
        batch = self._batch
        if batch.is_empty and not self._in_flight:
            durable()
            return
        self._batch = Batch()
        self._in_flight.append((batch, durable))
        self.counts.given += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()
        self._queue.put(batch)

    def finish(self) -> None:
        self.commit(_nothing)
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(SECONDS_TO_FINISH)
        self._connection.close()

    def _unwritten(self) -> Iterable[Batch]:
        return [*(batch for batch, _ in self._in_flight), self._batch]

    def _run(self) -> None:
        """Write what is in the queue, as much as there is in one transaction."""
        is_over = False
        while not is_over:
            batches = [self._queue.get()]
            while len(batches) < MOST_BATCHES and not self._queue.empty():
                batches.append(self._queue.get())
            is_over = batches[-1] is None
            written = [batch for batch in batches if batch is not None]
            try:
                self._write_until_done(written)
            except StorageError as error:
                self._call_in_loop(partial(self._failed, str(error)))
                return
            self._call_in_loop(partial(self._release, len(written)))

    def _write_until_done(self, batches: list[Batch]) -> None:
        """Raises StorageError if the batches can never be written."""
        is_first = True
        while True:
            began = time.monotonic()
            try:
                write(self._connection, batches)
            except StorageError as error:
                if not error.is_temporary:
                    raise
                if is_first:
                    log.warning("cannot write the journal: %s; play stops until it can be", error)
                is_first = False
                time.sleep(SECONDS_BETWEEN_TRIES)
            else:
                if not is_first:
                    log.warning("the journal can be written again: play goes on")
                self.counts.seconds.add(time.monotonic() - began)
                return

    def _release(self, batches: int) -> None:
        self.counts.written += batches
        for _ in range(batches):
            _, durable = self._in_flight.popleft()
            durable()


class JournalContents(NamedTuple):
    """All that a journal says, and what is wrong with it."""

    rooms: list[JournalRoom]
    entries: dict[int, list[bytes]]
    """By the ids of the rooms."""
    last_entry: int
    faults: list[str]


def read_journal(connection: Connection) -> JournalContents:
    """Read a journal, and check that no entry is missing or was changed. Raises StorageError."""
    faults: list[str] = []
    rooms: dict[int, JournalRoom] = {}
    ends: dict[int, tuple[int, int]] = {}
    broken: set[int] = set()
    for number, name, seed, settings, entries, checksum in connection.run(ROOMS):
        rooms[number] = JournalRoom(number, RoomSpec(name, bytes(settings), bytes.fromhex(seed)))
        ends[number] = (entries, checksum)
    contents: dict[int, list[bytes]] = {number: [] for number in rooms}
    last_entry = 0
    for row, of, number, content, checksum in connection.run(ENTRIES):
        last_entry = row
        room = rooms.get(of)
        if room is None:
            if of not in broken:
                faults.append(f"there are entries of a room {of}, which is missing")
            broken.add(of)
            continue
        room.rows.append(row)
        contents[of].append(bytes(content))
        room.entries += 1
        room.checksum = crc32(content, room.checksum)
        if of not in broken and number != room.entries:
            faults.append(f"{place(room, room.entries)} is missing")
            broken.add(of)
        elif of not in broken and checksum != room.checksum:
            faults.append(f"{place(room, number)}, or the room's own row, was changed")
            broken.add(of)
    for of, room in rooms.items():
        entries, checksum = ends[of]
        if of not in broken and room.entries < entries:
            faults.append(f"{place(room, room.entries + 1)} is missing, of {entries}")
        elif of not in broken and (room.entries, room.checksum) != (entries, checksum):
            faults.append(f"the row of the room {room.spec.room} ({of}) was changed")
    return JournalContents(list(rooms.values()), contents, last_entry, faults)


def place(room: JournalRoom, number: int) -> str:
    """Return where an entry is, for people."""
    return f"entry {number} of the room {room.spec.room} ({room.id})"


def write(connection: Connection, batches: Sequence[Batch]) -> None:
    """Write batches in one transaction. Raises StorageError."""
    with connection.transaction():
        for batch in batches:
            if batch.begun:
                connection.run_many(INSERT_ROOM, batch.begun)
            if batch.entries:
                connection.run_many(INSERT_ENTRY, batch.entries)
                connection.run_many(UPDATE_ROOM, list(batch.changed.values()))
            if batch.records:
                connection.run_many(INSERT_RECORD, batch.records)
            if batch.deleted_rooms:
                connection.run_many(DELETE_ENTRY, batch.deleted_entries)
                connection.run_many(DELETE_ROOM, batch.deleted_rooms)


def _nothing() -> None:
    """Nobody waits for the last batch."""
