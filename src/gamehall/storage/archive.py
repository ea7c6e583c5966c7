"""Where records are kept: one SQLite file, written by a thread of its own."""

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from gamehall.play import BadRecord, Record

log = logging.getLogger(__name__)

FILE = "hall.sqlite"

SCHEMA = """
CREATE TABLE IF NOT EXISTS records (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    game TEXT NOT NULL,
    content BLOB NOT NULL
);
"""

SECONDS_TO_FINISH = 10.0


class CannotKeep(Exception):
    """The archive cannot be opened. The text tells a person why and what to do."""


class ArchivedRecord(msgspec.Struct, frozen=True):
    """A record and the number under which it is kept, by which people ask for it."""

    number: int
    record: Record


class Archive:
    """The records of finished matches, numbered as they come.

    Records are added without waiting for the disk; whatever has come by then is written at once,
    in one transaction.
    """

    def __init__(self, folder: Path) -> None:
        """Raises CannotKeep."""
        self._path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with self._open() as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(SCHEMA)
            connection.close()
        except (OSError, sqlite3.Error) as error:
            raise CannotKeep(f"cannot keep anything in {folder}: {_why(error)}") from None
        self._waiting: deque[Record | None] = deque()
        self._something = threading.Semaphore(0)
        self._writer = threading.Thread(target=self._write, name="archive", daemon=True)
        self._writer.start()

    def add(self, record: Record) -> None:
        """Has a record kept, as soon as may be."""
        self._waiting.append(record)
        self._something.release()

    def find(self, number: int) -> Record | None:
        """The record of this number, None if there is none. Raises BadRecord."""
        found = self._select("SELECT number, content FROM records WHERE number = ?", number)
        return found[0].record if found else None

    def latest(self, most: int) -> list[ArchivedRecord]:
        """So many records at most, the newest first."""
        return self._select(
            "SELECT number, content FROM records ORDER BY number DESC LIMIT ?", most
        )

    def close(self) -> None:
        """Writes what has not been written yet."""
        self._waiting.append(None)
        self._something.release()
        self._writer.join(SECONDS_TO_FINISH)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _select(self, query: str, parameter: int) -> list[ArchivedRecord]:
        connection = self._open()
        try:
            rows = connection.execute(query, (parameter,)).fetchall()
        except sqlite3.Error as error:
            raise BadRecord(f"cannot read {self._path}: {error}") from None
        finally:
            connection.close()
        return [ArchivedRecord(number, Record.from_json(content)) for number, content in rows]

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path)

    def _write(self) -> None:
        connection = self._open()
        is_open = True
        while is_open:
            self._something.acquire()
            batch: list[Record] = []
            while self._waiting:
                record = self._waiting.popleft()
                if record is None:
                    is_open = False
                else:
                    batch.append(record)
            if batch:
                self._keep(connection, batch)
        connection.close()

    def _keep(self, connection: sqlite3.Connection, batch: Sequence[Record]) -> None:
        rows = [(record.game, record.to_json()) for record in batch]
        try:
            with connection:
                connection.executemany("INSERT INTO records (game, content) VALUES (?, ?)", rows)
        except sqlite3.Error:
            log.exception("%s records are lost: cannot write %s", len(batch), self._path)


def _why(error: OSError | sqlite3.Error) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
