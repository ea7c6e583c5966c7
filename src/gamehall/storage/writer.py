"""What is written to the database while the hall plays: by a thread, in groups, in order."""

import threading
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from queue import SimpleQueue
from typing import NamedTuple

from gamehall.rooms.counts import JournalCounts
from gamehall.storage.database import Connection, Database, StorageError

SECONDS_TO_FINISH = 10.0
MOST_AT_ONCE = 5000
"""How much goes into one transaction, so that nobody waits for a long one."""


class Work(NamedTuple):
    """A statement, and its parameters."""

    statement: str
    parameters: tuple[object, ...]


class Writer:
    """Writes what it is given, in order; whatever waits is written in one transaction.

    What is given at once is written at once or not at all. When a database fails, nothing more is
    written: whoever gave it must not go on as if it had been.
    """

    def __init__(self, database: Database) -> None:
        """Raises StorageError."""
        self.counts = JournalCounts()
        self._connection = database.connect_to_write()
        self._waiting: SimpleQueue[Sequence[Work] | None] = SimpleQueue()
        self._given = 0
        self._written = 0
        self._when_written: Callable[[int], None] = _ignore
        self._when_failed: Callable[[str], None] = _ignore
        self._failure: str | None = None
        self._news = threading.Lock()
        """Held while it is settled what there is to hear, and who hears it."""
        self._thread = threading.Thread(target=self._write, name="database", daemon=True)
        self._thread.start()

    def report_to(self, written: Callable[[int], None], failed: Callable[[str], None]) -> None:
        """From now on `written` hears the number of the last that is safe, `failed` why no more is.

        What was to be heard before is heard now; the rest comes from the writer's own thread.
        """
        with self._news:
            self._when_written, self._when_failed = written, failed
            number, failure = self._written, self._failure
        if number:
            written(number)
        if failure is not None:
            failed(failure)

    @property
    def next_number(self) -> int:
        """What is given next will have this number."""
        return self._given + 1

    def put(self, *works: Work) -> int:
        """Has these written, all or none; gives them a number, which is higher each time."""
        self._given += 1
        self.counts.given = self._given
        self._waiting.put(works)
        return self._given

    def close(self) -> None:
        """Writes what has not been written yet."""
        self._waiting.put(None)
        self._thread.join(SECONDS_TO_FINISH)

    def _write(self) -> None:
        is_open = True
        try:
            while is_open:
                works = self._waiting.get()
                batch: list[Work] = []
                groups = 0
                while works is not None:
                    batch += works
                    groups += 1
                    if len(batch) >= MOST_AT_ONCE or self._waiting.empty():
                        break
                    works = self._waiting.get()
                is_open = works is not None
                began = time.monotonic()
                if batch:
                    _write_all(self._connection, batch)
                    self.counts.seconds.add(time.monotonic() - began)
                if groups:
                    self.counts.written += groups
                    with self._news:
                        self._written += groups
                        tell = self._when_written
                    tell(self._written)
        except StorageError as error:
            with self._news:
                self._failure = str(error)
                tell_failure = self._when_failed
            tell_failure(self._failure)
        self._connection.close()


def _write_all(connection: Connection, batch: Sequence[Work]) -> None:
    with connection.transaction():
        for statement, works in groupby(batch, key=lambda work: work.statement):
            connection.run_many(statement, [work.parameters for work in works])


def _ignore(_what: object) -> None:
    """What is done with news that nobody wants."""
