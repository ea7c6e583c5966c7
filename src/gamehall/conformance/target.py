"""The server under check: connect to it, and start it again with the user's command."""

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

import msgspec

from gamehall.conformance.connection import ClauseError, RawConnection, ServerGoneError
from gamehall.wire.settings import SettingsT

PATIENCE_SECONDS = 3.0
"""How long to wait for an answer for which the document has no time limit."""

LONGEST_CHECK_SECONDS = 60.0
SECONDS_TO_START = 30.0
SECONDS_TO_STOP = 5.0
PAUSE_SECONDS = 0.05


PeerT = TypeVar("PeerT")


class Launcher:
    """Starts the server with the user's command, and stops only what it has started."""

    def __init__(self, command: str) -> None:
        """Parse the command, which is run without a shell. Raises ValueError."""
        self._words = shlex.split(command)
        if not self._words:
            raise ValueError("the command is empty")
        self._program: subprocess.Popen[bytes] | None = None
        self._has_accepted = False
        """Whether the running program has accepted a connection."""

    def start_and(self, connect: Callable[[], RawConnection]) -> RawConnection:
        """Start the server and connect as soon as it listens. Raises ServerGoneError.

        Not checked: that no server listens now.
        """
        end = time.monotonic() + SECONDS_TO_START
        while True:
            # If it still runs but no longer listens, it waits for moves of players who have left.
            is_running = self._program is not None and self._program.poll() is None
            if not is_running or self._has_accepted:
                self.stop()
                self._start()
            try:
                connection = connect()
            except OSError as error:
                why = error.strerror or str(error)
            else:
                self._has_accepted = True
                return connection
            if time.monotonic() > end:
                raise ServerGoneError(f"{why}, though it was started by the restart command")
            time.sleep(PAUSE_SECONDS)

    def stop(self) -> bool:
        """Stop the server if we have started it. Return whether we had."""
        program, self._program = self._program, None
        self._has_accepted = False
        if program is None:
            return False
        # The command may have started more processes, which are in its process group.
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(program.pid, number)
            try:
                program.wait(SECONDS_TO_STOP)
                break
            except subprocess.TimeoutExpired:
                continue
        return True

    def _start(self) -> None:
        try:
            self._program = subprocess.Popen(
                self._words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerGoneError(
                f"the restart command cannot be run: {error.strerror or error}"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class Knowledge(msgspec.Struct):
    """What the checks have learned about a server. Protocols add fields in a subclass."""

    has_connected: bool = False
    failed_clauses: set[str] = set()


KnowledgeT = TypeVar("KnowledgeT", bound=Knowledge)


class Target(Generic[SettingsT, KnowledgeT]):
    """The server as one check uses it. Leaving the context closes the check's connections."""

    def __init__(
        self,
        host: str,
        port: int,
        settings: SettingsT,
        known: KnowledgeT,
        patience_seconds: float = PATIENCE_SECONDS,
        launcher: Launcher | None = None,
    ) -> None:
        """Prepare to connect.

        Args:
            known: what the checks have learned about this server; all checks share it.
            launcher: starts the server again, if the user has given a command for that.
        """
        self.settings = settings
        self.known = known
        self.patience_seconds = patience_seconds
        self.host, self.port = host, port
        self.give_up_at = time.monotonic() + LONGEST_CHECK_SECONDS
        self.seen: set[str] = set()
        """The clauses that the server has fulfilled."""
        self.remarks: dict[str, str] = {}
        """The readings in which the server differs from Gamehall, and how."""
        self.reasons: dict[str, str] = {}
        """The reasons why clauses could not be checked, other than that the check ended early."""
        self._launcher = launcher
        self._connections: list[RawConnection] = []

    def saw(self, *clauses: str) -> None:
        """Note that the server has fulfilled these clauses. Only such clauses can pass."""
        self.seen |= {*clauses}

    def differs(self, reading: str, how: str) -> None:
        """Note that the server reads its document differently, which its document allows."""
        self.remarks.setdefault(reading, how)

    def cannot_see(self, clause: str, why: str) -> None:
        """Note why a clause cannot be checked, although the check continues."""
        self.reasons.setdefault(clause, why)

    @contextlib.contextmanager
    def blaming(self, clause: str) -> Iterator[None]:
        """Blame this clause for a failure in this block.

        For checks that repeat an earlier one with one difference. A clause that has failed before
        is still blamed itself.
        """
        try:
            yield
        except ClauseError as broken:
            if broken.clause not in self.known.failed_clauses:
                broken.clause = clause
            raise

    def connect(self) -> RawConnection:
        """Connect to the server. Raises ServerGoneError.

        If no server listens and no connection of this check is open, it is started again. It is not
        tried out first: a server that plays one game would take that connection for a player.
        """
        try:
            connection = self._try_to_connect()
        except OSError as error:
            if self._launcher is None or not all(one.is_closed for one in self._connections):
                raise ServerGoneError(error.strerror or str(error)) from None
            connection = self._launcher.start_and(self._try_to_connect)
        self._connections.append(connection)
        self.known.has_connected = True
        return connection

    def start_afresh(self) -> bool:
        """Stop a server that accepts no more players, so that the next `connect` starts it again.

        Return False if it is not ours to stop.
        """
        self.close()
        return self._launcher is not None and self._launcher.stop()

    def close(self) -> None:
        """Close all connections, the first one last: its seat is the first in the next check."""
        for connection in reversed(self._connections):
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _try_to_connect(self) -> RawConnection:
        return RawConnection(self.host, self.port, self.patience_seconds, self.give_up_at)


def retry(attempt: Callable[[], PeerT | None], seconds: float) -> PeerT | None:
    """Repeat an attempt until its result is not None, at most for these seconds.

    A server needs a moment to notice that the players of the last check have left.
    """
    end = time.monotonic() + seconds
    while (got := attempt()) is None and time.monotonic() < end:
        time.sleep(PAUSE_SECONDS)
    return got
