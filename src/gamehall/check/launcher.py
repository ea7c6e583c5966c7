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

from gamehall.check.faults import ServerGone
from gamehall.check.line import Line

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

    def start_and(self, connect: Callable[[], Line]) -> Line:
        """Start the server unless it is still coming up, and connect as soon as it accepts.

        Raises ServerGone if it does not.
        """
        end = time.monotonic() + SECONDS_TO_START
        while True:
            if self._program is None or self._program.poll() is not None:
                self.stop()
                self._start()
            try:
                return connect()
            except OSError as error:
                why = error.strerror or str(error)
            if time.monotonic() > end:
                raise ServerGone(f"{why}, though it was started by the restart command")
            time.sleep(PAUSE_SECONDS)

    def stop(self) -> bool:
        """End the server, if it is ours; return whether it was."""
        program, self._program = self._program, None
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
