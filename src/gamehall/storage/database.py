"""The database of a server: SQLite in a folder, or PostgreSQL by its URL.

The same statements are used for both. They are written with `?` for parameters and, in migrations,
with {number} for a key that the database gives out, {key} for one that it does not, {bytes} for
bytes and {mark} for a random mark.
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

PRIVATE: Final = 0o600
"""The mode of files that only their owner may read and write."""
"""Locked by the server that uses the folder. Its text is the mark of the database."""

SECONDS_TO_WAIT: Final = 30.0
"""How long a statement waits for another connection that is writing."""

SECONDS_FOR_THE_DEAD: Final = 3
"""How long the claim of a server that has died may last on PostgreSQL."""

POSTGRES_PARAMETERS: Final[Mapping[str, str | int]] = {
    "connect_timeout": 10,
    # A server that is slow, or stopped, still acknowledges what it is sent: its system does. One
    # that does not even do that for 25 to 30 seconds has vanished.
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""What is used of the parameters of a connection that the URL does not set."""

NOTICE_A_VANISHED_CLIENT: Final = (
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
    "SET tcp_user_timeout = 30000",
)
"""The same for PostgreSQL's end, so that the claim of a machine that has vanished ends, too."""

CLAIM_KEY: Final = 8415
"""The advisory lock that a server holds as long as it uses the database."""

CLAIM_HOLDERS: Final = (
    "SELECT pid, application_name FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND classid = 0 AND objid = ? AND objsubid = 1 AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)

IN_USE: Final = "another server uses {}: give this one a place of its own with --data"
TAKEN_OVER: Final = (
    "another server has begun to use the database meanwhile, so this one stops. What it has"
    " acknowledged is stored"
)
OWN_CLAIM: Final = "the connection that was lost has not ended on PostgreSQL's side yet"
NEWER: Final = "a newer version of gamehall has written there"
OLDER: Final = "an earlier version of gamehall has written there: start `gamehall serve` once"

EXCHANGED: Final = (
    "{} is empty, or not the database that the last server here has used: restore a backup, or"
    " start with --fresh to go on with it as it is"
)
EMPTIED: Final = (
    "{} is damaged: the table `hall` must have one row, and has {}. Restore a backup, or start with"
    " --fresh, which drops the games in play and keeps the records"
)
DAMAGED: Final = "{} is damaged: {}. Restore a backup, or give another place with --data"

SQLITE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What Python's module raises: also the latter, if a damaged file makes a message unreadable."""

TEMPORARY: Final = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    # SQLite says this of a quota, of a limit for files and of a defect alike. Nothing is lost by
    # trying again: whatever could not be written was not acknowledged.
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
}
"""The codes of SQLite when the disk is full, or another connection is writing."""

TEMPORARY_STATES: Final = {
    "53000",  # something is short
    "53100",  # the disk is full
    "53200",  # no memory
    "53300",  # too many connections
    "53400",  # a limit in the configuration
    "40001",  # transactions in conflict
    "40P01",  # a deadlock
    "55P03",  # a lock that is not available
    "57014",  # cancelled, by a statement_timeout or a person
    "25006",  # a standby, which is not the primary yet
    "58030",  # an error of input or output, which a quota is to some file systems
}
"""The same of PostgreSQL. Any error by which the connection is lost is temporary as well."""


class StorageError(GamehallError):
    """The database cannot be used. The text says why."""

    def __init__(self, reason: str, is_temporary: bool = False) -> None:
        """`is_temporary`: True if the same may succeed later, as when the disk is full."""
        super().__init__(reason)
        self.is_temporary = is_temporary


def make_private(path: Path) -> None:
    """Make a file if there is none, and let only its owner read and write it. Raises OSError.

    A file of another user stays as it is: then that user has decided who may read it.
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
        """`raw`: a connection of Python's database modules that begins no transactions itself.

        `lost_errors`: those after which the connection is of no use, unless the server has sent a
        code with them.
        """
        self._raw = raw
        self._placeholder = placeholder
        self._errors = errors
        self._lost_errors = lost_errors

    @property
    def is_lost(self) -> bool:
        """Return True if the server has closed the connection, or cannot be reached by it."""
        # A connection to SQLite is never lost, and its class does not have the attribute.
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
        """Run a statement, and return the rows that it finds. Raises StorageError."""
        return list(self.rows(statement, *parameters))

    def rows(self, statement: str, *parameters: object) -> Iterator[tuple[Any, ...]]:
        """Run a statement, and yield the rows that it finds one by one. Raises StorageError."""
        try:
            cursor = self._raw.execute(self._fitting(statement), parameters)
            if cursor.description:
                yield from cursor
        except self._errors as error:
            raise self._storage_error(error) from error

    def run_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each of the rows of parameters. Raises StorageError."""
        try:
            self._raw.cursor().executemany(self._fitting(statement), rows)
        except self._errors as error:
            raise self._storage_error(error) from error

    def write(
        self, begin: str, statements: Iterable[tuple[str, Sequence[Sequence[object]]]]
    ) -> None:
        """Run statements, each for some rows of parameters, in one transaction.

        The journal does this once per turn of the event loop, so it is in one piece. Raises
        StorageError.
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
        """Close the connection."""
        # Whatever was committed is stored; an error here has nothing to add.
        with contextlib.suppress(*self._errors):
            self._raw.close()

    def _fitting(self, statement: str) -> str:
        return statement.replace("?", self._placeholder)

    def _storage_error(self, error: Exception) -> StorageError:
        if isinstance(error, self._lost_errors) and getattr(error, "sqlstate", None) is None:
            # For example the connection was cut in the middle of many statements.
            self.close()
        code = getattr(error, "sqlite_errorcode", 0)
        is_temporary = (
            self.is_lost
            or code in TEMPORARY
            # The lowest byte tells the kind of error, the rest more about it.
            or code & 0xFF in TEMPORARY
            or getattr(error, "sqlstate", None) in TEMPORARY_STATES
        )
        return StorageError(_in_words(error), is_temporary)


class Database(ABC):
    """A database whose tables are those of this version."""

    name: str
    """For messages."""
    has_dropped_games = False
    """After `claim`: True if games in play were dropped that an earlier version had stored."""

    words: Mapping[str, str]
    """What the words in braces mean in migrations."""
    begin_alone = "BEGIN"
    lock = "SELECT 1"
    """How to begin a transaction, and what to run in it, to keep out others who do the same."""

    @abstractmethod
    def connect(self, seconds_to_wait: float | None = None) -> DatabaseConnection:
        """Return a new connection. Raises StorageError.

        `seconds_to_wait`: how long to wait for the connection, and for the answer to a statement;
        None for as long as it may take a server or a command.
        """

    @abstractmethod
    def release(self) -> None:
        """Give up the claim, if there is one."""

    @abstractmethod
    def _keep_others_out(self) -> None:
        """Raises StorageError if another server uses this database."""

    @abstractmethod
    def _check_mark(self, mark: str, fresh: bool) -> None:
        """Raises StorageError if this is not the database that was used here before."""

    def claim(self, fresh: bool = False) -> None:
        """Keep other servers out as long as this program runs.

        `fresh`: accept a database that was emptied or exchanged. Raises StorageError.
        """
        self._keep_others_out()
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
        """Return the connection with which a server writes. Raises StorageError."""
        return self.connect()

    def __init__(self) -> None:
        connection = self.connect()
        try:
            with connection.transaction(self.begin_alone):
                self._migrate(connection)
        finally:
            connection.close()

    def _migrate(self, connection: DatabaseConnection) -> None:
        """Bring the tables up to date. Raises StorageError."""
        connection.run(self.lock)
        connection.run("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)")
        done = {number for (number,) in connection.run("SELECT number FROM migrations")}
        if done != set(range(1, len(done) + 1)):
            raise StorageError(DAMAGED.format(self.name, "its table `migrations` was changed"))
        if len(done) > len(MIGRATIONS):
            raise StorageError(NEWER)
        for number, statements in enumerate(MIGRATIONS, 1):
            if number not in done:
                for statement in statements:
                    words = {**self.words, "mark": _new_mark()}
                    connection.run(statement.format_map(words))
                connection.run("INSERT INTO migrations (number) VALUES (?)", number)

    def _check_hall(self, connection: DatabaseConnection, fresh: bool) -> None:
        """Check the row about the database as a whole; with `fresh`, write it again if need be."""
        try:
            rows = connection.run("SELECT mark, has_dropped_games FROM hall")
        except StorageError as error:
            raise StorageError(DAMAGED.format(self.name, error)) from error
        if len(rows) != 1:
            if not fresh:
                raise StorageError(EMPTIED.format(self.name, len(rows)))
            rows = [(_new_mark(), 0)]
            with connection.transaction(self.begin_alone):
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
            # With a write-ahead log a transaction survives the death of the program at once.
            raw.execute("PRAGMA journal_mode = WAL")
            synchronous = "FULL" if self.survives_power_cuts else "NORMAL"
            raw.execute(f"PRAGMA synchronous = {synchronous}")
        except SQLITE_ERRORS as error:
            raise StorageError(f"cannot use {self._path}: {error}") from None
        except OSError as error:
            raise StorageError(f"cannot use {self._path}: {error.strerror}") from None
        return DatabaseConnection(raw, "?", SQLITE_ERRORS)

    def connect_to_write(self) -> DatabaseConnection:
        """Return a connection that never waits for another: the journal tries again by itself."""
        connection = self.connect()
        connection.run("PRAGMA busy_timeout = 0")
        return connection

    def release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _keep_others_out(self) -> None:
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
        """Compare the mark of the database with that of the lock file, and write it there."""
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
    """A PostgreSQL server, by its URL."""

    words = {
        "number": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "key": "BIGINT PRIMARY KEY",
        "bytes": "BYTEA",
    }
    lock = "SELECT pg_advisory_xact_lock(8414)"

    def __init__(self, url: str) -> None:
        """Raises StorageError."""
        self._url = url
        self._claim: DatabaseConnection | None = None
        self._claimant = f"gamehall {uuid4().hex}"
        """What this server calls itself, to recognise the claim of a connection it has lost."""
        self.name = "the database"
        super().__init__()

    def connect(self, seconds_to_wait: float | None = None) -> DatabaseConnection:
        if seconds_to_wait is None:
            return _connect_to_postgres(self._url)
        # libpq counts in seconds, and takes one for none.
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
        """Return the connection that holds the claim: without the claim nothing is written."""
        return self._claim or self.connect()

    def claim_again(self) -> DatabaseConnection:
        """Take the claim again after its connection was lost. Return the new connection.

        Once this succeeds, nothing of the connection before is still on its way to be written.

        Raises StorageError: temporary while the database cannot be reached, or has not noticed yet
        that the connection was lost; not temporary if another server has the claim.
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
        """Raises StorageError: temporary, unless another server has the claim."""
        for pid, claimant in connection.run(CLAIM_HOLDERS, CLAIM_KEY):
            if claimant != self._claimant:
                raise StorageError(TAKEN_OVER)
            connection.run("SELECT pg_terminate_backend(?)", pid)
        raise StorageError(OWN_CLAIM, is_temporary=True)

    def _connect_to_claim(self) -> DatabaseConnection:
        """Return a connection under the name of this server. Raises StorageError."""
        connection = _connect_to_postgres(self._url, application_name=self._claimant)
        try:
            for statement in NOTICE_A_VANISHED_CLIENT:
                connection.run(statement)
        except StorageError:
            connection.close()
            raise
        return connection

    def _keep_others_out(self) -> None:
        self._claim = self._connect_to_claim()
        # A server that has just died may still have something on its way to be written.
        self._claim.run(f"SET lock_timeout = '{SECONDS_FOR_THE_DEAD}s'")
        try:
            self._claim.run("SELECT pg_advisory_lock(?)", CLAIM_KEY)
        except StorageError:
            self.release()
            raise StorageError(IN_USE.format(self.name)) from None
        self._claim.run("SET lock_timeout = 0")

    def _check_mark(self, mark: str, fresh: bool) -> None:
        """Do nothing: there is no file beside the database to compare the mark with."""


def open_database(where: str | Path, survives_power_cuts: bool = False) -> Database:
    """Open a database: a folder, or a URL that begins with postgresql://. Raises StorageError.

    `survives_power_cuts` is for a folder; PostgreSQL has settings of its own for that.
    """
    return Postgres(str(where)) if is_url(where) else Sqlite(Path(where), survives_power_cuts)


@contextlib.contextmanager
def reading(where: str | Path) -> Iterator[DatabaseConnection]:
    """Read a database as it is at one moment, and change nothing in it. Raises StorageError.

    A server may be using it meanwhile.
    """
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
    """Return True if the database with this mark is not the one that a server used there last."""
    if is_url(where):
        return False
    try:
        known = (Path(where) / LOCK_FILE).read_text(errors="replace").strip()
    except OSError:
        return False
    return bool(known) and known != mark


def database_exists(where: str | Path) -> bool:
    """Return True if there is a database already; of a URL it is assumed."""
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
    """`parameters`: of the connection, whatever the URL says. Raises StorageError."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise StorageError("PostgreSQL needs psycopg: pip install 'psycopg[binary]'") from None
    try:
        wanted: dict[str, Any] = {**POSTGRES_PARAMETERS, **conninfo_to_dict(url), **parameters}
        raw = psycopg.connect(autocommit=True, **wanted)
    except psycopg.Error as error:
        raise StorageError(f"cannot use PostgreSQL: {_in_words(error)}") from None
    lost_errors = (psycopg.OperationalError, psycopg.InterfaceError)
    return DatabaseConnection(
        raw=raw, placeholder="%s", errors=(psycopg.Error,), lost_errors=lost_errors
    )


def _new_mark() -> str:
    return uuid4().hex


def _in_words(error: Exception) -> str:
    return " ".join(str(error).split())
