"""The real journal on a real database, in simulated time, and damage to its files."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from gamehall.match import Record
from gamehall.rooms.journal import JournalError
from gamehall.storage import LoopJournal, ThreadJournal
from gamehall.storage.database import FILE, Sqlite
from tests.simulation.disk import Batch, Contents, Disk
from tests.simulation.event_log import EventLog
from tests.simulation.scheduler import Conditions, Scheduler

LOG = f"{FILE}-wal"

NO_LIMIT = 1_000_000_000
"""In pages."""


class Folder:
    """The folder of the database. Each run of the server has a copy of its own."""

    def __init__(self, world: Path) -> None:
        self._world = world
        self._copies = 0
        self.path = world / "first"

    def copy(self) -> Path:
        """Return a new folder with the files as they are now."""
        self._copies += 1
        path = self._world / f"copy-{self._copies}"
        path.mkdir()
        for name in (FILE, LOG):
            if (self.path / name).exists():
                shutil.copyfile(self.path / name, path / name)
        return path


def read_contents(path: Path) -> Contents:
    """Return the contents of the database in a folder. Raises JournalError."""
    journal = ThreadJournal(Sqlite(path), _fail, _fail)
    try:
        rooms = {room.key: (room.spec, tuple(room.entries)) for room in journal.restore()}
        rows = journal._connection.run("SELECT content FROM records ORDER BY number")
    finally:
        journal._connection.close()
    return Contents(rooms, tuple(Record.from_json(content).seed for (content,) in rows))


class LoopStore(LoopJournal):
    """The journal that commits on the event loop."""

    def __init__(
        self, folder: Folder, call_later: Callable[[float, Callable[[], None]], object]
    ) -> None:
        self._folder = folder
        super().__init__(Sqlite(folder.path), call_later, _fail)

    def crash(self) -> None:
        # Copy the files for the next run before closing them, which changes them.
        copied = self._folder.copy()
        self._checkpoints.finish()
        self._connection.close()
        self._folder.path = copied

    def set_full(self, is_full: bool) -> None:
        if self._checkpoints._thread.is_alive():
            # A limit below the present number of pages means that the file may not grow.
            self._connection.run(f"PRAGMA max_page_count = {1 if is_full else NO_LIMIT}")

    def contents(self) -> Contents | None:
        return _contents_of_copy(self._folder)

    def written(self) -> int:
        return 0


class NoThread:
    """Replaces the thread of a journal whose work is done in simulated time."""

    def is_alive(self) -> bool:
        return False

    def join(self, timeout: float) -> None:
        pass


class ThreadStore(ThreadJournal):
    """The journal that commits in a thread, whose work is done in simulated time."""

    def __init__(
        self,
        folder: Folder,
        scheduler: Scheduler,
        conditions: Conditions,
        call_in_server: Callable[[Callable[[], None]], None],
    ) -> None:
        self._folder = folder
        self._scheduler = scheduler
        self._conditions = conditions
        self._call_in_server = call_in_server
        self._is_full = self._is_busy = self._is_dead = False
        self._told_at = 0.0
        self._untold = 0
        super().__init__(Sqlite(folder.path, survives_power_cuts=True), self._tell_later, _fail)
        self._thread: Any = NoThread()

    def commit(self, durable: Callable[[], None]) -> None:
        super().commit(durable)
        self._write_later()

    def crash(self) -> None:
        self._is_dead = True
        copied = self._folder.copy()
        self._connection.close()
        self._folder.path = copied

    def finish(self) -> int:
        self._is_dead = True
        super().commit(lambda: None)
        unwritten = self._queue.qsize() if self._is_full else 0
        if not unwritten:
            self._run_once()
        self._connection.close()
        return unwritten

    def set_full(self, is_full: bool) -> None:
        self._is_full = is_full
        self._write_later()

    def contents(self) -> Contents | None:
        return _contents_of_copy(self._folder)

    def written(self) -> int:
        return self._untold

    def _write_later(self) -> None:
        if not self._queue.empty() and not self._is_busy:
            self._is_busy = True
            self._scheduler.after(self._conditions.disk_delay(), self._end_write)

    def _end_write(self) -> None:
        self._is_busy = False
        if not self._is_full and not self._is_dead:
            self._run_once()

    def _run_once(self) -> None:
        """Process the queue like the thread."""
        self._untold += self._queue.qsize()
        self._queue.put(None)
        self._run()

    def _tell_later(self, release: Callable[[], None]) -> None:
        """Schedule a call in the event loop, like the thread."""
        self._told_at = max(self._told_at, self._scheduler.now + self._conditions.disk_delay() / 4)
        self._scheduler.at(self._told_at, lambda: self._call_in_server(lambda: self._tell(release)))

    def _tell(self, release: Callable[[], None]) -> None:
        if not self._is_dead:
            self._untold -= 1
            release()


def _contents_of_copy(folder: Folder) -> Contents:
    """Return the contents of a database, without opening its own files."""
    path = folder.copy()
    try:
        return read_contents(path)
    finally:
        shutil.rmtree(path)


def _fail(reason: Any) -> None:
    raise AssertionError(f"the journal cannot be written: {reason}")


class Damage:
    """Damages copies of a database, and checks that this is noticed."""

    def __init__(self, folder: Folder, random: Random, event_log: EventLog) -> None:
        self._folder = folder
        self._random = random
        self._event_log = event_log

    def check_changed_rows(self) -> None:
        """Change, delete or exchange rows, and check that reading the journal fails."""
        path = self._folder.copy()
        raw = sqlite3.connect(path / FILE)
        rows = raw.execute("SELECT id, room, content FROM journal_entries ORDER BY id").fetchall()
        if rows:
            what, statements = self._damage(rows)
            for statement, parameters in statements:
                raw.execute(statement, parameters)
            raw.commit()
            self._event_log.note("disk", f"in a copy: {what}")
        raw.close()
        if rows:
            try:
                read_contents(path)
            except JournalError as error:
                self._event_log.note("disk", f"found: {error}")
            else:
                self._event_log.report(f"a damaged journal is not noticed: {what}")
        shutil.rmtree(path)

    def _damage(
        self, rows: list[tuple[int, int, bytes]]
    ) -> tuple[str, list[tuple[str, tuple[object, ...]]]]:
        """Return a random change of rows, in words and as SQL statements."""
        row, room, content = self._random.choice(rows)
        others = [other for other in rows if other[2] != content]
        last = [other for other, of, _ in rows if of == room][-1]
        where = self._random.randrange(len(content))
        changed = content[:where] + bytes([content[where] ^ 1]) + content[where + 1 :]
        kinds: list[tuple[str, list[tuple[str, tuple[object, ...]]]]] = [
            (
                f"entry {row} is changed",
                [("UPDATE journal_entries SET content = ? WHERE id = ?", (changed, row))],
            ),
            (f"entry {row} is deleted", [("DELETE FROM journal_entries WHERE id = ?", (row,))]),
            (
                f"entry {last}, the last of its room, is deleted",
                [("DELETE FROM journal_entries WHERE id = ?", (last,))],
            ),
            (f"room {room} is deleted", [("DELETE FROM journal_rooms WHERE id = ?", (room,))]),
        ]
        if others:
            other = self._random.choice(others)
            exchange = "UPDATE journal_entries SET content = ? WHERE id = ?"
            kinds.append(
                (
                    f"entries {row} and {other[0]} are exchanged",
                    [(exchange, (other[2], row)), (exchange, (content, other[0]))],
                )
            )
        return self._random.choice(kinds)

    def check_truncated_log(self, base: Disk, batches: list[Batch]) -> None:
        """Truncate the write-ahead log, and check that an earlier durable state is left.

        Args:
            base: what was durable when the server was started.
            batches: what it has committed since.
        """
        path = self._folder.copy()
        log = path / LOG
        if log.exists():
            whole = log.read_bytes()
            length = self._random.randint(0, len(whole))
            log.write_bytes(whole[:length])
            found = read_contents(path)
            state, count = base.copy(), 0
            for batch in batches:
                if state.contents() == found:
                    break
                state.apply(batch)
                count += 1
            self._event_log.note(
                "disk", f"in a copy: {length} bytes of the log are left, {count} batches"
            )
            if state.contents() != found:
                self._event_log.report(
                    "a truncated log gives a state that never was durable:"
                    f" {state.contents().difference(found)}"
                )
        shutil.rmtree(path)
