"""Workers that play chunks of encounters, and the worker processes of this computer."""

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
from gamehall.arena.match import MatchNotPlayedError, SetDeadline
from gamehall.arena.match_runner import MatchRunner, Row
from gamehall.core import GamehallError
from gamehall.engines.choice import BotChoiceError, BotLoadError, EngineStartError
from gamehall.engines.guarded import exit_with_parent
from gamehall.tournaments.formats.format import Encounter

CHUNKS_AHEAD = 2
"""A worker with one chunk to play and one waiting never idles."""
SECONDS_OVERDUE = 5.0
"""How long after a bot's deadline its worker is killed."""
SECONDS_BETWEEN_CHECKS = 0.5
SECONDS_TO_DIE = 2.0
MOST_DEATHS_IN_A_ROW = 20


class Chunk(NamedTuple):
    """Encounters that one worker plays, one after the other."""

    encounters: Sequence[Encounter]
    guards_all: bool = False
    """Whether built-in bots run in processes of their own, too."""


class ChunkResult(NamedTuple):
    """The result of a chunk that was played, or lost together with its worker."""

    chunk: Chunk
    rows: Sequence[Row]
    seconds: float
    error: str | None = None
    """Why the chunk was lost; then there are no rows."""


def play_chunk(
    runner: MatchRunner, chunk: Chunk, set_deadline: SetDeadline
) -> tuple[list[Row], str | None]:
    """Return the rows of a chunk, or no rows and the error."""
    rows: list[Row] = []
    try:
        for encounter in chunk.encounters:
            rows += runner.play(encounter, chunk.guards_all, set_deadline)
    except (MatchNotPlayedError, BotChoiceError, BotLoadError, EngineStartError) as error:
        return [], str(error)
    return rows, None


class WorkerPoolError(GamehallError):
    """The workers cannot play. The message says why, and what to do."""


class WorkerPool(ABC):
    """Plays chunks, several at a time."""

    size: int
    """The number of workers."""

    @property
    @abstractmethod
    def wants_more(self) -> bool:
        """Whether a worker has nothing to do, or soon will."""

    @abstractmethod
    def submit(self, chunk: Chunk) -> None:
        """Have a chunk played. Raises WorkerPoolError."""

    @abstractmethod
    def collect(self, seconds: float) -> list[ChunkResult]:
        """Return the results since the last call; wait at most `seconds` for the first.

        Raises WorkerPoolError.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop all workers at once. Results that were not collected are lost."""


class LocalWorkers(WorkerPool):
    """Worker processes on this computer. One that dies is replaced."""

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

    def submit(self, chunk: Chunk) -> None:
        least_busy = min(self._workers, key=lambda worker: len(worker.chunks))
        least_busy.submit(chunk)

    def collect(self, seconds: float) -> list[ChunkResult]:
        sources: dict[object, _Worker] = {worker.connection: worker for worker in self._workers}
        sources |= {worker.process.sentinel: worker for worker in self._workers}
        ready = wait(list(sources), min(seconds, SECONDS_BETWEEN_CHECKS))  # type: ignore[arg-type]
        now = time.monotonic()
        results: list[ChunkResult] = []
        for worker in dict.fromkeys(sources[source] for source in ready):
            results += self._receive(worker)
        for worker in list(self._workers):
            if worker.deadline and now > worker.deadline + SECONDS_OVERDUE:
                worker.kill()
                results += self._replace(worker, "a bot did not answer in time")
        return results

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()

    def _start(self) -> "_Worker":
        return _Worker(self._context, self._run, self._config)

    def _receive(self, worker: "_Worker") -> list[ChunkResult]:
        """Return the results that a worker has sent; replace it if it has died."""
        results: list[ChunkResult] = []
        with contextlib.suppress(EOFError, OSError):
            while worker.connection.poll():
                rows, seconds, error = worker.connection.recv()
                chunk = worker.chunks.popleft()
                results.append(ChunkResult(chunk=chunk, rows=rows, seconds=seconds, error=error))
                self._deaths_in_a_row = 0
        if not worker.process.is_alive():
            code = worker.process.exitcode
            results += self._replace(worker, f"a worker has died (exit code {code})")
        return results

    def _replace(self, worker: "_Worker", error: str) -> list[ChunkResult]:
        """Replace a worker, and return its chunks as lost. Raises WorkerPoolError."""
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row > MOST_DEATHS_IN_A_ROW:
            raise WorkerPoolError(f"workers die one after the other: {error}")
        worker.kill()
        self._workers[self._workers.index(worker)] = self._start()
        return [
            ChunkResult(chunk=chunk, rows=(), seconds=0.0, error=error) for chunk in worker.chunks
        ]


class _Worker:
    """A process that plays chunks, and the chunks that it has not finished."""

    def __init__(self, context: SpawnContext, run: str, config: ArenaConfig) -> None:
        self.connection, child_connection = context.Pipe()
        self.chunks: deque[Chunk] = deque()
        self._deadline: Any = context.RawValue(c_double, 0.0)
        self.process: SpawnProcess = context.Process(
            target=run_worker,
            args=(child_connection, run, config, self._deadline, os.getpid()),
            name="worker",
            daemon=True,
        )
        self.process.start()
        child_connection.close()

    @property
    def deadline(self) -> float:
        """The time by which the bot that is thinking should have moved, 0 if none is."""
        return float(self._deadline.value)

    def submit(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        # If the process has died, this is noticed later, and all of its chunks are lost.
        with contextlib.suppress(OSError):
            self.connection.send(chunk)

    def kill(self) -> None:
        self.process.kill()
        self.process.join(SECONDS_TO_DIE)
        self.connection.close()


def run_worker(
    connection: Connection, run: str, config: ArenaConfig, deadline: Any, parent: int
) -> None:
    """Play the chunks that arrive until the connection is closed."""
    exit_with_parent(parent)
    # Ctrl-C is for the parent process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    runner = MatchRunner(run, config, time.monotonic)

    def set_deadline(time_of_move: float) -> None:
        deadline.value = time_of_move

    with contextlib.suppress(EOFError, OSError):
        while True:
            chunk = connection.recv()
            began = time.monotonic()
            rows, error = play_chunk(runner, chunk, set_deadline)
            connection.send((rows, time.monotonic() - began, error))
    runner.close()
