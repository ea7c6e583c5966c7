"""The program of a GTP engine, run as a subprocess."""

import contextlib
import errno
import logging
import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections import deque

from gamehall.bots import BotError
from gamehall.bots.gtp import read_response
from gamehall.core import GamehallError
from gamehall.wire.framing import ProtocolError

log = logging.getLogger(__name__)

LINES_KEPT = 10
"""The number of lines of an engine's standard error that are kept for error messages."""

LONGEST_LINE = 1 << 16
LONGEST_RESPONSE = 1 << 20

SECONDS_TO_DIE = 2.0

FOLDER_OF_GAMES = "/usr/games"
"""Where Debian installs GNU Go. It is not in the PATH of services and of some users."""


class EngineStartError(GamehallError):
    """An engine cannot be started. The message says why."""


def read_command(command: str) -> list[str]:
    """Split a command into words. Raises EngineStartError if its program does not exist."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise EngineStartError(f"{command!r} is not a command: {error}") from None
    if not words:
        raise EngineStartError("name an engine, as in gtp:gnugo --mode gtp")
    program = words[0]
    if shutil.which(program) is None:
        raise EngineStartError(f"cannot start {program}: {_why_not_found(program)}")
    return words


def _why_not_found(program: str) -> str:
    """Return the problem, and what to do about it."""
    if "/" in program:
        is_there = os.path.exists(program)  # noqa: PTH110
        return os.strerror(errno.EACCES if is_there else errno.ENOENT)
    missing = "there is no program of that name in the PATH"
    in_games = f"{FOLDER_OF_GAMES}/{program}"
    if shutil.which(in_games):
        return f"{missing}, but it is in {FOLDER_OF_GAMES}: write gtp:{in_games}"
    if program == "gnugo":
        return f"{missing}; Debian has it in {FOLDER_OF_GAMES}: apt-get install gnugo"
    return f"{missing}; install it, or write the whole path"


class Engine:
    """A running engine. Commands may be sent from several threads.

    A thread reads its standard error, so that it never blocks on a full pipe.
    """

    def __init__(self, command: str) -> None:
        """Raises EngineStartError."""
        words = read_command(command)
        self._name = os.path.basename(words[0])  # noqa: PTH119
        try:
            # In a session of its own, since Ctrl-C must not reach it.
            self._program = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineStartError(f"cannot start {words[0]}: {error.strerror}") from None
        self._lock = threading.Lock()
        self._last_lines: deque[str] = deque(maxlen=LINES_KEPT)
        self._error_reader = threading.Thread(target=self._read_errors, name="engine", daemon=True)
        self._error_reader.start()

    def ask(self, command: str) -> str:
        """Send a command and return the response. Raises EngineRefusedError and BotError."""
        log.debug("%s < %s", self._name, command)
        assert self._program.stdin is not None
        with self._lock:
            try:
                self._program.stdin.write(command.encode() + b"\n")
                self._program.stdin.flush()
            except (OSError, ValueError):
                # One end of the pipe is closed.
                raise BotError(self._cause_of_end()) from None
            answer = self._read_answer()
        log.debug("%s > %s", self._name, answer)
        try:
            return read_response(answer)
        except ProtocolError as fault:
            raise BotError(str(fault)) from None

    def close(self) -> None:
        """Kill the program, and every process that it has started.

        A call of `ask` in another thread raises BotError.
        """
        with contextlib.suppress(ProcessLookupError):
            # The process group exists as long as any of its processes does.
            os.killpg(self._program.pid, signal.SIGKILL)
        self._program.wait()
        self._error_reader.join(SECONDS_TO_DIE)
        if self._lock.acquire(timeout=SECONDS_TO_DIE):
            for pipe in (self._program.stdin, self._program.stdout, self._program.stderr):
                # Flushing unsent bytes fails, as the engine has ended.
                with contextlib.suppress(OSError):
                    assert pipe is not None
                    pipe.close()
            self._lock.release()

    def _read_answer(self) -> str:
        """Read all lines up to the blank line that ends a response. Skip blank lines before it."""
        lines: list[str] = []
        length = 0
        assert self._program.stdout is not None
        while True:
            line = self._program.stdout.readline(LONGEST_LINE)
            if not line:
                raise BotError(self._cause_of_end())
            length += len(line)
            if length > LONGEST_RESPONSE:
                raise BotError(f"the response of {self._name} is too long")
            text = line.decode("utf-8", "replace").strip()
            if text:
                lines.append(text)
            elif lines:
                return "\n".join(lines)

    def _read_errors(self) -> None:
        assert self._program.stderr is not None
        while line := self._program.stderr.readline(LONGEST_LINE):
            text = line.decode("utf-8", "replace").rstrip()
            log.debug("%s ! %s", self._name, text)
            self._last_lines.append(text)

    def _cause_of_end(self) -> str:
        """Return how the engine ended, with its last output."""
        try:
            code = self._program.wait(SECONDS_TO_DIE)
        except subprocess.TimeoutExpired:
            return f"{self._name} has closed its standard output"
        self._error_reader.join(SECONDS_TO_DIE)
        cause = f"signal {-code}" if code < 0 else f"exit code {code}"
        output = " / ".join(line for line in self._last_lines if line)
        return f"{self._name} has died ({cause})" + (
            f"; its last output: {output}" if output else ""
        )
