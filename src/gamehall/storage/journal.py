"""The journal of the rooms in the database. Entries and records are written in one transaction.

Each entry has a number in its room and a checksum that is chained to the entry before: the CRC-32
of its content, seeded with the previous checksum XOR the id of the entry. The row of a room has the
number and checksum of its last entry, and the table `hall` the number of rooms and a checksum over
them. So a missing or changed row is found when the journal is read.
"""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from queue import SimpleQueue
from typing import Final, TypeAlias
from uuid import uuid4
from zlib import crc32

import msgspec

from gamehall.match import Record
from gamehall.rooms.counts import JournalCounts
from gamehall.rooms.journal import JournalError, RoomKey, RoomSpec, StoredRoom
from gamehall.storage.archive import INSERT_RECORD, record_row
from gamehall.storage.database import (
    TAKEN_OVER,
    Database,
    Postgres,
    Sqlite,
    StorageError,
)
from gamehall.storage.journal_reader import JournalRoom, checksum_of, read_journal

log = logging.getLogger(__name__)

INSERT_ROOM: Final = "INSERT INTO journal_rooms (id, spec, entries, checksum) VALUES (?, ?, ?, ?)"
INSERT_ENTRY: Final = (
    "INSERT INTO journal_entries (id, room, number, content, checksum) VALUES (?, ?, ?, ?, ?)"
)
UPDATE_ROOM: Final = "UPDATE journal_rooms SET entries = ?, checksum = ? WHERE id = ?"
UPDATE_HALL: Final = "UPDATE hall SET rooms = ?, checksum = ?"
DELETE_ENTRY: Final = "DELETE FROM journal_entries WHERE id = ?"
DELETE_ROOM: Final = "DELETE FROM journal_rooms WHERE id = ?"
LAST_BATCH: Final = "SELECT last_batch FROM hall"
BEGIN_BATCHES: Final = "UPDATE hall SET last_batch = ?"
NEXT_BATCH: Final = "UPDATE hall SET last_batch = ? WHERE last_batch = ? RETURNING 1"
ENTRIES_OF: Final = "SELECT id, content FROM journal_entries WHERE room = ? ORDER BY id"

REMEDY: Final = (
    "`gamehall journal verify` lists all damage. Restore a backup of the database, or"
    " start with --fresh, which drops the games in play and keeps the records"
)

LOST_BATCHES: Final = (
    "the database has lost moves that were acknowledged: a backup may have been restored, or an"
    " outdated replica has become the primary. Start the server again to continue from its state"
)

SECONDS_UNTIL_LOGGED: Final = 0.5
"""How long writing must fail before it is logged: another program may hold the lock briefly."""

SECONDS_BETWEEN_FIRST_TRIES: Final = 0.01
"""The delay between attempts to write, until the failure is logged."""
SECONDS_BETWEEN_TRIES: Final = 0.25
"""The delay after that."""

SECONDS_BETWEEN_REMINDERS: Final = 60.0
"""The interval between log lines about an outage that continues."""

SECONDS_TO_FINISH: Final = 10.0

SECONDS_TO_RECONNECT: Final = 3.0
"""How long a server that shuts down tries to reconnect to the database."""

PAGES_TO_CHECKPOINT: Final = 1000
"""The length of the write-ahead log, in pages, at which it is copied to the database."""

PAGES_TO_RESTART: Final = 4000
"""The length at which commits wait until all of it is copied."""

# An estimate of how many pages a batch adds to the write-ahead log.
PAGES_PER_BATCH: Final = 2
ENTRIES_PER_PAGE: Final = 20

MAX_BATCHES_PER_TRANSACTION: Final = 1000
"""A longer transaction would delay the first of its batches too much."""


Statements: TypeAlias = list[tuple[str, Sequence[Sequence[object]]]]
"""SQL statements, each with the rows of parameters to run it with."""


class JournalBatch(msgspec.Struct, eq=False):
    """The changes between two commits, as rows of parameters."""

    begun: list[tuple[int, bytes, int, int]] = []
    entries: list[tuple[int, int, int, bytes, int]] = []
    changed: dict[int, tuple[int, int, int]] = {}
    """For each room with new entries: the number of its entries, the last checksum, its id."""
    records: list[tuple[object, ...]] = []
    deleted_entries: list[tuple[int]] = []
    deleted_rooms: list[tuple[int]] = []
    hall: tuple[int, int] | None = None
    """The number of rooms and the checksum over them, if rooms were begun or closed."""
    is_empty: bool = True

    def statements(self) -> Statements:
        """Return the statements of the transaction."""
        entries: Statements = [
            (INSERT_ENTRY, self.entries),
            (UPDATE_ROOM, [*self.changed.values()]),
        ]
        if not self.records and self.hall is None:
            return entries
        return [
            (INSERT_ROOM, self.begun),
            *entries,
            (INSERT_RECORD, self.records),
            (DELETE_ENTRY, self.deleted_entries),
            (DELETE_ROOM, self.deleted_rooms),
            (UPDATE_HALL, [self.hall] if self.hall else []),
        ]


class DatabaseJournal(ABC):
    """A journal in a database. Subclasses decide where and when a batch is written."""

    def __init__(
        self, database: Database, failed: Callable[[str], None], fresh: bool = False
    ) -> None:
        """Open the journal.

        Args:
            database: must be claimed by this process.
            failed: called in the event loop with the reason if the journal cannot be used any more.
            fresh: drop all rooms.

        Raises:
            StorageError: the database cannot be used.
        """
        self.counts = JournalCounts()
        self.outage = Outage()
        self._database = database
        self._connection = database.connect_to_write()
        self._failed = failed
        self._fresh = fresh
        self._rooms: dict[int, JournalRoom] = {}
        self._rooms_checksum = 0
        self._last_room = 0
        self._last_entry = 0
        self._batch = JournalBatch()
        self._waiting: deque[tuple[JournalBatch, Callable[[], None]]] = deque()
        """The batches that are not durable yet, oldest first, each with its callback."""

    def begin(self, spec: RoomSpec) -> RoomKey:
        self._last_room += 1
        content = msgspec.json.encode(spec)
        room = JournalRoom(self._last_room, spec, content)
        self._rooms[room.id] = room
        self._batch.begun.append((room.id, content, 0, room.checksum))
        self._note_rooms(room)
        return RoomKey(room.id)

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        room, batch = self._rooms[key], self._batch
        self._last_entry = row = self._last_entry + 1
        room.entries = number = room.entries + 1
        room.checksum = checksum = crc32(entry, room.checksum ^ row)
        room.rows.append(row)
        batch.is_empty = False
        batch.entries.append((row, key, number, entry, checksum))
        batch.changed[key] = (number, checksum, key)
        if records:
            ended = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            for record in records:
                stamped = msgspec.structs.replace(record, room=room.spec.owner, ended=ended)
                batch.records.append(record_row(stamped))

    def close(self, key: RoomKey) -> None:
        room = self._rooms.pop(key)
        self._batch.deleted_entries += [(row,) for row in room.rows]
        self._batch.deleted_rooms.append((key,))
        self._note_rooms(room)

    def commit(self, durable: Callable[[], None]) -> None:
        if self._batch.is_empty and not self._waiting:
            durable()
            return
        batch, self._batch = self._batch, JournalBatch()
        self.counts.given += 1
        self._waiting.append((batch, durable))
        self._write(batch)

    def finish(self) -> int:
        """Write the remaining batches, and close. Return how many could not be written."""
        if not self._batch.is_empty:
            self.commit(_do_nothing)
        unwritten = self._close()
        if unwritten:
            log.error("%d batches of the journal could not be written", unwritten)
        return unwritten

    @abstractmethod
    def _write(self, batch: JournalBatch) -> None:
        """Write the newest of the waiting batches, now or later, and call its callback then."""

    @abstractmethod
    def _close(self) -> int:
        """Write what can be written, and close. Return how many batches are left."""

    def restore(self) -> list[StoredRoom]:
        if self._fresh:
            self._drop_everything()
            return []
        connection = self._database.connect()
        try:
            contents = read_journal(connection)
        except StorageError as error:
            raise JournalError(f"the journal cannot be read: {error}. {REMEDY}") from error
        finally:
            connection.close()
        if contents.faults:
            first, *others = contents.faults
            more = f" (and {len(others)} more)" if others else ""
            raise JournalError(f"the journal is damaged: {first}{more}. {REMEDY}")
        self._last_room = max((room.id for room in contents.rooms), default=0)
        self._last_entry = contents.last_entry
        self._rooms = {room.id: room for room in contents.rooms}
        self._rooms_checksum = checksum_of(contents.rooms)
        return [
            StoredRoom(RoomKey(room.id), room.spec, contents.entries[room.id])
            for room in contents.rooms
        ]

    def read(self, key: RoomKey) -> StoredRoom | None:
        room = self._rooms[key]
        try:
            connection = self._database.connect()
            try:
                stored = {row: bytes(content) for row, content in connection.rows(ENTRIES_OF, key)}
            finally:
                connection.close()
            for batch in (*(batch for batch, _ in self._waiting), self._batch):
                stored |= {row: content for row, of, _, content, _ in batch.entries if of == key}
            return StoredRoom(key, room.spec, [stored[row] for row in room.rows])
        except (StorageError, KeyError) as error:
            self._failed(f"the journal of the room {room.spec.room} cannot be read: {error}")
            raise JournalError(str(error)) from error

    def _note_rooms(self, changed: JournalRoom) -> None:
        """Update the row of the table `hall` after a room was begun or closed."""
        self._rooms_checksum ^= changed.first_checksum
        self._batch.hall = (len(self._rooms), self._rooms_checksum)
        self._batch.is_empty = False

    def _drop_everything(self) -> None:
        connection = self._database.connect()
        try:
            with connection.transaction(self._database.begin_exclusive):
                connection.run("DELETE FROM journal_entries")
                connection.run("DELETE FROM journal_rooms")
                connection.run(UPDATE_HALL, 0, 0)
        finally:
            connection.close()


class LoopJournal(DatabaseJournal):
    """Commits on the event loop. Commits survive a crash of the process, but not a power cut.

    If the disk is full, the same batch is tried again until it succeeds.
    """

    def __init__(
        self,
        database: Sqlite,
        call_later: Callable[[float, Callable[[], None]], object],
        failed: Callable[[str], None],
        fresh: bool = False,
    ) -> None:
        """Open the journal. `call_later` is a method of the event loop. Raises StorageError."""
        super().__init__(database, failed, fresh)
        self._call_later = call_later
        self._has_failed = False
        self._connection.run("PRAGMA wal_autocheckpoint = 0")
        self._checkpoints = Checkpoints(database)

    def _write(self, batch: JournalBatch) -> None:
        if len(self._waiting) == 1:
            self._write_next()

    def _close(self) -> int:
        for _ in range(len(self._waiting)):
            self._write_next()
        left = len(self._waiting)
        # A retry that is scheduled must not find anything to write.
        self._waiting.clear()
        self._checkpoints.finish()
        self._connection.close()
        return left

    def _write_next(self) -> None:
        """Write the oldest batch. If that fails, try again later."""
        if not self._waiting or self._has_failed:
            return
        if self._checkpoints.needs_pause:
            self._call_later(SECONDS_BETWEEN_FIRST_TRIES, self._write_next)
            return
        batch, durable = self._waiting[0]
        began = time.monotonic()
        try:
            self._connection.write(self._database.begin_exclusive, batch.statements())
        except StorageError as error:
            if error.is_temporary:
                self._call_later(self.outage.note(error), self._write_next)
            else:
                self._fail(str(error))
            return
        except Exception as error:
            # Unexpected. The next batches must not be written without this one.
            log.exception("an error in the journal")
            self._fail(repr(error))
            return
        seconds = time.monotonic() - began
        self._waiting.popleft()
        if self._waiting:
            # Scheduled first: if `durable` raises, the other batches must still be written.
            self._call_later(0, self._write_next)
        durable()
        # Bookkeeping comes after delivery, so that players do not wait for it.
        self.outage.end()
        self.counts.written += 1
        self.counts.seconds.add(seconds)
        self._checkpoints.note(batch)

    def _fail(self, reason: str) -> None:
        self._has_failed = True
        self._failed(reason)


class Outage:
    """Logs the beginning and the end of a time in which the journal cannot be written.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began: float | None = None
        self._has_logged_wait = False
        self._reminder: float | None = None
        """When to log the reason again; None before it was logged for the first time."""

    def note(self, error: StorageError, is_connection_lost: bool = False) -> float:
        """Note that writing has failed. Return the seconds until the next attempt."""
        now = time.monotonic()
        with self._lock:
            if self._began is None:
                self._began = now
            is_short = now - self._began < SECONDS_UNTIL_LOGGED
            if is_short and not is_connection_lost:
                return SECONDS_BETWEEN_FIRST_TRIES
            if self._reminder is None:
                log.error("cannot write the journal: %s; play stops until it can be written", error)
                self._reminder = now + SECONDS_BETWEEN_REMINDERS
            elif now >= self._reminder:
                seconds = now - self._began
                log.error("still cannot write the journal after %.0f s: %s", seconds, error)
                self._reminder = now + SECONDS_BETWEEN_REMINDERS
            return SECONDS_BETWEEN_FIRST_TRIES if is_short else SECONDS_BETWEEN_TRIES

    def note_wait(self, seconds: float) -> None:
        """Note that a commit has neither succeeded nor failed for this long."""
        with self._lock:
            if self._began is None:
                self._began = time.monotonic() - seconds
            if not self._has_logged_wait and self._reminder is None:
                self._has_logged_wait = True
                log.error(
                    "the database has not answered for %.0f s; play stops until it does", seconds
                )

    def end(self) -> None:
        """Note that writing has succeeded."""
        with self._lock:
            if self._began is None:
                return
            if self._has_logged_wait or self._reminder is not None:
                seconds = time.monotonic() - self._began
                log.warning("the journal can be written again after %.1f s: play goes on", seconds)
            self._began = self._reminder = None
            self._has_logged_wait = False


class Checkpoints:
    """Copies SQLite's write-ahead log to the database from time to time, in a thread of its own.

    SQLite would do this by itself in the commit that makes the log too long, and that commit would
    take hundreds of times as long.
    """

    def __init__(self, database: Sqlite) -> None:
        """Start the thread. Raises StorageError."""
        self._connection = database.connect()
        # How long a RESTART waits for readers. No commit is possible meanwhile.
        self._connection.run("PRAGMA busy_timeout = 50")
        self.needs_pause = False
        """True while commits must wait."""
        self._pages = 0
        """An estimate of how many pages were added since the last checkpoint."""
        self._wake = threading.Event()
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def note(self, batch: JournalBatch) -> None:
        """Note that a batch was written. Start a checkpoint if the log is long enough."""
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
        if not self._thread.is_alive():
            self._connection.close()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._is_over:
                return
            try:
                self._copy()
            except StorageError as error:
                # Tried again after further batches. A longer log does no harm.
                log.debug("no checkpoint: %s", error)

    def _copy(self) -> None:
        """Copy the log. Raises StorageError."""
        [(_, pages, _)] = self._connection.run("PRAGMA wal_checkpoint(PASSIVE)")
        # SQLite starts the log over only if nothing is added while it is copied, which may never
        # happen under load. So commits have to wait while the rest is copied.
        if pages >= PAGES_TO_RESTART:
            self.needs_pause = True
            try:
                self._connection.run("PRAGMA wal_checkpoint(RESTART)")
            finally:
                self.needs_pause = False


class ThreadJournal(DatabaseJournal):
    """Commits in a thread, for commits that wait for the disk or for a server."""

    def __init__(
        self,
        database: Database,
        call_in_loop: Callable[[Callable[[], None]], object],
        failed: Callable[[str], None],
        fresh: bool = False,
    ) -> None:
        """Open the journal. Raises StorageError.

        Args:
            call_in_loop: the event loop's `call_soon_threadsafe`.
        """
        super().__init__(database, failed, fresh)
        self._call_in_loop = call_in_loop
        self._queue: SimpleQueue[JournalBatch | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_finishing = threading.Event()

    def _write(self, batch: JournalBatch) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()
        self._queue.put(batch)

    def _close(self) -> int:
        if self._thread is not None:
            self._queue.put(None)
            self._is_finishing.set()
            self._thread.join(SECONDS_TO_FINISH)
        left = self.counts.waiting
        if self._thread is None or not self._thread.is_alive():
            self._connection.close()
        return left

    def _run(self) -> None:
        """Write the batches of the queue, all that are there in one transaction."""
        is_over = False
        while not is_over:
            batches: list[JournalBatch] = []
            while not is_over and len(batches) < MAX_BATCHES_PER_TRANSACTION:
                if batches and self._queue.empty():
                    break
                batch = self._queue.get()
                if batch is None:
                    is_over = True
                else:
                    batches.append(batch)
            try:
                self._write_until_done(batches)
            except StorageError as error:
                self._call_in_loop(partial(self._failed, str(error)))
                return
            except Exception as error:
                log.exception("an error in the journal")
                self._call_in_loop(partial(self._failed, repr(error)))
                return
            self.counts.written += len(batches)
            for _ in batches:
                self._call_in_loop(self._release_next)

    def _write_until_done(self, batches: list[JournalBatch]) -> None:
        """Write batches, repeatedly after temporary errors. Raises StorageError after others."""
        statements = [one for batch in batches for one in batch.statements()]
        lost_at: float | None = None
        while True:
            began = time.monotonic()
            try:
                self._write_transaction(statements)
            except StorageError as error:
                is_lost = self._connection.is_lost
                if is_lost and lost_at is None:
                    lost_at = began
                if not error.is_temporary:
                    raise
                seconds = self.outage.note(error, is_lost)
                if not self._is_finishing.wait(seconds):
                    continue
                # The server shuts down. A connection that was lost earlier may be noticed only
                # now, so allow time to reconnect.
                if lost_at is None or time.monotonic() > lost_at + SECONDS_TO_RECONNECT:
                    raise
                time.sleep(seconds)
            else:
                self.outage.end()
                self.counts.seconds.add(time.monotonic() - began)
                return

    def _write_transaction(self, statements: Statements) -> None:
        """Write batches in one transaction. Called again with the same after a temporary error.

        Raises StorageError.
        """
        self._connection.write(self._database.begin_exclusive, statements)

    def _release_next(self) -> None:
        _, durable = self._waiting.popleft()
        durable()


class PostgresJournal(ThreadJournal):
    """Commits to PostgreSQL in a thread, and reconnects when the connection is lost.

    After a loss it is unknown whether the last transaction was committed. So each transaction
    replaces the name of the previous transaction in the table `hall` by its own. The names are
    unique to this start of the server. After reconnecting there are three cases:

    - The name is that of the last transaction: it was committed.
    - It is that of the one before: the transaction is written again.
    - It is another: a second server has used the database, and this one must not write any more.
    """

    def __init__(
        self,
        database: Postgres,
        call_in_loop: Callable[[Callable[[], None]], object],
        failed: Callable[[str], None],
        fresh: bool = False,
    ) -> None:
        super().__init__(database, call_in_loop, failed, fresh)
        self._postgres = database
        self._run_name = uuid4().hex
        self._written = 0
        """The number of transactions that are known to be committed."""
        self._must_reconnect = False
        """True from the loss of the connection until it is known what was committed."""
        self._connection.run(BEGIN_BATCHES, self._name(0))

    def _name(self, number: int) -> str:
        return f"{self._run_name} {number}"

    def _write_transaction(self, statements: Statements) -> None:
        if self._must_reconnect or self._connection.is_lost:
            self._must_reconnect = True
            self._connection = self._postgres.claim_again()
            is_written = self._is_written()
            self._must_reconnect = False
            if is_written:
                self._written += 1
                return
        last, this = self._name(self._written), self._name(self._written + 1)
        with self._connection.transaction():
            if not self._connection.run(NEXT_BATCH, this, last):
                raise StorageError(TAKEN_OVER)
            for statement, rows in statements:
                if rows:
                    self._connection.run_many(statement, rows)
        self._written += 1

    def _is_written(self) -> bool:
        """Return True if the transaction in doubt was committed, False if it was not.

        Raises StorageError, which is not temporary if the database has an unknown transaction.
        """
        names = [name for (name,) in self._connection.run(LAST_BATCH)]
        if names == [self._name(self._written)]:
            return False
        if names == [self._name(self._written + 1)]:
            return True
        is_ours = any(name.startswith(self._run_name) for name in names)
        raise StorageError(LOST_BATCHES if is_ours else TAKEN_OVER)


def _do_nothing() -> None:
    """Take the place of `durable` for the last batch."""
