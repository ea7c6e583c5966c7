"""Workers of a Ray cluster: every chunk is a task, which Ray repeats if it is lost.

Each computer of the cluster needs this version of Gamehall and the GTP engines that play. The
folders with users' bots are sent to the cluster with the run, including all files beside a bot.
"""

import contextlib
import logging
import os
import shlex
import signal
import socket
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from gamehall import __version__
from gamehall.arena.config import ArenaConfig
from gamehall.arena.match_runner import MatchRunner, Row
from gamehall.arena.workers import (
    CHUNKS_AHEAD,
    SECONDS_OVERDUE,
    Chunk,
    ChunkResult,
    WorkerPool,
    WorkerPoolError,
    play_chunk,
)
from gamehall.engines.bot_text import GTP
from gamehall.engines.choice import BotChoiceError
from gamehall.engines.guarded import Limits
from gamehall.engines.own_bot import is_file_of_bot

# Ray reads these variables when it is imported. Without the first, it would print messages of its
# workers to standard output, where programs read the standings. Without the last, it would not send
# files that git ignores, and a bot may need them.
for _name, _value in {
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_RUNTIME_ENV_IGNORE_GITIGNORE": "1",
}.items():
    os.environ.setdefault(_name, _value)
try:
    import ray
    from ray.exceptions import RayError, RaySystemError, RayTaskError, RuntimeEnvSetupError
except ImportError:
    raise WorkerPoolError("Ray is not installed: pip install 'gamehall[ray]'") from None

MOST_RETRIES = 1
"""How often Ray itself repeats a chunk whose worker or computer was lost."""
MOST_LOST_IN_A_ROW = 20
SECONDS_TO_SCHEDULE = 3_600.0
"""How long a chunk may wait for a worker: others may use the cluster, too."""
SECONDS_AROUND_A_MATCH = 300.0
"""More than it takes to start two bots, and to tell them the result."""
SECONDS_TO_CONNECT = 10.0
SECONDS_BETWEEN_COUNTS = 10.0
BYTES_OF_STORE = 200 << 20
"""The size of Ray's object store on this computer: far more than all chunks together need."""
DEFAULT_PORT = 10_001
LETTERS_OF_ERROR = 300
NOT_SENT = [".git", ".venv", "venv", "__pycache__"]

Report = tuple[list[Row], float, str | None]
"""The rows of a chunk, the seconds it took, and the error if there are no rows."""


class RayWorkers(WorkerPool):
    """As many workers as a Ray cluster has CPUs."""

    def __init__(
        self, run: str, config: ArenaConfig, address: str | None, max_workers: int | None = None
    ) -> None:
        """Connect to the cluster at this address, or start Ray on this computer.

        Raises WorkerPoolError.
        """
        if address is not None:
            _check_address(address)
        with TemporaryDirectory(prefix="gamehall-") as folder:
            remote_config = link_bot_folders(config, Path(folder))
            _start_ray(address, Path(folder), max_workers)
        self._max_workers = max_workers
        self._limits = config.limits
        self._matches_per_encounter = config.matches_per_encounter
        self._play: Any = ray.remote(make_task(run, remote_config)).options(
            max_retries=MOST_RETRIES
        )
        self._tasks: dict[Any, _Task] = {}
        self._lost_in_a_row = 0
        self._count_workers()

    @property
    def wants_more(self) -> bool:
        return len(self._tasks) < CHUNKS_AHEAD * self.size

    def submit(self, chunk: Chunk) -> None:
        matches = len(chunk.encounters) * self._matches_per_encounter
        deadline = time.monotonic() + max_seconds(self._limits, matches)
        with _ray_errors():
            self._tasks[self._play.remote(chunk)] = _Task(chunk, deadline)

    def collect(self, seconds: float) -> list[ChunkResult]:
        if not self._tasks:
            time.sleep(seconds)
            return []
        with _ray_errors():
            if time.monotonic() > self._next_count:
                self._count_workers()
            ready, others = ray.wait(list(self._tasks), num_returns=1, timeout=seconds)
            if ready and others:
                ready += ray.wait(others, num_returns=len(others), timeout=0)[0]
            return [self._receive(task) for task in ready] + self._cancel_overdue()

    def close(self) -> None:
        try:
            for task in self._tasks:
                # If the cluster itself has failed, there is nothing to cancel.
                with contextlib.suppress(Exception):
                    ray.cancel(task, force=True)
        finally:
            self._tasks.clear()
            ray.shutdown()

    def _count_workers(self) -> None:
        # Count them again and again: a cluster may grow.
        resources: Callable[[], dict[str, float]] = ray.cluster_resources
        cpus = max(int(resources().get("CPU", 1)), 1)
        self.size = cpus if self._max_workers is None else min(cpus, self._max_workers)
        self._next_count = time.monotonic() + SECONDS_BETWEEN_COUNTS

    def _receive(self, task: Any) -> ChunkResult:
        """Return the result of a finished task. Raises WorkerPoolError."""
        chunk = self._tasks.pop(task).chunk
        try:
            rows, seconds, failure = ray.get(task)
        except (RuntimeEnvSetupError, RaySystemError):
            raise
        except RayTaskError as error:
            if isinstance(error.cause, WorkerPoolError):
                raise error.cause from None
            return self._lose(chunk, _one_line(error.cause))
        except RayError as error:
            return self._lose(chunk, _one_line(error))
        self._lost_in_a_row = 0
        return ChunkResult(chunk=chunk, rows=rows, seconds=seconds, error=failure)

    def _cancel_overdue(self) -> list[ChunkResult]:
        now = time.monotonic()
        overdue = [key for key, task in self._tasks.items() if now > task.deadline]
        for key in overdue:
            ray.cancel(key, force=True)
        return [self._lose(self._tasks.pop(key).chunk, "no result in time") for key in overdue]

    def _lose(self, chunk: Chunk, error: str) -> ChunkResult:
        """Return a lost chunk. Raises WorkerPoolError if too many were lost in a row."""
        self._lost_in_a_row += 1
        if self._lost_in_a_row > MOST_LOST_IN_A_ROW:
            raise WorkerPoolError(f"Ray loses one chunk after the other: {error}")
        return ChunkResult(chunk=chunk, rows=(), seconds=0.0, error=error)


class _Task(NamedTuple):
    chunk: Chunk
    deadline: float


def make_task(run: str, config: ArenaConfig) -> Callable[[Chunk], Report]:
    """Return the function that Ray sends to every worker once."""
    runners: list[MatchRunner] = []
    version = __version__

    # Ray shows this name in the list of processes.
    def play(chunk: Chunk) -> Report:
        return play_in_worker(runners, run, config, version, chunk)

    return play


def play_in_worker(
    runners: list[MatchRunner], run: str, config: ArenaConfig, version: str, chunk: Chunk
) -> Report:
    """Play a chunk in a worker.

    Args:
        runners: empty at the first call of a worker, which puts its runner there.
        run: the name of the run.
        config: its configuration.
        version: the version of Gamehall that runs the arena.
        chunk: what to play.

    Raises:
        WorkerPoolError: this computer has another version of Gamehall.
    """
    if version != __version__:
        raise WorkerPoolError(
            f"a computer of the cluster has Gamehall {__version__}, and this one {version}: install"
            " the same version on all"
        )
    try:
        if not runners:
            runners.append(MatchRunner(run, config, time.monotonic))
    except BotChoiceError as why:
        return [], 0.0, str(why)
    began = time.monotonic()
    try:
        rows, error = play_chunk(runners[0], chunk, _set_deadline)
    finally:
        _set_deadline(0.0)
    return rows, time.monotonic() - began, error


def max_seconds(limits: Limits, matches: int) -> float:
    """Return the seconds after which a chunk with this number of matches is lost.

    This is generous, and infinite without limits: usually the worker itself ends a bot that hangs.
    """
    by_move, by_game = limits.seconds_per_move, limits.seconds_per_game
    bounds = [
        float("inf") if by_move is None else by_move * limits.moves,
        float("inf") if by_game is None else by_game * 2,
    ]
    return SECONDS_TO_SCHEDULE + matches * 2 * (min(bounds) + SECONDS_AROUND_A_MATCH)


def _set_deadline(deadline: float) -> None:
    """Have a signal end this worker if the bot is long overdue.

    This also works while the bot runs compiled code that holds the interpreter's lock.
    """
    seconds = deadline - time.monotonic() + SECONDS_OVERDUE if deadline else 0.0
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _check_address(address: str) -> None:
    """Check that a server listens there: Ray itself takes long to fail. Raises WorkerPoolError."""
    try:
        parts = urlsplit(address)
        host_and_port = parts.hostname or "", parts.port or DEFAULT_PORT
    except ValueError:
        raise WorkerPoolError(f"{address} is not an address: write ray://HOST:PORT") from None
    try:
        socket.create_connection(host_and_port, SECONDS_TO_CONNECT).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise WorkerPoolError(f"cannot connect to Ray at {address}: {why}") from None


def _start_ray(address: str | None, folder: Path, max_workers: int | None) -> None:
    """Join a cluster, or start one, and send the folder to its workers. Raises WorkerPoolError."""
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    if address is None:
        options |= {"include_dashboard": False, "object_store_memory": BYTES_OF_STORE}
        options["num_cpus"] = max_workers
    if any(folder.iterdir()):
        options["runtime_env"] = {"working_dir": str(folder), "excludes": NOT_SENT}
    try:
        with warnings.catch_warnings():
            # Ray also raises an exception for everything that it warns about here.
            warnings.simplefilter("ignore")
            ray.init(address or "local", **options)
    except RuntimeEnvSetupError as error:
        ray.shutdown()
        raise WorkerPoolError(
            "the folders of your bots cannot be sent to Ray; give each bot a folder with only the"
            f" files that it needs ({_one_line(error)})"
        ) from None
    except Exception as error:
        # Ray's exceptions have no common base class.
        ray.shutdown()
        why = _one_line(error)
        if address is None:
            raise WorkerPoolError(f"cannot start Ray on this computer: {why}") from None
        raise WorkerPoolError(
            f"the Ray cluster at {address} refuses the connection: {why}; if it needs a token, set"
            " RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN unless it is in your home folder"
        ) from None


@contextlib.contextmanager
def _ray_errors() -> Any:
    """Raise WorkerPoolError for errors of Ray itself."""
    try:
        yield
    except (RayError, ConnectionError) as error:
        raise WorkerPoolError(f"Ray has failed: {_one_line(error)}") from None


def _one_line(error: BaseException) -> str:
    words = " ".join(str(error).split())[:LETTERS_OF_ERROR]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def link_bot_folders(config: ArenaConfig, folder: Path) -> ArenaConfig:
    """Link the folders of users' bots into `folder`, under the names 0, 1, ...

    Return the config with the new paths, for workers whose working directory is a copy of `folder`.
    """
    numbers: dict[Path, str] = {}
    entries = []
    for entry in config.entries:
        text = entry.text
        if is_file_of_bot(text):
            name, colon, kind = text.partition(":")
            parent = Path(name).parent.resolve()
            if parent not in numbers:
                numbers[parent] = str(len(numbers))
                (folder / numbers[parent]).symlink_to(parent, target_is_directory=True)
            text = f"{numbers[parent]}/{Path(name).name}{colon}{kind}"
        elif text.startswith(GTP):
            text = GTP + _with_absolute_path(text.removeprefix(GTP))
        entries.append(msgspec.structs.replace(entry, text=text))
    return msgspec.structs.replace(config, entries=tuple(entries))


def _with_absolute_path(command: str) -> str:
    """Return the command with an absolute path to its program, to run it from any folder."""
    words: Sequence[str] = shlex.split(command)
    if not words or "/" not in words[0]:
        return command
    return shlex.join([str(Path(words[0]).absolute()), *words[1:]])
