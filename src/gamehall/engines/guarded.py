"""A bot in a process of its own, under limits, so that nothing it does harms others.

This is our end of it, and what both ends say; `bot_program` is the other end. Messages to the bot
are pickled, since they come from us. Its answers are not, since they may be anything: they are
JSON, with a move as a text in the notation of the game. Each message is preceded by its length.
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

LENGTH_BYTES = 4
LONGEST_ANSWER = 1 << 20
LETTERS_OF_MOVE = 200
"""How much is shown of what a bot has returned instead of a move."""
GRACE_SECONDS = 0.25
"""What a move may take beyond its limit, for what is not the bot's: a busy machine, a pipe."""
BYTES_KEPT = 2_000
"""Of what a bot prints, as evidence."""
BYTES_OF_PIPE = 65_536
LETTERS_OF_LINE = 80
SECONDS_TO_START = 60.0
"""To load it and what it imports: a search may have to be compiled first."""
SECONDS_TO_BEGIN = 30.0
SECONDS_TO_DIE = 2.0
PR_SET_PDEATHSIG = 1


class Limits(msgspec.Struct, frozen=True):
    """What a bot may use."""

    seconds_per_move: float | None = 10.0
    seconds_per_game: float | None = None
    """For all moves of one bot together."""
    moves: int = 5_000
    """In a match, by both bots; then it is drawn."""
    megabytes: int = 2_048
    """Of memory, for a bot in a process of its own."""
    cpu_seconds: int = 600
    """In a match, on all cores together, for a bot in a process of its own."""
    niceness: int = 0
    """Of its process: with a higher one it gives way to others on a busy machine."""


class BotDiedError(BotError):
    """The process of a bot has ended; the text says how, and what it printed last."""


class BotTimeoutError(BotError):
    """A bot has not answered in time, and its process was ended."""


class NoMoveError(BotError):
    """A bot has returned something that is no move of the game; the text shows it."""

    def __init__(self, shown: str, why: str = "") -> None:
        """`why`: in words for the author of the bot."""
        super().__init__(shown)
        self.why = why or f"the bot returned {shown}, which is no move of this game"


class Begin(msgspec.Struct, frozen=True):
    """A match begins; everything random follows from this seed."""

    seed: int
    game: Game[Any]
    """What is played; the terms may differ from match to match."""


class NewTerms(msgspec.Struct, frozen=True):
    """The match is played on other terms; the bot goes on as it is."""

    game: Game[Any]


class Ask(msgspec.Struct, frozen=True):
    """Choose a move."""

    position: Position[Any]
    seat: Seat
    seconds_left: float | None


class Over(msgspec.Struct, frozen=True):
    """The match has ended."""

    position: Position[Any]
    seat: Seat
    result: Result


class BotAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of a bot: a move, or why there is none; empty where only a confirmation is due."""

    move: str | None = None
    gives_up: bool = False
    no_move: str | None = None
    """What the bot has returned instead of a move."""
    why: str = ""
    """What is wrong with it."""
    fault: str | None = None
    trace: str = ""


class ProcessSettings(msgspec.Struct, frozen=True):
    """What the process is told first."""

    text: str
    """The bot, as it is written on the command line."""
    game: Game[Any]
    seconds_per_move: float | None
    megabytes: int
    niceness: int
    parent: int


def send(line: socket.socket, content: bytes) -> None:
    """Send one message. Raises OSError."""
    line.sendall(len(content).to_bytes(LENGTH_BYTES, "big") + content)


def wait_for(ends: Sequence[Any], seconds: float | None) -> list[Any]:
    """Return which of these can be read, after waiting until any of them can.

    Not by `select`, which fails in a server that has a thousand connections.
    """
    waiting, by_number = select.poll(), {}
    for end in ends:
        number = end if isinstance(end, int) else end.fileno()
        by_number[number] = end
        waiting.register(number, select.POLLIN)
    ready = waiting.poll(None if seconds is None else math.ceil(1000 * seconds))
    return [by_number[number] for number, _ in ready]


def receive(line: socket.socket) -> bytes | None:
    """Return one message, None if the other end is closed."""
    head = receive_exactly(line, LENGTH_BYTES)
    return None if head is None else receive_exactly(line, int.from_bytes(head, "big"))


def receive_exactly(line: socket.socket, length: int) -> bytes | None:
    """Return exactly `length` bytes, None if the other end is closed before."""
    content = b""
    while len(content) < length:
        part = line.recv(length - len(content))
        if not part:
            return None
        content += part
    return content


class GuardedBot(Bot[Any]):
    """A bot behind a socket. Its process starts with a match, and again if it has died since."""

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
            text: the bot as it is written on the command line, without the seconds.
            echo: is given what the bot prints, in another thread.
        """
        self._echo = echo
        self._text = text
        self._seconds_per_move = seconds_per_move
        self._game = game
        self._limits = limits
        self._process: _Process | None = None
        self._is_killed = False
        self.printed = ""
        """The first line that the bot has printed to its standard output, which is not read."""

    def begin(
        self, seed: int, game: Game[Any] | None = None, seconds: float = SECONDS_TO_BEGIN
    ) -> None:
        """Begin a match. Raises BotError.

        Args:
            game: what is played, on other terms than before; None: on the same.
            seconds: how long the bot may take to get ready.
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
        """Go on with the same bot on other terms. Raises BotError."""
        self._game = game
        self._ask(NewTerms(game), SECONDS_TO_BEGIN)

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        if seconds_left is None:
            answer = self._ask(Ask(position, seat, None), None)
        else:
            answer = self._ask(Ask(position, seat, seconds_left), seconds_left + GRACE_SECONDS)
        if answer.gives_up:
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
        # The match is over: what the bot does now changes no result, and it is started afresh.
        with contextlib.suppress(BotError):
            self._ask(Over(position, seat, result), SECONDS_TO_BEGIN)
            self._process.hear_out()
            self.printed = self.printed or self._process.printed

    def close(self) -> None:
        if self._process is not None:
            self._process.end()
            self.printed = self.printed or self._process.printed
            self._process = None

    def kill(self) -> None:
        """End its process for good. A call in another thread that waits for it raises BotError."""
        self._is_killed = True
        process = self._process
        if process is not None:
            process.kill()

    def _ask(
        self, message: ProcessSettings | Begin | NewTerms | Ask | Over, seconds: float | None
    ) -> BotAnswer:
        """Return its answer. Raises BotError; a bot that died or hangs is ended."""
        if self._process is None:
            raise BotDiedError("it has ended by itself")
        try:
            answer = self._process.ask(pickle.dumps(message, pickle.HIGHEST_PROTOCOL), seconds)
        except BotError:
            self.close()
            raise
        if answer.fault is not None:
            parts = [answer.fault, answer.trace, self._process.said()]
            raise BotError("\n".join(filter(None, parts)))
        self.printed = self.printed or self._process.printed
        return answer


class _Process:
    """The process of a bot, from its start to its end."""

    def __init__(self, echo: Callable[[bytes], object] | None) -> None:
        """Start it. Raises BotError."""
        self._echo = echo
        ours, its = socket.socketpair()
        self._line = ours
        self._said = b""
        self.printed = ""
        """The first line on its standard output."""
        try:
            # The process inherits nothing but its own end of the socket.
            self._popen = subprocess.Popen(
                # Without -u, most of what it prints would be lost when it dies.
                [sys.executable, "-u", "-m", "gamehall.engines.bot_program", str(its.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[its.fileno()],
                start_new_session=True,
                env=os.environ | {"PYTHONHASHSEED": "0"},
            )
        except OSError as error:
            ours.close()
            raise BotDiedError(f"its process cannot be started: {error.strerror}") from None
        finally:
            its.close()
        self._exit = [os.pidfd_open(self._popen.pid)] if hasattr(os, "pidfd_open") else []
        """Ready to be read when the process has ended."""
        self._hearing = threading.Lock()
        self._listener = threading.Thread(target=self._listen, name="bot", daemon=True)
        self._listener.start()

    def said(self) -> str:
        """Return a sentence with what it has printed last, empty if it has printed nothing."""
        # What was echoed has been seen already.
        words = "" if self._echo else self._said.decode("utf-8", "replace").strip()
        return f"it said last:\n{words}" if words else ""

    def hear_out(self) -> None:
        """Read everything that it has printed so far."""
        assert self._popen.stdout is not None
        # At most as much as a pipe holds: it may go on printing.
        for _ in range(BYTES_OF_PIPE // BYTES_KEPT + 1):
            if not self._hear(self._popen.stdout):
                return

    def allow_cpu(self, seconds: int) -> None:
        """Allow this many seconds of CPU time from now on; the system ends it if it uses more."""
        try:
            ticks = os.sysconf("SC_CLK_TCK")
            with open(f"/proc/{self._popen.pid}/stat") as file:  # noqa: PTH123
                fields = file.read().rpartition(")")[2].split()
            used = (int(fields[11]) + int(fields[12])) // ticks
            _, most = resource.prlimit(self._popen.pid, resource.RLIMIT_CPU)
            resource.prlimit(self._popen.pid, resource.RLIMIT_CPU, (used + 1 + seconds, most))
        except (OSError, ValueError):
            # It has ended, which the next question will show.
            return

    def ask(self, message: bytes, seconds: float | None) -> BotAnswer:
        """Send a message and return the answer. Raises BotError."""
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            send(self._line, message)
            head = self._receive(LENGTH_BYTES, deadline)
            length = int.from_bytes(head, "big")
            if length > LONGEST_ANSWER:
                raise BotDiedError("it answers without end")
            return msgspec.json.decode(self._receive(length, deadline), type=BotAnswer)
        except OSError:
            raise self._end() from None
        except msgspec.MsgspecError:
            raise BotDiedError("it has answered what is no answer") from None

    def kill(self) -> None:
        """Kill it, and every process that it has started; this may be called by any thread."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill it, and wait for its end."""
        self.kill()
        self._line.close()
        self._popen.wait()
        while self._exit:
            os.close(self._exit.pop())
        self._listener.join(SECONDS_TO_DIE)

    def _receive(self, length: int, deadline: float | None) -> bytes:
        """Return exactly `length` bytes. Raises BotError and OSError."""
        content = b""
        while len(content) < length:
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            ready = wait_for([self._line, *self._exit], left)
            if not ready:
                raise BotTimeoutError(self._with_last_words("no answer in time"))
            if self._line not in ready:
                # A process that it has left behind holds the socket open.
                raise self._end()
            part = self._line.recv(length - len(content))
            if not part:
                raise self._end()
            content += part
        return content

    def _listen(self) -> None:
        """Read what it prints, so that it never blocks on a full pipe."""
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        streams = [self._popen.stdout, self._popen.stderr]
        while streams:
            for stream in wait_for(streams, None):
                if self._hear(stream) == b"":
                    streams.remove(stream)
        with self._hearing:
            self._popen.stdout.close()
            self._popen.stderr.close()

    def _hear(self, stream: IO[bytes]) -> bytes | None:
        """Read what is available; return None if there is nothing, b"" at the end."""
        with self._hearing:
            # Two threads read here: the other one may have taken what select has seen.
            if stream.closed or not wait_for([stream], 0.0):
                return None
            part = os.read(stream.fileno(), BYTES_KEPT)
            if part and stream is self._popen.stdout and not self.printed:
                line = part.decode("utf-8", "replace").strip().partition("\n")[0]
                self.printed = line[:LETTERS_OF_LINE]
            self._said = (self._said + part)[-BYTES_KEPT:]
            if part and self._echo is not None:
                self._echo(part)
            return part

    def _end(self) -> BotError:
        """Return how it has ended, and what it printed last."""
        try:
            code = self._popen.wait(SECONDS_TO_DIE)
        except subprocess.TimeoutExpired:
            return BotDiedError(self._with_last_words("it has closed its line"))
        self.kill()
        self._listener.join(SECONDS_TO_DIE)
        if code == -signal.SIGXCPU:
            return BotTimeoutError(self._with_last_words("it has used up its CPU time"))
        if code < 0:
            how = f"it was ended by signal {-code} ({signal.Signals(-code).name})"
        else:
            how = f"it has ended by itself, with exit code {code}"
        return BotDiedError(self._with_last_words(how))

    def _with_last_words(self, text: str) -> str:
        return "\n".join(filter(None, [text, self.said()]))


def die_with(parent: int) -> None:
    """Have the system end this process when its parent process ends, however that happens.

    Only Linux can do that; elsewhere a process notices when its connection is closed.
    """
    prctl = getattr(CDLL(None), "prctl", None)
    if prctl is None:
        return
    prctl(PR_SET_PDEATHSIG, c_ulong(signal.SIGKILL))
    if os.getppid() != parent:
        # The parent has ended before the call.
        os.kill(os.getpid(), signal.SIGKILL)
