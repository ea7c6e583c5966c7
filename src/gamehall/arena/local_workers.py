"""Workers on the cores of this machine: a program each, which is replaced if it dies."""

import contextlib
import multiprocessing
import os
import signal
import time
from collections import deque
from ctypes import c_double
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

from gamehall.arena.chunk import CHUNKS_AHEAD, SECONDS_OVERDUE, Chunk, Done, play_chunk
from gamehall.arena.conditions import ArenaConfig
from gamehall.arena.match_runner import MatchRunner
from gamehall.arena.worker_pool import CannotPlay, WorkerPool
from gamehall.engines.guarded import die_with

SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_TO_DIE = 2.0
MOST_DEATHS_IN_A_ROW = 20


class LocalWorkers(WorkerPool):
    """So many programs beside this one."""

    def __init__(self, run: str, conditions: ArenaConfig, size: int) -> None:
        self.size = size
        self._run = run
        self._conditions = conditions
        self._context = multiprocessing.get_context("spawn")
        self._workers = [self._start() for _ in range(size)]
        self._deaths_in_a_row = 0

    @property
    def wants_more(self) -> bool:
        return any(len(worker.chunks) < CHUNKS_AHEAD for worker in self._workers)

    @property
    def pids(self) -> list[int]:
        """The programs that its workers are."""
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
        return _Worker(self._context, self._run, self._conditions)

    def _hear(self, worker: "_Worker") -> list[Done]:
        """What it has to say: chunks that it has played, or nothing any more."""
        found: list[Done] = []
        with contextlib.suppress(EOFError, OSError):
            while worker.line.poll():
                rows, seconds, trouble = worker.line.recv()
                found.append(Done(worker.chunks.popleft(), rows, seconds, trouble))
                self._deaths_in_a_row = 0
        if not worker.program.is_alive():
            code = worker.program.exitcode
            found += self._replace(worker, f"a worker has died (exit code {code})")
        return found

    def _replace(self, worker: "_Worker", trouble: str) -> list[Done]:
        """Another takes its place; what it had to play is lost. Raises CannotPlay."""
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row > MOST_DEATHS_IN_A_ROW:
            raise CannotPlay(f"workers die one after the other: {trouble}")
        worker.end()
        self._workers[self._workers.index(worker)] = self._start()
        return [Done(chunk, (), 0.0, trouble) for chunk in worker.chunks]


class _Worker:
    """A program that plays chunks, and what it has to play."""

    def __init__(self, context: SpawnContext, run: str, conditions: ArenaConfig) -> None:
        self.line, its = context.Pipe()
        self.chunks: deque[Chunk] = deque()
        self._deadline: Any = context.RawValue(c_double, 0.0)
        self.program: SpawnProcess = context.Process(
            target=work,
            args=(its, run, conditions, self._deadline, os.getpid()),
            name="worker",
            daemon=True,
        )
        self.program.start()
        its.close()

    @property
    def deadline(self) -> float:
        """When the bot that is thinking there should have moved, 0 if nobody is waited for."""
        return float(self._deadline.value)

    def give(self, chunk: Chunk) -> None:
        """Has it play a chunk after those it has."""
        self.chunks.append(chunk)
        # If it has died, that is noticed, and the chunk is lost with the others.
        with contextlib.suppress(OSError):
            self.line.send(chunk)

    def end(self) -> None:
        """Ends it at once."""
        self.program.kill()
        self.program.join(SECONDS_TO_DIE)
        self.line.close()


def work(line: Connection, run: str, conditions: ArenaConfig, deadline: Any, parent: int) -> None:
    """Plays what comes, as long as something does."""
    die_with(parent)
    # Ctrl-C is for whoever started us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pitch = MatchRunner(run, conditions, time.monotonic)

    def watch(until: float) -> None:
        deadline.value = until

    with contextlib.suppress(EOFError, OSError):
        while True:
            chunk = line.recv()
            began = time.monotonic()
            rows, trouble = play_chunk(pitch, chunk, watch)
            line.send((rows, time.monotonic() - began, trouble))
    pitch.close()
