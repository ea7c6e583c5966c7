"""The server under check: how to connect to it, and to start it again by the user's command."""

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from gamehall.conformance.connection import ClauseError, RawConnection, ServerGoneError
from gamehall.wire.settings import SettingsT

PATIENCE_SECONDS = 3.0
"""How long a server may take over an answer for which no document gives it a time."""

LONGEST_CHECK_SECONDS = 60.0
SECONDS_TO_START = 30.0
SECONDS_TO_STOP = 5.0
PAUSE_SECONDS = 0.05


PeerT = TypeVar("PeerT")


class Launcher:
    """Starts and stops the server. It only stops processes that it has started itself."""

    def __init__(self, command: str) -> None:
        """`command` is run without a shell. Raises ValueError if it cannot be parsed."""
        self._words = shlex.split(command)
        if not self._words:
            raise ValueError("the command is empty")
        self._program: subprocess.Popen[bytes] | None = None
        self._has_accepted = False
        """Whether the program that runs has accepted a connection."""

    def start_and(self, connect: Callable[[], RawConnection]) -> RawConnection:
        """Start the server and connect as soon as it accepts. Raises ServerGoneError.

        Not checked: that it does not accept connections now.
        """
        end = time.monotonic() + SECONDS_TO_START
        while True:
            # A program that runs but no longer listens is waiting for players who have left.
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
        """Stop the server, if we have started it; return whether we had."""
        program, self._program = self._program, None
        self._has_accepted = False
        if program is None:
            return False
        # The program may have started others, which are in its process group.
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


class Target(Generic[SettingsT]):
    """What one check knows of the server. Leaving it closes the connections of the check."""

    def __init__(
        self,
        host: str,
        port: int,
        settings: SettingsT,
        known: dict[str, Any],
        patience_seconds: float = PATIENCE_SECONDS,
        launcher: Launcher | None = None,
    ) -> None:
        """Prepare to connect.

        Args:
            known: what the checks have learned about this server; shared by all of them.
            launcher: starts the server again when it is gone, if the user has said how.
        """
        self.settings = settings
        self.known = known
        self.patience_seconds = patience_seconds
        self.host, self.port = host, port
        self.give_up_at = time.monotonic() + LONGEST_CHECK_SECONDS
        self.seen: set[str] = set()
        """The clauses that were seen to hold."""
        self.remarks: dict[str, str] = {}
        """The readings in which the server differs from Gamehall, and how."""
        self.reasons: dict[str, str] = {}
        """Why a clause could not be seen, if not because the check ended early."""
        self._launcher = launcher
        self._connections: list[RawConnection] = []

    def saw(self, *clauses: str) -> None:
        """Note that these clauses were just seen to hold. Without this no clause is passed."""
        self.seen |= {*clauses}

    def differs(self, reading: str, how: str) -> None:
        """Note that the server reads its document differently from Gamehall, which is no fault."""
        self.remarks.setdefault(reading, how)

    def cannot_see(self, clause: str, why: str) -> None:
        """Note why a clause cannot be checked, although the check goes on."""
        self.reasons.setdefault(clause, why)

    @contextlib.contextmanager
    def blaming(self, clause: str) -> Iterator[None]:
        """Blame this clause for everything that goes wrong, unless it has gone wrong before.

        If a check does the same as earlier ones except in one point, that point is to blame.
        """
        try:
            yield
        except ClauseError as broken:
            if broken.clause not in self.known.get("failed", ()):
                broken.clause = clause
            raise

    def connect(self) -> RawConnection:
        """Connect to the server. Raises ServerGoneError.

        If the server is gone and no connection of this check is open, it is started again. There is
        no trial connection first: a server that plays one game would take it for a player.
        """
        try:
            connection = self._try_to_connect()
        except OSError as error:
            if self._launcher is None or not all(one.is_closed for one in self._connections):
                raise ServerGoneError(error.strerror or str(error)) from None
            connection = self._launcher.start_and(self._try_to_connect)
        self._connections.append(connection)
        self.known["connected"] = True
        return connection

    def start_afresh(self) -> bool:
        """Stop a server of ours that takes no more players; return whether there was one.

        The next `connect` starts it again.
        """
        self.close()
        return self._launcher is not None and self._launcher.stop()

    def close(self) -> None:
        """Close every connection, the first one last: the next check waits for its seat."""
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
