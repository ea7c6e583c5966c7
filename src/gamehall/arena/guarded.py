"""A bot that plays in a program of its own, under limits, so that nothing it does harms others."""

import contextlib
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
from typing import IO, Any

import msgspec

from gamehall.arena.bot_messages import (
    LENGTH_BYTES,
    LONGEST_ANSWER,
    Answer,
    Ask,
    Begin,
    Over,
    Setting,
    send,
)
from gamehall.arena.conditions import ArenaEntry, Limits
from gamehall.arena.match import GRACE_SECONDS, BotDied, BotHangs, NoMove
from gamehall.bots import Bot, BotFault, BotResigned
from gamehall.core import Game, Position, Seat
from gamehall.match import Result

BYTES_KEPT = 2_000
"""Of what a bot prints, for the evidence."""
BYTES_OF_PIPE = 65_536
LETTERS_OF_LINE = 80
SECONDS_TO_START = 60.0
"""To load it, and what it loads: a search may have to be compiled first."""
SECONDS_TO_BEGIN = 30.0
SECONDS_TO_DIE = 2.0


class GuardedBot(Bot[Any]):
    """A bot behind a socket. It is started when a match begins, and again if it has died since."""

    def __init__(self, contender: ArenaEntry, game: Game[Any], limits: Limits) -> None:
        self._contender = contender
        self._game = game
        self._limits = limits
        self._program: _Program | None = None
        self.printed = ""
        """The first thing that it has printed to its standard output, which nobody reads."""

    def begin(self, seed: int) -> None:
        """A match begins. Raises BotFault."""
        if self._program is None:
            self._program = _Program(self._contender, self._game, self._limits)
        self._program.allow_cpu(self._limits.cpu_seconds)
        self._ask(Begin(seed), SECONDS_TO_BEGIN)

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        if seconds_left is None:
            answer = self._ask(Ask(position, seat, None), None)
        else:
            answer = self._ask(Ask(position, seat, seconds_left), seconds_left + GRACE_SECONDS)
        if answer.gives_up:
            raise BotResigned
        if answer.move is None:
            raise NoMove(answer.no_move or "nothing")
        try:
            return self._game.read_move(answer.move)
        except ValueError:
            raise NoMove(f"{answer.move!r:.200}") from None

    def game_over(self, position: Position[Any] | None, seat: Seat | None, result: Result) -> None:
        if self._program is None or position is None or seat is None:
            return
        # The match is over: what it does now is nobody's loss, and it is started afresh.
        with contextlib.suppress(BotFault):
            self._ask(Over(position, seat, result), SECONDS_TO_BEGIN)
            self._program.hear_out()
            self.printed = self.printed or self._program.printed

    def close(self) -> None:
        if self._program is not None:
            self._program.end()
            self.printed = self.printed or self._program.printed
            self._program = None

    def _ask(self, message: Begin | Ask | Over, seconds: float | None) -> Answer:
        """What it says. Raises BotFault; a bot that died or hangs is ended."""
        if self._program is None:
            raise BotDied("it has ended by itself")
        try:
            answer = self._program.ask(pickle.dumps(message, pickle.HIGHEST_PROTOCOL), seconds)
        except BotFault:
            self.close()
            raise
        if answer.fault is not None:
            parts = [answer.fault, answer.trace, self._program.said()]
            raise BotFault("\n".join(filter(None, parts)))
        self.printed = self.printed or self._program.printed
        return answer


class _Program:
    """The program of a bot, from its start to its end."""

    def __init__(self, contender: ArenaEntry, game: Game[Any], limits: Limits) -> None:
        """Raises BotFault."""
        ours, its = socket.socketpair()
        self._line = ours
        self._said = b""
        self.printed = ""
        """The first thing on its standard output."""
        try:
            # Nothing but its own end of the line is inherited.
            self._popen = subprocess.Popen(
                # Without -u, what it prints would mostly die with it.
                [sys.executable, "-u", "-m", "gamehall.arena.bot_program", str(its.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[its.fileno()],
                start_new_session=True,
                env=os.environ | {"PYTHONHASHSEED": "0"},
            )
        finally:
            its.close()
        self._hearing = threading.Lock()
        self._listener = threading.Thread(target=self._listen, name="bot", daemon=True)
        self._listener.start()
        setting = Setting(
            contender.text, game, contender.seconds_per_move, limits.megabytes, os.getpid()
        )
        answer = self.ask(pickle.dumps(setting, pickle.HIGHEST_PROTOCOL), SECONDS_TO_START)
        if answer.fault is not None:
            self.end()
            raise BotFault(answer.fault)

    def said(self) -> str:
        """What it has printed last, with a word before it; empty if it has printed nothing."""
        words = self._said.decode("utf-8", "replace").strip()
        return f"it said last:\n{words}" if words else ""

    def hear_out(self) -> None:
        """Takes note of all that it has printed by now."""
        assert self._popen.stdout is not None
        # As much as a pipe holds; it may go on printing.
        for _ in range(BYTES_OF_PIPE // BYTES_KEPT + 1):
            if not self._hear(self._popen.stdout):
                return

    def allow_cpu(self, seconds: int) -> None:
        """From now on it may use so many seconds on a core, and dies if it uses more."""
        try:
            ticks = os.sysconf("SC_CLK_TCK")
            with open(f"/proc/{self._popen.pid}/stat") as file:  # noqa: PTH123
                fields = file.read().rpartition(")")[2].split()
            used = (int(fields[11]) + int(fields[12])) // ticks
            _, most = resource.prlimit(self._popen.pid, resource.RLIMIT_CPU)
            resource.prlimit(self._popen.pid, resource.RLIMIT_CPU, (used + 1 + seconds, most))
        except (OSError, ValueError):
            # It has ended, which the next question brings to light.
            return

    def ask(self, message: bytes, seconds: float | None) -> Answer:
        """What it answers. Raises BotFault."""
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            send(self._line, message)
            head = self._receive(LENGTH_BYTES, deadline)
            length = int.from_bytes(head, "big")
            if length > LONGEST_ANSWER:
                raise BotDied("it answers without end")
            return msgspec.json.decode(self._receive(length, deadline), type=Answer)
        except OSError:
            raise self._end() from None
        except msgspec.MsgspecError:
            raise BotDied("it has answered what is no answer") from None

    def end(self) -> None:
        """Ends it, whatever it does just now, and whatever it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._line.close()
        self._popen.wait()
        self._listener.join(SECONDS_TO_DIE)

    def _receive(self, length: int, deadline: float | None) -> bytes:
        """So many bytes. Raises BotFault, and OSError."""
        content = b""
        while len(content) < length:
            if deadline is not None:
                left = max(deadline - time.monotonic(), 0.0)
                if not select.select([self._line], [], [], left)[0]:
                    raise BotHangs(self._with_last_words("no answer in time"))
            part = self._line.recv(length - len(content))
            if not part:
                raise self._end()
            content += part
        return content

    def _listen(self) -> None:
        """Reads what it prints, so that it never waits for us to do so."""
        assert self._popen.stdout is not None
        assert self._popen.stderr is not None
        streams = [self._popen.stdout, self._popen.stderr]
        while streams:
            for stream in select.select(streams, [], [])[0]:
                if self._hear(stream) == b"":
                    streams.remove(stream)
        with self._hearing:
            self._popen.stdout.close()
            self._popen.stderr.close()

    def _hear(self, stream: IO[bytes]) -> bytes | None:
        """Takes note of what there is to be read, None if there is nothing, empty at the end."""
        with self._hearing:
            # Whoever saw that there is something may not be the one who gets it.
            if stream.closed or not select.select([stream], [], [], 0)[0]:
                return None
            part = os.read(stream.fileno(), BYTES_KEPT)
            if part and stream is self._popen.stdout and not self.printed:
                line = part.decode("utf-8", "replace").strip().partition("\n")[0]
                self.printed = line[:LETTERS_OF_LINE]
            self._said = (self._said + part)[-BYTES_KEPT:]
            return part

    def _end(self) -> BotFault:
        """How it has ended, and what it said last."""
        try:
            code = self._popen.wait(SECONDS_TO_DIE)
        except subprocess.TimeoutExpired:
            return BotDied(self._with_last_words("it has closed its line"))
        self._listener.join(SECONDS_TO_DIE)
        if code == -signal.SIGXCPU:
            return BotHangs(self._with_last_words("it has used up its CPU time"))
        if code < 0:
            how = f"it was ended by signal {-code} ({signal.Signals(-code).name})"
        else:
            how = f"it has ended by itself, with exit code {code}"
        return BotDied(self._with_last_words(how))

    def _with_last_words(self, text: str) -> str:
        return "\n".join(filter(None, [text, self.said()]))
