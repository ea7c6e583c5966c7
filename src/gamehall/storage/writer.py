"""What is written to the database while the hall plays: by a thread, in groups, in order."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from gamehall.storage.database import CannotKeep, Connection, Database

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
        """Raises CannotKeep."""
        self._connection = database.connect()
        self._waiting: deque[Sequence[Work] | None] = deque()
        self._something = threading.Semaphore(0)
        self._given = 0
        self._written = 0
        self._when_written: Callable[[int], None] = _ignore
        self._when_failed: Callable[[str], None] = _ignore
        self._thread = threading.Thread(target=self._write, name="database", daemon=True)
        self._thread.start()

    def report_to(self, written: Callable[[int], None], failed: Callable[[str], None]) -> None:
        """From now on `written` hears the number of the last that is safe, `failed` why no more is.

        Both are called from the writer's own thread.
        """
        self._when_written, self._when_failed = written, failed

    def put(self, *works: Work) -> int:
        """Has these written, all or none; gives them a number, which is higher each time."""
        self._given += 1
        self._waiting.append(works)
        self._something.release()
        return self._given

    def close(self) -> None:
        """Writes what has not been written yet."""
        self._waiting.append(None)
        self._something.release()
        self._thread.join(SECONDS_TO_FINISH)

    def _write(self) -> None:
        is_open = True
        try:
            while is_open:
                self._something.acquire()
                batch: list[Work] = []
                groups = 0
                while self._waiting and len(batch) < MOST_AT_ONCE:
                    works = self._waiting.popleft()
                    if works is None:
                        is_open = False
                        break
                    batch += works
                    groups += 1
                if batch:
                    _write_all(self._connection, batch)
                if groups:
                    self._written += groups
                    self._when_written(self._written)
        except CannotKeep as error:
            self._when_failed(str(error))
        self._connection.close()


def _write_all(connection: Connection, batch: Sequence[Work]) -> None:
    with connection.transaction():
        for statement, works in groupby(batch, key=lambda work: work.statement):
            connection.run_many(statement, [work.parameters for work in works])


def _ignore(_what: object) -> None:
    """What is done with news that nobody wants."""
