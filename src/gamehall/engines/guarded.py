"""Run a bot in its own process, under limits, so that its failures do not affect the caller.

This module is the parent's end and the messages, `bot_program` is the other end. Messages to the
bot are pickled. Its answers are not, since a hostile pickle could run any code: they are JSON, with
moves in the notation of the game. Each message is preceded by its length.
"""

import contextlib
import math
import os
import pickle
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from ctypes import CDLL, c_ulong
from typing import IO, Any

import msgspec

from gamehall.bots import Bot, BotError, BotResignedError
from gamehall.core import Game, Position, Seat
from gamehall.match import Result
from gamehall.match.events import MAX_MOVES

LENGTH_BYTES = 4
LONGEST_ANSWER = 1 << 20
LETTERS_OF_MOVE = 200
"""How much is shown of a value that is not a move."""
GRACE_SECONDS = 0.25
"""Tolerance for the time of a move, for delays that are not the bot's fault."""
BYTES_KEPT = 2_000
"""How much of a bot's output is kept for error messages."""
BYTES_OF_PIPE = 65_536
LETTERS_OF_LINE = 80
SECONDS_TO_START = 60.0
"""To import the bot, which may have to compile a search first."""
SECONDS_TO_BEGIN = 30.0
SECONDS_TO_DIE = 2.0
PR_SET_PDEATHSIG = 1
SIGNALS_FROM_OUTSIDE = (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM)
"""A process that is killed by another signal has caused it by an error."""


class Limits(msgspec.Struct, frozen=True):
    """Limits for each bot of a match."""

    seconds_per_move: float | None = 10.0
    seconds_per_game: float | None = None
    """For all moves together."""
    moves: int = MAX_MOVES
    """A match with more moves, counting both players, is drawn."""
    megabytes: int = 2_048
    """Memory of its process."""
    cpu_seconds: int = 600
    """CPU time of its process in a match."""
    niceness: int = 0
    """Scheduling priority of its process: the higher, the more it yields to other processes."""


class BotDiedError(BotError):
    """The process of a bot has ended. The message says how, with its last output."""


class BotKilledError(BotDiedError):
    """The process of a bot was stopped from outside: by a person, or for lack of memory."""


class BotTimeoutError(BotError):
    """A bot has exceeded its time, and its process was killed."""


class NoMoveError(BotError):
    """A bot has returned something that is not a move of the game."""

    def __init__(self, shown: str, why: str = "") -> None:
        """Show the value in the message, with an explanation for the author in `why`."""
        super().__init__(shown)
        self.why = why or f"the bot returned {shown}, which is not a move of this game"


class Begin(msgspec.Struct, frozen=True):
    """Start a match with a new bot."""

    seed: int
    game: Game[Any]


class NewTerms(msgspec.Struct, frozen=True):
    """Continue with the same bot on other terms."""

    game: Game[Any]


class Ask(msgspec.Struct, frozen=True):
    """Choose a move."""

    position: Position[Any]
    seat: Seat
    seconds_left: float | None


class GameOver(msgspec.Struct, frozen=True):
    """The match has ended."""

    position: Position[Any]
    seat: Seat
    result: Result


class BotAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A move, or the reason why there is none. All fields are unset in a mere confirmation."""

    move: str | None = None
    resigns: bool = False
    no_move: str | None = None
    """The returned value that is not a move."""
    why: str = ""
    """What is wrong with that value."""
    fault: str | None = None
    trace: str = ""


class ProcessSettings(msgspec.Struct, frozen=True):
    """The first message to the process."""

    text: str
    """The bot as on the command line, without the seconds."""
    game: Game[Any]
    seconds_per_move: float | None
    megabytes: int
    niceness: int
    parent: int


def send(connection: socket.socket, content: bytes) -> None:
    """Send one message. Raises OSError."""
    connection.sendall(len(content).to_bytes(LENGTH_BYTES, "big") + content)


def wait_for(ends: Sequence[Any], seconds: float | None) -> list[Any]:
    """Wait until any of these files is readable, and return those that are."""
    # Not `select.select`, which fails for file descriptors above 1023.
    waiting, by_number = select.poll(), {}
    for end in ends:
        number = end if isinstance(end, int) else end.fileno()
        by_number[number] = end
        waiting.register(number, select.POLLIN)
    ready = waiting.poll(None if seconds is None else math.ceil(1000 * seconds))
    return [by_number[number] for number, _ in ready]


def receive(connection: socket.socket) -> bytes | None:
    """Return one message, or None at the end of the stream."""
    head = receive_exactly(connection, LENGTH_BYTES)
    return None if head is None else receive_exactly(connection, int.from_bytes(head, "big"))


def receive_exactly(connection: socket.socket, length: int) -> bytes | None:
    """Return exactly `length` bytes, or None if the stream ends before."""
    content = b""
    while len(content) < length:
        part = connection.recv(length - len(content))
        if not part:
            return None
        content += part
    return content


class IsolatedBot(Bot[Any]):
    """A bot in its own process, which is started with the first match, and again if it has died."""

    def __init__(
        self,
        text: str,
        game: Game[Any],
        limits: Limits,
        seconds_per_move: float | None = None,
        echo: Callable[[bytes], object] | None = None,
    ) -> None:
        """Prepare a bot.

        Args:
            text: the bot as on the command line, without the seconds.
            echo: called with the output of the bot, in another thread.
        """
        self._echo = echo
        self._text = text
        self._seconds_per_move = seconds_per_move
        self._game = game
        self._limits = limits
        self._process: _Process | None = None
        self._is_killed = False
        self.printed = ""
        """The first line on the standard output of the bot."""

    def begin(
        self, seed: int, game: Game[Any] | None = None, seconds: float = SECONDS_TO_BEGIN
    ) -> None:
        """Start a match. Raises BotError.

        Args:
            seed: for the bot's random choices.
            game: the game with its terms, if they have changed.
            seconds: how long the bot may take to start.
        """
        self._game = game or self._game
        if self._process is None:
            self._process = _Process(self._echo)
            if self._is_killed:
                self._process.kill()
            settings = ProcessSettings(
                text=self._text,
                game=self._game,
                seconds_per_move=self._seconds_per_move,
                megabytes=self._limits.megabytes,
                niceness=self._limits.niceness,
                parent=os.getpid(),
            )
            try:
                self._ask(settings, SECONDS_TO_START)
            except BotError:
                self.close()
                raise
        self._process.allow_cpu(self._limits.cpu_seconds)
        self._ask(Begin(seed, self._game), seconds)

    def change_terms(self, game: Game[Any]) -> None:
        """Continue with the same bot on other terms. Raises BotError."""
        self._game = game
        self._ask(NewTerms(game), SECONDS_TO_BEGIN)

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        if seconds_left is None:
            answer = self._ask(Ask(position, seat, None), None)
        else:
            answer = self._ask(Ask(position, seat, seconds_left), seconds_left + GRACE_SECONDS)
        if answer.resigns:
            raise BotResignedError
        if answer.move is None:
            raise NoMoveError(answer.no_move or "nothing", answer.why)
        try:
            return self._game.read_move(answer.move)
        except ValueError:
            raise NoMoveError(f"{answer.move!r:.200}") from None

    def game_over(self, position: Position[Any] | None, seat: Seat | None, result: Result) -> None:
        if self._process is None or position is None or seat is None:
            return
        # An error now does not change the result. The next match starts a new process.
        with contextlib.suppress(BotError):
            self._ask(GameOver(position, seat, result), SECONDS_TO_BEGIN)
            self._process.read_output()
            self.printed = self.printed or self._process.printed

    def close(self) -> None:
        if self._process is not None:
            self._process.end()
            self.printed = self.printed or self._process.printed
            self._process = None

    def kill(self) -> None:
        """Kill its process, from any thread. A pending call in another thread raises BotError."""
        self._is_killed = True
        process = self._process
        if process is not None:
            process.kill()

    def _ask(
        self, message: ProcessSettings | Begin | NewTerms | Ask | GameOver, seconds: float | None
    ) -> BotAnswer:
        """Send a message and return the answer. Raises BotError, after killing a bot that hangs."""
        if self._process is None:
            raise BotDiedError("its process has ended")
        try:
            answer = self._process.ask(pickle.dumps(message, pickle.HIGHEST_PROTOCOL), seconds)
        except BotError:
            self.close()
            raise
        if answer.fault is not None:
            parts = [answer.fault, answer.trace, self._process.last_output()]
            raise BotError("\n".join(filter(None, parts)))
        self.printed = self.printed or self._process.printed
        return answer


class _Process:
    """The process of a bot."""

    def __init__(self, echo: Callable[[bytes], object] | None) -> None:
        """Start it. Raises BotError."""
        self._echo = echo
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._output = b""
        self.printed = ""
        """The first line on its standard output."""
        try:
            # The process inherits nothing but its own end of the socket.
            self._popen = subprocess.Popen(
                # Without -u, most of what it prints would be lost when it dies.
                [sys.executable, "-u", "-m", "gamehall.engines.bot_program", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=os.environ | {"PYTHONHASHSEED": "0"},
            )
        except OSError as error:
            ours.close()
            raise BotDiedError(f"its process cannot be started: {error.strerror}") from None
        finally:
            theirs.close()
        self._exit = [os.pidfd_open(self._popen.pid)] if hasattr(os, "pidfd_open") else []
        """Ready to be read when the process has ended."""
        self._reading = threading.Lock()
        self._reader = threading.Thread(target=self._read_all, name="bot", daemon=True)
        self._reader.start()

    def last_output(self) -> str:
        """Return the last output for an error message, empty if there is none."""
        # The user has already seen output that was echoed.
        words = "" if self._echo else self._output.decode("utf-8", "replace").strip()
        return f"its last output:\n{words}" if words else ""

    def read_output(self) -> None:
        """Read all output so far."""
        assert self._popen.stdout is not None
        # No more than a pipe holds, since the bot may print without end.
        for _ in range(BYTES_OF_PIPE // BYTES_KEPT + 1):
            if not self._read(self._popen.stdout):
                return

    def allow_cpu(self, seconds: int) -> None:
        """Have the system kill the process if it uses more than this CPU time from now on."""
        try:
            ticks = os.sysconf("SC_CLK_TCK")
            with open(f"/proc/{self._popen.pid}/stat") as file:  # noqa: PTH123
                fields = file.read().rpartition(")")[2].split()
            used = (int(fields[11]) + int(fields[12])) // ticks
            _, most = resource.prlimit(self._popen.pid, resource.RLIMIT_CPU)
            resource.prlimit(self._popen.pid, resource.RLIMIT_CPU, (used + 1 + seconds, most))
        except (OSError, ValueError):
            # The process has ended. The next call of `ask` reports that.
            return

    def ask(self, message: bytes, seconds: float | None) -> BotAnswer:
        """Send a message and return the answer. Raises BotError."""
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            send(self._socket, message)
            head = self._receive(LENGTH_BYTES, deadline)
            length = int.from_bytes(head, "big")
            if length > LONGEST_ANSWER:
                raise BotDiedError("its answer is too long")
            return msgspec.json.decode(self._receive(length, deadline), type=BotAnswer)
        except OSError:
            raise self._end() from None
        except msgspec.MsgspecError:
            raise BotDiedError("its answer is invalid") from None

    def kill(self) -> None:
        """Kill it and every process that it has started. May be called from any thread."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it, and release its resources."""
        self.kill()
        self._socket.close()
        self._popen.wait()
        while self._exit:
            os.close(self._exit.pop())
        self._reader.join(SECONDS_TO_DIE)

    def _receive(self, length: int, deadline: float | None) -> bytes:
        """Return exactly `length` bytes. Raises BotError and OSError."""
        content = b""
        while len(content) < length:
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            ready = wait_for([self._socket, *self._exit], left)
            if not ready:
                raise BotTimeoutError(self._with_output("no answer in time"))
            if self._socket not in ready:
                # The process has ended, but a child process holds the socket open.
                raise self._end()
            part = self._socket.recv(length - len(content))
            if not part:
                raise self._end()
            content += part
        return content

    def _read_all(self) -> None:
        """Read its output, so that it never blocks on a full pipe."""
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        streams = [self._popen.stdout, self._popen.stderr]
        while streams:
            for stream in wait_for(streams, None):
                if self._read(stream) == b"":
                    streams.remove(stream)
        with self._reading:
            self._popen.stdout.close()
            self._popen.stderr.close()

    def _read(self, stream: IO[bytes]) -> bytes | None:
        """Read available output. Return None if there is none, b"" at the end of the stream."""
        with self._reading:
            # Another thread may have read the output in the meantime.
            if stream.closed or not wait_for([stream], 0.0):
                return None
            part = os.read(stream.fileno(), BYTES_KEPT)
            if part and stream is self._popen.stdout and not self.printed:
                line = part.decode("utf-8", "replace").strip().partition("\n")[0]
                self.printed = line[:LETTERS_OF_LINE]
            self._output = (self._output + part)[-BYTES_KEPT:]
            if part and self._echo is not None:
                self._echo(part)
            return part

    def _end(self) -> BotError:
        """Return an error that says how the process ended, with its last output."""
        try:
            code = self._popen.wait(SECONDS_TO_DIE)
        except subprocess.TimeoutExpired:
            return BotDiedError(self._with_output("it has closed its connection"))
        self.kill()
        self._reader.join(SECONDS_TO_DIE)
        if code == -signal.SIGXCPU:
            return BotTimeoutError(self._with_output("it has used up its CPU time"))
        if code < 0:
            how = f"its process was killed by signal {-code} ({signal.Signals(-code).name})"
        else:
            how = f"its process has ended with exit code {code}"
        kind = BotKilledError if -code in SIGNALS_FROM_OUTSIDE else BotDiedError
        return kind(self._with_output(how))

    def _with_output(self, text: str) -> str:
        return "\n".join(filter(None, [text, self.last_output()]))


def exit_with_parent(parent: int) -> None:
    """Have the system kill this process when its parent ends, for whatever reason.

    Only Linux supports that. Elsewhere the process ends when its connection is closed.
    """
    prctl = getattr(CDLL(None), "prctl", None)
    if prctl is None:
        return
    prctl(PR_SET_PDEATHSIG, c_ulong(signal.SIGKILL))
    if os.getppid() != parent:
        # The parent has ended before the call.
        os.kill(os.getpid(), signal.SIGKILL)
