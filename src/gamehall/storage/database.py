"""The database of a server: an SQLite file in a folder, or PostgreSQL by its URL.

Both use the same SQL statements, with `?` for parameters. Migrations also use the placeholders
{number} (a primary key that the database assigns), {key} (one that it does not), {bytes} (the type
of bytes) and {mark} (a random identifier of the database).
"""

import contextlib
import fcntl
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO
from uuid import uuid4

from gamehall.core import GamehallError
from gamehall.storage.migrations import MIGRATIONS

FILE: Final = "hall.sqlite"
LOCK_FILE: Final = "hall.lock"
"""Locked by the server that uses the folder. It contains the mark of the database."""

PRIVATE: Final = 0o600
"""The mode of files that only their owner may read and write."""

SECONDS_TO_WAIT: Final = 30.0
"""How long a statement waits for another connection that is writing."""

SECONDS_FOR_OLD_CLAIM: Final = 3
"""How long PostgreSQL may take to end the claim of a server that has died."""

POSTGRES_PARAMETERS: Final[Mapping[str, str | int]] = {
    "connect_timeout": 10,
    # Even a stopped database server acknowledges packets: its operating system does. A machine that
    # does not for 25 to 30 seconds has vanished.
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""The defaults for connection parameters that the URL does not set."""

DETECT_VANISHED_CLIENT: Final = (
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
    "SET tcp_user_timeout = 30000",
)
"""The same for PostgreSQL's end, so that the claim of a vanished machine ends."""

MIGRATION_KEY: Final = 8414
"""The advisory lock that excludes other migrations."""

CLAIM_KEY: Final = 8415
"""The advisory lock that a server holds while it uses the database."""

CLAIM_HOLDERS: Final = (
    "SELECT pid, application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND classid = 0 AND objid = ? AND objsubid = 1 AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)

IN_USE: Final = "another server uses {}: choose another folder or database with --data"
TAKEN_OVER: Final = (
    "another server has started to use the database, so this one stops. All moves that it has"
    " acknowledged are stored"
)
OWN_CLAIM: Final = "PostgreSQL has not closed the lost connection yet"
NEWER: Final = "a newer version of gamehall has used this database"
OLDER: Final = "an earlier version of gamehall has used this database: run `gamehall serve` once"

EXCHANGED: Final = (
    "{} is empty, or not the database that the last server here has used: restore a backup, or"
    " start with --fresh to use it as it is"
)
EMPTIED: Final = (
    "{} is damaged: the table `hall` must have one row, and has {}. Restore a backup, or start with"
    " --fresh, which drops the games in play and keeps the records"
)
DAMAGED: Final = "{} is damaged: {}. Restore a backup, or choose another folder with --data"

SQLITE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""UnicodeDecodeError is raised if a damaged file leads to an unreadable error message."""

TEMPORARY: Final = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    # SQLite reports quotas, limits of file sizes and defects alike by these. It is safe to try
    # again: an unwritten move was not acknowledged.
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}
"""SQLite's error codes for a full disk, and for a lock that another connection holds."""

TEMPORARY_STATES: Final = {
    "53000",  # insufficient resources
    "53100",  # disk full
    "53200",  # out of memory
    "53300",  # too many connections
    "53400",  # configuration limit exceeded
    "40001",  # serialization failure
    "40P01",  # deadlock
    "55P03",  # lock not available
    "57014",  # cancelled, by a statement_timeout or an administrator
    "25006",  # read only: a standby that is not the primary yet
    "58030",  # I/O error, by which some file systems report a quota
}
"""PostgreSQL's codes for the same. An error that loses the connection is temporary as well."""


class StorageError(GamehallError):
    """The database cannot be used. The message says why."""

    def __init__(self, reason: str, is_temporary: bool = False) -> None:
        """`is_temporary`: the same may succeed later, as when the disk is full."""
        super().__init__(reason)
        self.is_temporary = is_temporary


def make_private(path: Path) -> None:
    """Create a file unless it exists, and make it private to its owner. Raises OSError.

    The permissions of a file that belongs to another user are not changed.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, PRIVATE)
    finally:
        os.close(descriptor)


class DatabaseConnection:
    """A connection to a database, for one thread at a time."""

    def __init__(
        self,
        raw: Any,
        placeholder: str,
        errors: tuple[type[Exception], ...],
        lost_errors: tuple[type[Exception], ...] = (),
    ) -> None:
        """Wrap a connection.

        Args:
            raw: a connection of sqlite3 or psycopg, in autocommit mode.
            placeholder: the placeholder for parameters in statements.
            errors: the exceptions that the module raises.
            lost_errors: those that mean that the connection is lost, unless they have an SQLSTATE.
        """
        self._raw = raw
        self._placeholder = placeholder
        self._errors = errors
        self._lost_errors = lost_errors

    @property
    def is_lost(self) -> bool:
        """True if the connection to the database server is closed or broken."""
        # Connections of sqlite3 cannot be lost, and do not have the attribute.
        return bool(getattr(self._raw, "closed", False))

    @contextlib.contextmanager
    def transaction(self, begin: str = "BEGIN") -> Iterator[None]:
        """Run all statements in the block, or none. Raises StorageError."""
        try:
            self._raw.execute(begin)
            try:
                yield
                self._raw.execute("COMMIT")
            except BaseException:
                # SQLite may have rolled back by itself. The first error is the one that matters.
                with contextlib.suppress(*self._errors):
                    self._raw.execute("ROLLBACK")
                raise
        except self._errors as error:
            raise self._storage_error(error) from error

    def run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows. Raises StorageError."""
        return list(self.rows(statement, *parameters))

    def rows(self, statement: str, *parameters: object) -> Iterator[tuple[Any, ...]]:
        """Run a statement, and yield its rows. Raises StorageError."""
        try:
            cursor = self._raw.execute(self._fitting(statement), parameters)
            if cursor.description:
                yield from cursor
        except self._errors as error:
            raise self._storage_error(error) from error

    def run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each row of parameters. Raises StorageError."""
        try:
            self._raw.cursor().executemany(self._fitting(statement), rows)
        except self._errors as error:
            raise self._storage_error(error) from error

    def write(
        self, begin: str, statements: Iterable[tuple[str, Sequence[Sequence[object]]]]
    ) -> None:
        """Run statements, each with its rows of parameters, in one transaction.

        The same as `run_many` in a `transaction`, but faster: the journal calls it in every turn
        of the event loop. Raises StorageError.
        """
        cursor = self._raw.cursor()
        try:
            cursor.execute(begin)
            try:
                for statement, rows in statements:
                    cursor.executemany(statement.replace("?", self._placeholder), rows)
                cursor.execute("COMMIT")
            except BaseException:
                # SQLite may have rolled back by itself. The first error is the one that matters.
                with contextlib.suppress(*self._errors):
                    cursor.execute("ROLLBACK")
                raise
        except self._errors as error:
            raise self._storage_error(error) from error

    def close(self) -> None:
        """Close the connection. Errors are ignored: all commits are stored already."""
        with contextlib.suppress(*self._errors):
            self._raw.close()

    def _fitting(self, statement: str) -> str:
        return statement.replace("?", self._placeholder)

    def _storage_error(self, error: Exception) -> StorageError:
        if isinstance(error, self._lost_errors) and getattr(error, "sqlstate", None) is None:
            # psycopg does not always notice a loss by itself, such as in the middle of executemany.
            self.close()
        code = getattr(error, "sqlite_errorcode", 0)
        is_temporary = (
            self.is_lost
            or code in TEMPORARY
            # The lowest byte is the primary code of an extended code.
            or code & 0xFF in TEMPORARY
            or getattr(error, "sqlstate", None) in TEMPORARY_STATES
        )
        return StorageError(_on_one_line(error), is_temporary)


class Database(ABC):
    """A database whose tables have the current version: it is migrated when it is opened."""

    name: str
    """The name in messages."""
    has_dropped_games = False
    """Set by `claim`: True if a migration has dropped games in play of an earlier version."""

    placeholders: Mapping[str, str]
    """The values of the placeholders in migrations."""
    begin_exclusive = "BEGIN"
    """Begins a transaction for writing. With SQLite it excludes all other writers."""
    migration_lock = "SELECT 1"
    """The statement that excludes other migrations, where `begin_exclusive` does not."""

    def __init__(self) -> None:
        connection = self.connect()
        try:
            with connection.transaction(self.begin_exclusive):
                self._migrate(connection)
        finally:
            connection.close()

    @abstractmethod
    def connect(self, seconds_to_wait: float | None = None) -> DatabaseConnection:
        """Return a new connection. Raises StorageError.

        Args:
            seconds_to_wait: the timeout for connecting and for each statement. None for the
                default, which is long enough for a server or a command.
        """

    @abstractmethod
    def release(self) -> None:
        """Give up the claim, if there is one."""

    @abstractmethod
    def _take_claim(self) -> None:
        """Raise StorageError if another server uses this database."""

    @abstractmethod
    def _check_mark(self, mark: str, fresh: bool) -> None:
        """Raise StorageError if this is not the database that was used here before."""

    def claim(self, fresh: bool = False) -> None:
        """Prevent other servers from using the database while this process runs.

        Args:
            fresh: accept a database that was emptied or exchanged.

        Raises:
            StorageError: another server uses the database, or it is damaged.
        """
        self._take_claim()
        try:
            connection = self.connect()
            try:
                self._check_hall(connection, fresh)
            finally:
                connection.close()
        except StorageError:
            self.release()
            raise

    def connect_to_write(self) -> DatabaseConnection:
        """Return a connection for the journal. Raises StorageError."""
        return self.connect()

    def _migrate(self, connection: DatabaseConnection) -> None:
        """Bring the tables up to date. Raises StorageError."""
        connection.run(self.migration_lock)
        connection.run("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)")
        done = {number for (number,) in connection.run("SELECT number FROM migrations")}
        if done != set(range(1, len(done) + 1)):
            raise StorageError(DAMAGED.format(self.name, "its table `migrations` was changed"))
        if len(done) > len(MIGRATIONS):
            raise StorageError(NEWER)
        for number, statements in enumerate(MIGRATIONS, 1):
            if number not in done:
                for statement in statements:
                    values = {**self.placeholders, "mark": _new_mark()}
                    connection.run(statement.format_map(values))
                connection.run("INSERT INTO migrations (number) VALUES (?)", number)

    def _check_hall(self, connection: DatabaseConnection, fresh: bool) -> None:
        """Check the one row of the table `hall`. With `fresh`, replace it if it is missing."""
        try:
            rows = connection.run("SELECT mark, has_dropped_games FROM hall")
        except StorageError as error:
            raise StorageError(DAMAGED.format(self.name, error)) from error
        if len(rows) != 1:
            if not fresh:
                raise StorageError(EMPTIED.format(self.name, len(rows)))
            rows = [(_new_mark(), 0)]
            with connection.transaction(self.begin_exclusive):
                connection.run("DELETE FROM hall")
                connection.run(
                    "INSERT INTO hall (mark, rooms, checksum, has_dropped_games)"
                    " VALUES (?, 0, 0, 0)",
                    rows[0][0],
                )
        [(mark, self.has_dropped_games)] = rows
        self._check_mark(mark, fresh)
        if self.has_dropped_games:
            connection.run("UPDATE hall SET has_dropped_games = 0")


class Sqlite(Database):
    """An SQLite file in a folder. Both are created if they do not exist."""

    placeholders = {
        "number": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "key": "INTEGER PRIMARY KEY",
        "bytes": "BLOB",
    }
    begin_exclusive = "BEGIN IMMEDIATE"

    def __init__(self, folder: Path, survives_power_cuts: bool = False) -> None:
        """Open or create the database. Raises StorageError.

        Args:
            survives_power_cuts: wait for the disk at every commit, which is slow.
        """
        self.survives_power_cuts = survives_power_cuts
        self.name = str(folder)
        self._path = folder / FILE
        self._lock_path = folder / LOCK_FILE
        self._lock: TextIO | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot use {folder}: {error.strerror}") from None
        super().__init__()

    def connect(self, seconds_to_wait: float | None = None) -> DatabaseConnection:
        try:
            if not self._path.exists():
                make_private(self._path)
            raw = sqlite3.connect(
                self._path,
                timeout=SECONDS_TO_WAIT if seconds_to_wait is None else seconds_to_wait,
                isolation_level=None,
                check_same_thread=False,
            )
            # With a write-ahead log, a commit survives a crash of the process without a sync.
            raw.execute("PRAGMA journal_mode = WAL")
            synchronous = "FULL" if self.survives_power_cuts else "NORMAL"
            raw.execute(f"PRAGMA synchronous = {synchronous}")
        except SQLITE_ERRORS as error:
            raise StorageError(f"cannot use {self._path}: {error}") from None
        except OSError as error:
            raise StorageError(f"cannot use {self._path}: {error.strerror}") from None
        return DatabaseConnection(raw, "?", SQLITE_ERRORS)

    def connect_to_write(self) -> DatabaseConnection:
        """Return a connection that does not wait for locks: the journal tries again by itself."""
        connection = self.connect()
        connection.run("PRAGMA busy_timeout = 0")
        return connection

    def release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _take_claim(self) -> None:
        try:
            make_private(self._path)
            make_private(self._lock_path)
            self._lock = self._lock_path.open("a+", errors="replace")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise StorageError(IN_USE.format(self.name)) from None
        except OSError as error:
            raise StorageError(f"cannot use {self._lock_path}: {error.strerror}") from None

    def _check_mark(self, mark: str, fresh: bool) -> None:
        """Compare the mark of the database with the lock file. Write it if the file is empty."""
        assert self._lock is not None
        try:
            self._lock.seek(0)
            known = self._lock.read().strip()
            if known == mark:
                return
            if known and not fresh:
                raise StorageError(EXCHANGED.format(self._path))
            self._lock.truncate(0)
            self._lock.write(mark)
            self._lock.flush()
        except OSError as error:
            raise StorageError(f"cannot use {self._lock_path}: {error.strerror}") from None


class Postgres(Database):
    """A PostgreSQL database."""

    placeholders = {
        "number": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "key": "BIGINT PRIMARY KEY",
        "bytes": "BYTEA",
    }
    migration_lock = f"SELECT pg_advisory_xact_lock({MIGRATION_KEY})"

    def __init__(self, url: str) -> None:
        """Connect, and migrate the tables. Raises StorageError."""
        self._url = url
        self._claim: DatabaseConnection | None = None
        self._claimant = f"gamehall {uuid4().hex}"
        """The application name of the claim, by which this server recognises its lost claim."""
        self.name = "the database"
        super().__init__()

    def connect(self, seconds_to_wait: float | None = None) -> DatabaseConnection:
        if seconds_to_wait is None:
            return _connect_to_postgres(self._url)
        # libpq takes whole seconds, of which it allows no less than 2.
        seconds = max(2, round(seconds_to_wait))
        connection = _connect_to_postgres(self._url, connect_timeout=seconds)
        try:
            connection.run(f"SET statement_timeout = '{seconds}s'")
        except StorageError:
            connection.close()
            raise
        return connection

    def release(self) -> None:
        if self._claim is not None:
            self._claim.close()
            self._claim = None

    def connect_to_write(self) -> DatabaseConnection:
        """Return the connection that holds the claim, so that nothing is written without it."""
        return self._claim or self.connect()

    def claim_again(self) -> DatabaseConnection:
        """Take the claim again after its connection was lost. Return the new connection.

        After success, PostgreSQL does not execute anything more from the old connection.

        Raises:
            StorageError: temporary while the database cannot be reached, or has not yet noticed
                the loss; not temporary if another server has the claim.
        """
        self.release()
        try:
            connection = self._connect_to_claim()
        except StorageError as error:
            raise StorageError(str(error), is_temporary=True) from None
        try:
            [(is_claimed,)] = connection.run("SELECT pg_try_advisory_lock(?)", CLAIM_KEY)
            if not is_claimed:
                self._end_own_claim(connection)
        except StorageError:
            connection.close()
            raise
        self._claim = connection
        return connection

    def _end_own_claim(self, connection: DatabaseConnection) -> NoReturn:
        """End this server's lost connection. Raise a temporary StorageError in any case.

        The error is not temporary if another server has the claim.
        """
        for pid, claimant in connection.run(CLAIM_HOLDERS, CLAIM_KEY):
            if claimant != self._claimant:
                raise StorageError(TAKEN_OVER)
            connection.run("SELECT pg_terminate_backend(?)", pid)
        raise StorageError(OWN_CLAIM, is_temporary=True)

    def _connect_to_claim(self) -> DatabaseConnection:
        connection = _connect_to_postgres(self._url, application_name=self._claimant)
        try:
            for statement in DETECT_VANISHED_CLIENT:
                connection.run(statement)
        except StorageError:
            connection.close()
            raise
        return connection

    def _take_claim(self) -> None:
        self._claim = self._connect_to_claim()
        # PostgreSQL may still be executing statements of a server that has just died.
        self._claim.run(f"SET lock_timeout = '{SECONDS_FOR_OLD_CLAIM}s'")
        try:
            self._claim.run("SELECT pg_advisory_lock(?)", CLAIM_KEY)
        except StorageError:
            self.release()
            raise StorageError(IN_USE.format(self.name)) from None
        self._claim.run("SET lock_timeout = 0")

    def _check_mark(self, mark: str, fresh: bool) -> None:
        """Do nothing: there is no lock file to compare the mark with."""


def open_database(where: str | Path, survives_power_cuts: bool = False) -> Database:
    """Open the database in a folder, or at a URL (postgresql://...). Raises StorageError.

    Args:
        survives_power_cuts: for a folder only. PostgreSQL has its own setting.
    """
    return Postgres(str(where)) if is_url(where) else Sqlite(Path(where), survives_power_cuts)


@contextlib.contextmanager
def open_snapshot(where: str | Path) -> Iterator[DatabaseConnection]:
    """Open a read-only snapshot of a database, which a server may be using. Raises StorageError."""
    if is_url(where):
        connection = _connect_to_postgres(str(where))
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    else:
        connection = _connect_to_read(Path(where) / FILE)
        begin = "BEGIN"
    try:
        with connection.transaction(begin):
            done = [number for (number,) in connection.run("SELECT number FROM migrations")]
            last = max(done, default=0)
            if last != len(MIGRATIONS):
                raise StorageError(OLDER if last < len(MIGRATIONS) else NEWER)
            yield connection
    finally:
        connection.close()


def is_exchanged(where: str | Path, mark: str) -> bool:
    """Return True if a server last used another database there than the one with this mark."""
    if is_url(where):
        return False
    try:
        known = (Path(where) / LOCK_FILE).read_text(errors="replace").strip()
    except OSError:
        return False
    return bool(known) and known != mark


def database_exists(where: str | Path) -> bool:
    """Return True if there is a database. For a URL this is assumed."""
    return is_url(where) or (Path(where) / FILE).exists()


def is_url(where: str | Path) -> bool:
    """Return True for the URL of a database, False for a folder."""
    return str(where).startswith(("postgresql://", "postgres://"))


def _connect_to_read(path: Path) -> DatabaseConnection:
    try:
        raw = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            timeout=SECONDS_TO_WAIT,
            isolation_level=None,
        )
    except SQLITE_ERRORS as error:
        raise StorageError(f"cannot read {path}: {error}") from None
    return DatabaseConnection(raw, "?", SQLITE_ERRORS)


def _connect_to_postgres(url: str, **parameters: str | int) -> DatabaseConnection:
    """Connect. `parameters` override those of the URL. Raises StorageError."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise StorageError("PostgreSQL needs psycopg: pip install 'psycopg[binary]'") from None
    try:
        wanted: dict[str, Any] = {**POSTGRES_PARAMETERS, **conninfo_to_dict(url), **parameters}
        raw = psycopg.connect(autocommit=True, **wanted)
    except psycopg.Error as error:
        raise StorageError(f"cannot use PostgreSQL: {_on_one_line(error)}") from None
    lost_errors = (psycopg.OperationalError, psycopg.InterfaceError)
    return DatabaseConnection(
        raw=raw, placeholder="%s", errors=(psycopg.Error,), lost_errors=lost_errors
    )


def _new_mark() -> str:
    return uuid4().hex


def _on_one_line(error: Exception) -> str:
    return " ".join(str(error).split())
