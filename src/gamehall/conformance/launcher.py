"""Starts a server that is gone again, by the user's command, and ends it at last."""

import contextlib
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from gamehall.conformance.faults import ServerGone
from gamehall.conformance.line import Line

SECONDS_TO_START = 30.0
SECONDS_TO_END = 5.0
PAUSE_SECONDS = 0.05


class Launcher:
    """The server as a program of ours. Only programs that it started itself are ended."""

    def __init__(self, command: str) -> None:
        """`command` is run without a shell. Raises ValueError if it cannot be taken apart."""
        self._words = shlex.split(command)
        if not self._words:
            raise ValueError("the command is empty")
        self._program: subprocess.Popen[bytes] | None = None
        self._has_accepted = False
        """Whether the program that runs has accepted a connection."""

    def start_and(self, connect: Callable[[], Line]) -> Line:
        """Start the server, and connect as soon as it accepts. Raises ServerGone if it does not.

        Not checked: that it does not accept connections now.
        """
        end = time.monotonic() + SECONDS_TO_START
        while True:
            # A program that runs on, but listens no more, waits for players who have left.
            is_running = self._program is not None and self._program.poll() is None
            if not is_running or self._has_accepted:
                self.stop()
                self._start()
            try:
                line = connect()
            except OSError as error:
                why = error.strerror or str(error)
            else:
                self._has_accepted = True
                return line
            if time.monotonic() > end:
                raise ServerGone(f"{why}, though it was started by the restart command")
            time.sleep(PAUSE_SECONDS)

    def stop(self) -> bool:
        """End the server, if it is ours; return whether it was."""
        program, self._program = self._program, None
        self._has_accepted = False
        if program is None:
            return False
        # The program may have started others: it leads a group of its own.
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(program.pid, number)
            try:
                program.wait(SECONDS_TO_END)
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
            raise ServerGone(
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
