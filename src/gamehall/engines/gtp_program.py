"""A program that speaks GTP over its standard input and output."""

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
"""Of what an engine prints to its standard error, for the report when it dies."""

LONGEST_LINE = 1 << 16
LONGEST_RESPONSE = 1 << 20

SECONDS_TO_DIE = 2.0

FOLDER_OF_GAMES = "/usr/games"
"""Where Debian installs GNU Go. It is not in the PATH of services, nor of every user."""


class EngineStartError(GamehallError):
    """An engine does not start. The text says why."""


def read_command(command: str) -> list[str]:
    """Return the program and its arguments. Raises EngineStartError if there is no such program."""
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
    """Return what is missing, and what to do about it."""
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
    """A program that answers GTP commands, one at a time.

    A thread reads its standard error, so that it never blocks on a full pipe.
    """

    def __init__(self, command: str) -> None:
        """Raises EngineStartError."""
        words = read_command(command)
        self._name = os.path.basename(words[0])  # noqa: PTH119
        try:
            # In a session of its own: Ctrl-C does not reach it, and its children end with it.
            self._program = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineStartError(f"cannot start {words[0]}: {error.strerror}") from None
        self._asking = threading.Lock()
        self._last_lines: deque[str] = deque(maxlen=LINES_KEPT)
        self._drain = threading.Thread(target=self._read_errors, name="engine", daemon=True)
        self._drain.start()

    def ask(self, command: str) -> str:
        """Send a command and return the answer. Raises EngineRefusedError and BotError."""
        log.debug("%s < %s", self._name, command)
        assert self._program.stdin is not None
        with self._asking:
            try:
                self._program.stdin.write(command.encode() + b"\n")
                self._program.stdin.flush()
            except (OSError, ValueError):
                # Its end of the pipe is closed, or ours is.
                raise BotError(self._obituary()) from None
            answer = self._read_answer()
        log.debug("%s > %s", self._name, answer)
        try:
            return read_response(answer)
        except ProtocolError as fault:
            raise BotError(str(fault)) from None

    def close(self) -> None:
        """Kill the program, and every process that it has started.

        A thread that waits for an answer gets BotError.
        """
        with contextlib.suppress(ProcessLookupError):
            # Its process group outlives it as long as a process is in there.
            os.killpg(self._program.pid, signal.SIGKILL)
        self._program.wait()
        self._drain.join(SECONDS_TO_DIE)
        if self._asking.acquire(timeout=SECONDS_TO_DIE):
            for pipe in (self._program.stdin, self._program.stdout, self._program.stderr):
                # Unsent bytes in the pipe to a dead engine do not matter.
                with contextlib.suppress(OSError):
                    assert pipe is not None
                    pipe.close()
            self._asking.release()

    def _read_answer(self) -> str:
        """Read all lines up to the blank one that ends an answer; skip blank ones before it."""
        lines: list[str] = []
        length = 0
        assert self._program.stdout is not None
        while True:
            line = self._program.stdout.readline(LONGEST_LINE)
            if not line:
                raise BotError(self._obituary())
            length += len(line)
            if length > LONGEST_RESPONSE:
                raise BotError(f"{self._name} answers without end")
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

    def _obituary(self) -> str:
        """Return how the engine died, and what it printed last."""
        try:
            code = self._program.wait(SECONDS_TO_DIE)
        except subprocess.TimeoutExpired:
            return f"{self._name} has closed its standard output"
        self._drain.join(SECONDS_TO_DIE)
        cause = f"signal {-code}" if code < 0 else f"exit code {code}"
        said = " / ".join(line for line in self._last_lines if line)
        return f"{self._name} has died ({cause})" + (f"; it said last: {said}" if said else "")
