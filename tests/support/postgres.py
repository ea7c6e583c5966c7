"""A PostgreSQL server for tests."""

import itertools
import os
import pwd
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import psycopg

from tests.support.programs import children_of, find_program

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
"""Where Debian installs it, the newest version first."""

UNPRIVILEGED_USER = "postgres"
"""A user of Debian's package, because PostgreSQL refuses to run as root."""


def find(program: str) -> str:
    """Return the path of the program. Without it, skip the test, or fail if CI is `true`."""
    path = os.pathsep.join([*map(str, PLACES), os.environ.get("PATH", os.defpath)])
    return find_program(program, path, "postgresql")


class PostgresServer:
    """A server that listens on a socket in a temporary folder.

    The folder is not one of pytest's, which makes them inaccessible to other users.
    """

    def __init__(self) -> None:
        self._place = TemporaryDirectory(prefix="gamehall-postgres-")
        self._folder = Path(self._place.name)
        self._names = map("hall_{}".format, itertools.count(1))
        self._user = UNPRIVILEGED_USER if os.geteuid() == 0 else None
        if self._user is not None:
            os.chown(self._folder, pwd.getpwnam(self._user).pw_uid, -1)
        self._run("initdb", "-A", "trust", "-U", "hall", "--no-sync", "-D", str(self._data))
        self.start()

    def start(self) -> None:
        """Start the server with its existing data."""
        options = f"-k {self._folder} -c listen_addresses='' -c fsync=off"
        log = str(self._folder / "log")
        self._run("pg_ctl", "-w", "-D", str(self._data), "-l", log, "-o", options, "start")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Suspend all processes of the server, and resume them at the end."""
        main = int((self._data / "postmaster.pid").read_text().split()[0])
        stopped: list[int] = []
        try:
            # The main process first, so that it does not start more.
            for pid in itertools.chain([main], children_of(main)):
                os.kill(pid, signal.SIGSTOP)
                stopped.append(pid)
            yield
        finally:
            for pid in stopped:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    @property
    def socket_path(self) -> Path:
        return self._folder / ".s.PGSQL.5432"

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def fresh_database(self) -> str:
        """Create an empty database and return its URL."""
        name = next(self._names)
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self._url(name)

    def stop(self) -> None:
        """Stop the server at once, in spite of open connections. Do nothing if it is stopped."""
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop")

    def close(self) -> None:
        """Stop the server and delete its folder."""
        self.stop()
        self._place.cleanup()

    def _url(self, name: str) -> str:
        return f"postgresql://hall@/{name}?host={self._folder}"

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [find(program), *arguments],
            check=True,
            user=self._user,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
