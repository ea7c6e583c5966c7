"""Workers: what they are given, what comes back, and the processes of this machine that do it."""

import contextlib
import multiprocessing
import os
import signal
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from ctypes import c_double
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, NamedTuple

from gamehall.arena.config import ArenaConfig
from gamehall.arena.match import MatchNotPlayedError, Watch
from gamehall.arena.match_runner import MatchRunner, Row
from gamehall.core import GamehallError
from gamehall.engines.choice import BotChoiceError, BotLoadError, EngineStartError
from gamehall.engines.guarded import die_with
from gamehall.tournaments.formats.format import Encounter

CHUNKS_AHEAD = 2
"""A worker with one chunk to play and one waiting never idles."""
SECONDS_OVERDUE = 5.0
"""How long a bot may keep a worker beyond its limit before that worker is given up."""
SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_TO_DIE = 2.0
MOST_DEATHS_IN_A_ROW = 20


class Chunk(NamedTuple):
    """Encounters that one worker plays, one after the other."""

    encounters: Sequence[Encounter]
    guards_all: bool = False
    """Whether every bot plays in a process of its own, so that it is known which one fails."""


class Done(NamedTuple):
    """A chunk that was played, or lost together with its worker."""

    chunk: Chunk
    rows: Sequence[Row]
    seconds: float
    """How long it took."""
    error: str | None = None
    """Why it was lost, if it was; then there are no rows."""


def play_chunk(runner: MatchRunner, chunk: Chunk, watch: Watch) -> tuple[list[Row], str | None]:
    """Return the rows of a chunk, or none and the reason."""
    rows: list[Row] = []
    try:
        for encounter in chunk.encounters:
            rows += runner.play(encounter, chunk.guards_all, watch)
    except (MatchNotPlayedError, BotChoiceError, BotLoadError, EngineStartError) as error:
        return [], str(error)
    return rows, None


class WorkerPoolError(GamehallError):
    """The workers cannot play at all. The text says why, and what to do."""


class WorkerPool(ABC):
    """Plays chunks, several at a time. A chunk that is lost with its worker is reported as such."""

    size: int
    """How many workers there are."""

    @property
    @abstractmethod
    def wants_more(self) -> bool:
        """Whether a worker has nothing to do, or soon will."""

    @abstractmethod
    def give(self, chunk: Chunk) -> None:
        """Have a chunk played. Raises WorkerPoolError."""

    @abstractmethod
    def take(self, seconds: float) -> list[Done]:
        """Return what was done since; wait at most `seconds` for the first.

        Raises WorkerPoolError.
        """

    @abstractmethod
    def close(self) -> None:
        """End all work at once; what has not been taken is lost."""


class LocalWorkers(WorkerPool):
    """Worker processes on this machine; one that dies is replaced."""

    def __init__(self, run: str, config: ArenaConfig, size: int) -> None:
        self.size = size
        self._run = run
        self._config = config
        self._context = multiprocessing.get_context("spawn")
        self._workers = [self._start() for _ in range(size)]
        self._deaths_in_a_row = 0

    @property
    def wants_more(self) -> bool:
        return any(len(worker.chunks) < CHUNKS_AHEAD for worker in self._workers)

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [worker.program.pid for worker in self._workers if worker.program.pid is not None]

    def give(self, chunk: Chunk) -> None:
        idlest = min(self._workers, key=lambda worker: len(worker.chunks))
        idlest.give(chunk)

    def take(self, seconds: float) -> list[Done]:
        waiting: dict[object, _Worker] = {worker.line: worker for worker in self._workers}
        waiting |= {worker.program.sentinel: worker for worker in self._workers}
        ready = wait(list(waiting), min(seconds, SECONDS_BETWEEN_LOOKS))  # type: ignore[arg-type]
        now = time.monotonic()
        found: list[Done] = []
        for worker in dict.fromkeys(waiting[one] for one in ready):
            found += self._hear(worker)
        for worker in list(self._workers):
            if worker.deadline and now > worker.deadline + SECONDS_OVERDUE:
                worker.end()
                found += self._replace(worker, "a bot did not answer in time")
        return found

    def close(self) -> None:
        for worker in self._workers:
            worker.end()

    def _start(self) -> "_Worker":
        return _Worker(self._context, self._run, self._config)

    def _hear(self, worker: "_Worker") -> list[Done]:
        """Return the chunks that a worker has played; replace it if it is dead."""
        found: list[Done] = []
        with contextlib.suppress(EOFError, OSError):
            while worker.line.poll():
                rows, seconds, error = worker.line.recv()
                found.append(
                    Done(chunk=worker.chunks.popleft(), rows=rows, seconds=seconds, error=error)
                )
                self._deaths_in_a_row = 0
        if not worker.program.is_alive():
            code = worker.program.exitcode
            found += self._replace(worker, f"a worker has died (exit code {code})")
        return found

    def _replace(self, worker: "_Worker", error: str) -> list[Done]:
        """Replace a worker; what it had to play is lost. Raises WorkerPoolError."""
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row > MOST_DEATHS_IN_A_ROW:
            raise WorkerPoolError(f"workers die one after the other: {error}")
        worker.end()
        self._workers[self._workers.index(worker)] = self._start()
        return [Done(chunk=chunk, rows=(), seconds=0.0, error=error) for chunk in worker.chunks]


class _Worker:
    """A process that plays chunks, and the chunks that it was given."""

    def __init__(self, context: SpawnContext, run: str, config: ArenaConfig) -> None:
        self.line, its = context.Pipe()
        self.chunks: deque[Chunk] = deque()
        self._deadline: Any = context.RawValue(c_double, 0.0)
        self.program: SpawnProcess = context.Process(
            target=work,
            args=(its, run, config, self._deadline, os.getpid()),
            name="worker",
            daemon=True,
        )
        self.program.start()
        its.close()

    @property
    def deadline(self) -> float:
        """When the bot that is thinking there should have moved, 0 if none is."""
        return float(self._deadline.value)

    def give(self, chunk: Chunk) -> None:
        """Have it play a chunk after those it has."""
        self.chunks.append(chunk)
        # If it has died, that is noticed later, and the chunk is lost with the others.
        with contextlib.suppress(OSError):
            self.line.send(chunk)

    def end(self) -> None:
        """Kill it."""
        self.program.kill()
        self.program.join(SECONDS_TO_DIE)
        self.line.close()


def work(line: Connection, run: str, config: ArenaConfig, deadline: Any, parent: int) -> None:
    """Play the chunks that arrive until the connection is closed."""
    die_with(parent)
    # Ctrl-C is for the parent process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    runner = MatchRunner(run, config, time.monotonic)

    def watch(until: float) -> None:
        deadline.value = until

    with contextlib.suppress(EOFError, OSError):
        while True:
            chunk = line.recv()
            began = time.monotonic()
            rows, error = play_chunk(runner, chunk, watch)
            line.send((rows, time.monotonic() - began, error))
    runner.close()
