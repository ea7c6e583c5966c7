"""Where a hall keeps things: SQLite in a folder, or PostgreSQL by its URL.

The same statements for both. They are written with `?` for parameters and, in migrations, with
{number} for a number that the database gives out, {key} for one that it does not, {bytes} for bytes
and {mark} for a mark of its own.
"""

import contextlib
import fcntl
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO
from uuid import uuid4

from gamehall.storage.migrations import MIGRATIONS, NEW_JOURNAL

FILE = "hall.sqlite"
SECONDS_TO_WAIT = 30.0
"""For somebody else who is writing."""


SECONDS_FOR_THE_DEAD = 3
"""How long a claim may outlive the hall that had it."""

IN_USE = "another hall keeps its things in {}: give this one a place of its own with --data"


EXCHANGED = (
    "{} is empty, or not the database that the last hall here has used: restore a backup, or start"
    " with --fresh to go on with it as it is"
)

TEMPORARY = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}
"""What SQLite says when there is no room left, or somebody else is writing."""


class StorageError(Exception):
    """The database cannot be used. The text tells a person why."""

    def __init__(self, reason: str, is_temporary: bool = False) -> None:
        """`is_temporary`: whether the same may succeed later, as when the disk is full."""
        super().__init__(reason)
        self.is_temporary = is_temporary


class Connection:
    """A conversation with a database, for one thread."""

    def __init__(self, raw: Any, placeholder: str, faults: tuple[type[Exception], ...]) -> None:
        """`raw`: a connection as Python's database modules have it, without transactions."""
        self._raw = raw
        self._placeholder = placeholder
        self._faults = faults

    @contextlib.contextmanager
    def transaction(self, begin: str = "BEGIN") -> Iterator[None]:
        """All of what is done within, or nothing. Raises StorageError."""
        try:
            self._raw.execute(begin)
            try:
                yield
            except BaseException:
                # Where that fails too, it is the first failure that tells why.
                with contextlib.suppress(*self._faults):
                    self._raw.execute("ROLLBACK")
                raise
            self._raw.execute("COMMIT")
        except self._faults as error:
            raise _storage_error(error) from error

    def run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Runs a statement, and gives the rows that it finds. Raises StorageError."""
        try:
            cursor = self._raw.execute(self._fitting(statement), parameters)
            return list(cursor.fetchall()) if cursor.description else []
        except self._faults as error:
            raise _storage_error(error) from error

    def run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Runs a statement for each of these. Raises StorageError."""
        try:
            self._raw.cursor().executemany(self._fitting(statement), rows)
        except self._faults as error:
            raise _storage_error(error) from error

    def close(self) -> None:
        """Ends the conversation."""
        # It has nothing more to say that could be lost.
        with contextlib.suppress(*self._faults):
            self._raw.close()

    def _fitting(self, statement: str) -> str:
        return statement.replace("?", self._placeholder)


class Database(ABC):
    """A database whose tables are as this version wants them."""

    name: str
    """For people."""
    has_dropped_games = False
    """Whether games in play were in a form that this version cannot read, and are dropped."""

    words: Mapping[str, str]
    """Its own words in migrations."""
    begin_alone = "BEGIN"
    lock = "SELECT 1"
    """What begins a transaction, and what in it keeps out everybody else who wants that too."""

    @abstractmethod
    def connect(self) -> Connection:
        """A new conversation. Raises StorageError."""

    @abstractmethod
    def claim(self, fresh: bool = False) -> None:
        """Keep other halls out as long as this program runs.

        `fresh`: whether it does not matter that the database may have been emptied or exchanged.
        Raises StorageError.
        """

    @abstractmethod
    def release(self) -> None:
        """Has others claim it, if this program has."""

    def connect_to_write(self) -> Connection:
        """The conversation in which a hall writes. Raises StorageError."""
        return self.connect()

    def __init__(self) -> None:
        connection = self.connect()
        try:
            with connection.transaction(self.begin_alone):
                self._migrate(connection)
        finally:
            connection.close()

    def _migrate(self, connection: Connection) -> None:
        """Brings the tables up to date, by what is missing. Raises StorageError."""
        connection.run(self.lock)
        connection.run("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)")
        done = {number for (number,) in connection.run("SELECT number FROM migrations")}
        if done and max(done) > len(MIGRATIONS):
            raise StorageError("a newer version of gamehall has written there")
        for number, statements in enumerate(MIGRATIONS, 1):
            if number not in done:
                if number == NEW_JOURNAL:
                    self.has_dropped_games = bool(connection.run("SELECT 1 FROM epochs LIMIT 1"))
                for statement in statements:
                    words = {**self.words, "mark": uuid4().hex}
                    connection.run(statement.format_map(words))
                connection.run("INSERT INTO migrations (number) VALUES (?)", number)


class Sqlite(Database):
    """A file in a folder, which is made if need be."""

    words = {
        "number": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "key": "INTEGER PRIMARY KEY",
        "bytes": "BLOB",
    }
    begin_alone = "BEGIN IMMEDIATE"

    def __init__(self, folder: Path, survives_power_cuts: bool = False) -> None:
        """`survives_power_cuts`: sync every transaction, which takes as long as the disk does.

        Raises StorageError.
        """
        self.survives_power_cuts = survives_power_cuts
        self.name = str(folder)
        self._path = folder / FILE
        self._lock: TextIO | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot use {folder}: {error.strerror}") from None
        super().__init__()

    def connect(self) -> Connection:
        try:
            raw = sqlite3.connect(
                self._path,
                timeout=SECONDS_TO_WAIT,
                isolation_level=None,
                check_same_thread=False,
            )
            # With a write-ahead log a transaction outlives the death of the program, at once.
            raw.execute("PRAGMA journal_mode = WAL")
            synchronous = "FULL" if self.survives_power_cuts else "NORMAL"
            raw.execute(f"PRAGMA synchronous = {synchronous}")
        except sqlite3.Error as error:
            raise StorageError(f"cannot use {self._path}: {error}") from None
        return Connection(raw, "?", (sqlite3.Error,))

    def claim(self, fresh: bool = False) -> None:
        try:
            self._lock = self._path.with_suffix(".lock").open("a+")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._check_mark(self._lock, fresh)
        except BlockingIOError:
            self.release()
            raise StorageError(IN_USE.format(self.name)) from None
        except OSError as error:
            raise StorageError(f"cannot use {self.name}: {error.strerror}") from None

    def _check_mark(self, lock: TextIO, fresh: bool) -> None:
        """Compare the mark of the database with the one that its last hall left in the lock file.

        Raises StorageError if they differ: then the database was emptied or exchanged.
        """
        connection = self.connect()
        rows = connection.run("SELECT mark FROM hall")
        connection.close()
        mark = rows[0][0] if rows else "missing"
        lock.seek(0)
        known = lock.read().strip()
        if known and known != mark and not fresh:
            self.release()
            raise StorageError(EXCHANGED.format(self._path))
        lock.truncate(0)
        lock.write(mark)
        lock.flush()

    def release(self) -> None:
        if self._lock is not None:
            self._lock.close()


class Postgres(Database):
    """A PostgreSQL server, by its URL."""

    words = {
        "number": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "key": "BIGINT PRIMARY KEY",
        "bytes": "BYTEA",
    }
    lock = "SELECT pg_advisory_xact_lock(8414)"

    def __init__(self, url: str) -> None:
        """Raises StorageError."""
        try:
            import psycopg
        except ImportError:
            raise StorageError("PostgreSQL needs psycopg: pip install 'psycopg[binary]'") from None
        self._psycopg = psycopg
        self._url = url
        self._claim: Connection | None = None
        self.name = "the database"
        super().__init__()

    def connect(self) -> Connection:
        error_kinds = (self._psycopg.Error,)
        try:
            raw = self._psycopg.connect(self._url, autocommit=True, connect_timeout=10)
        except error_kinds as error:
            raise StorageError(f"cannot use PostgreSQL: {_in_words(error)}") from None
        return Connection(raw, "%s", error_kinds)

    def claim(self, fresh: bool = False) -> None:
        self._claim = self.connect()
        # A hall that has just died may still have something on its way to be written.
        self._claim.run(f"SET lock_timeout = '{SECONDS_FOR_THE_DEAD}s'")
        try:
            self._claim.run("SELECT pg_advisory_lock(8415)")
        except StorageError:
            self._claim.close()
            raise StorageError(IN_USE.format(self.name)) from None
        self._claim.run("SET lock_timeout = 0")

    def release(self) -> None:
        if self._claim is not None:
            self._claim.close()

    def connect_to_write(self) -> Connection:
        """That which holds the claim: whoever loses the claim cannot write any more."""
        return self._claim or self.connect()


def open_database(where: str | Path, survives_power_cuts: bool = False) -> Database:
    """Open a database: a folder, or a URL that begins with postgresql://. Raises StorageError.

    `survives_power_cuts` is for a folder: what a server of its own promises is its matter.
    """
    return Postgres(str(where)) if is_url(where) else Sqlite(Path(where), survives_power_cuts)


def is_kept(where: str | Path) -> bool:
    """Whether there is a database there already; of one elsewhere nothing else is known."""
    return is_url(where) or (Path(where) / FILE).exists()


def is_url(where: str | Path) -> bool:
    """Whether that is a database elsewhere, and not a folder."""
    return str(where).startswith(("postgresql://", "postgres://"))


def _storage_error(error: Exception) -> StorageError:
    code = getattr(error, "sqlite_errorcode", 0)
    return StorageError(_in_words(error), code in TEMPORARY or code & 0xFF in TEMPORARY)


def _in_words(error: Exception) -> str:
    return " ".join(str(error).split())
