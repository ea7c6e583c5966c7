"""A PostgreSQL server of our own, for as long as the tests run."""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import psycopg
import pytest

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
"""Where Debian has it, the newest first."""

NOBODY_ELSE = "postgres"
"""PostgreSQL refuses to be run by root; this user comes with Debian's package."""


def find(program: str) -> str:
    """Where the program is. Without it a test is skipped; where CI is `true` it fails."""
    for place in PLACES:
        if (place / program).exists():
            return str(place / program)
    found = shutil.which(program)
    if found is not None:
        return found
    words = f"{program} is missing: apt install postgresql"
    if os.environ.get("CI") == "true":
        pytest.fail(words)
    pytest.skip(words)


def children_of(main: int) -> Iterator[int]:
    """Yield the ids of the processes that a process has started."""
    for tasks in Path(f"/proc/{main}/task").iterdir():
        yield from map(int, (tasks / "children").read_text().split())


class PostgresServer:
    """A server that listens on a socket in its own folder, and keeps nothing for long.

    The folder is none of pytest's, which closes those to other users whenever it begins.
    """

    def __init__(self) -> None:
        self._place = TemporaryDirectory(prefix="gamehall-postgres-")
        self._folder = Path(self._place.name)
        self._names = map("hall_{}".format, itertools.count(1))
        self._user = NOBODY_ELSE if os.geteuid() == 0 else None
        if self._user is not None:
            os.chown(self._folder, pwd.getpwnam(self._user).pw_uid, -1)
        self._run("initdb", "-A", "trust", "-U", "hall", "--no-sync", "-D", str(self._data))
        self.start()

    def start(self) -> None:
        """Begins to serve, with what there was before it was stopped."""
        options = f"-k {self._folder} -c listen_addresses='' -c fsync=off"
        log = str(self._folder / "log")
        self._run("pg_ctl", "-w", "-D", str(self._data), "-l", log, "-o", options, "start")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop all processes of the server by a signal, and let them go on at the end."""
        main = int((self._data / "postmaster.pid").read_text().split()[0])
        stopped: list[int] = []
        try:
            # The main process first, so that it starts no others.
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
        """Where the server listens."""
        return self._folder / ".s.PGSQL.5432"

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def fresh_database(self) -> str:
        """The URL of a database in which there is nothing."""
        name = next(self._names)
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self._url(name)

    def stop(self) -> None:
        """Ends the server at once, whoever uses it, unless it has ended already."""
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop")

    def close(self) -> None:
        """Ends the server, and leaves nothing of it."""
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
