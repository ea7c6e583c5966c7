"""Workers of a Ray cluster: every chunk is a task, which Ray repeats if it is lost.

Each machine of the cluster has this version of Gamehall, and the engines that play. The folders of
users' bots are sent there with the run: what lies beside a bot comes with it.
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
    Done,
    WorkerPool,
    WorkerPoolError,
    play_chunk,
)
from gamehall.engines.bot_text import GTP
from gamehall.engines.choice import BotChoiceError
from gamehall.engines.guarded import Limits
from gamehall.engines.own_bot import is_file_of_bot

# Ray reads these while it is imported. It would print what happens to its workers to our standard
# output, where programs read the standings; and files that git ignores may belong to a bot.
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
    raise WorkerPoolError("Ray is not installed: pip install 'ray[client]'") from None

MOST_RETRIES = 1
"""How often Ray itself repeats a chunk whose worker or machine was lost."""
MOST_LOST_IN_A_ROW = 20
SECONDS_FOR_A_PLACE = 3_600.0
"""How long a chunk may wait for a worker: others may use the cluster, too."""
SECONDS_AROUND_A_MATCH = 300.0
"""More than it takes to start two bots, and to tell them the result."""
SECONDS_TO_REACH = 10.0
SECONDS_BETWEEN_COUNTS = 10.0
BYTES_OF_STORE = 200 << 20
"""Of memory for objects in transit on this machine: far more than all chunks together take."""
USUAL_PORT = 10_001
LETTERS_OF_ERROR = 300
NOT_SENT = [".git", ".venv", "venv", "__pycache__"]

Report = tuple[list[Row], float, str | None]
"""The rows of a chunk, the seconds it took, and why there are no rows, if there are none."""


class RayWorkers(WorkerPool):
    """As many workers as a Ray cluster has CPUs."""

    def __init__(
        self, run: str, config: ArenaConfig, address: str | None, most: int | None = None
    ) -> None:
        """Without an address, start Ray on this machine. `most`: no more workers than that.

        Raises WorkerPoolError.
        """
        if address is not None:
            _reach(address)
        with TemporaryDirectory(prefix="gamehall-") as folder:
            there = gather(config, Path(folder))
            _join(address, Path(folder), most)
        self._most = most
        self._limits = config.limits
        self._matches_per_encounter = config.matches_per_encounter
        self._play: Any = ray.remote(make_task(run, there)).options(max_retries=MOST_RETRIES)
        self._under_way: dict[Any, _Task] = {}
        self._lost_in_a_row = 0
        self._count()

    @property
    def wants_more(self) -> bool:
        return len(self._under_way) < CHUNKS_AHEAD * self.size

    def give(self, chunk: Chunk) -> None:
        matches = len(chunk.encounters) * self._matches_per_encounter
        deadline = time.monotonic() + seconds_at_most(self._limits, matches)
        with _understood():
            self._under_way[self._play.remote(chunk)] = _Task(chunk, deadline)

    def take(self, seconds: float) -> list[Done]:
        if not self._under_way:
            time.sleep(seconds)
            return []
        with _understood():
            if time.monotonic() > self._count_again:
                self._count()
            ready, others = ray.wait(list(self._under_way), num_returns=1, timeout=seconds)
            if ready and others:
                ready += ray.wait(others, num_returns=len(others), timeout=0)[0]
            return [self._hear(task) for task in ready] + self._give_up()

    def close(self) -> None:
        try:
            for task in self._under_way:
                # The cluster may be what has failed; then there is nothing to cancel.
                with contextlib.suppress(Exception):
                    ray.cancel(task, force=True)
        finally:
            self._under_way.clear()
            ray.shutdown()

    def _count(self) -> None:
        """Count the workers: a cluster may grow."""
        resources: Callable[[], dict[str, float]] = ray.cluster_resources
        there = max(int(resources().get("CPU", 1)), 1)
        self.size = there if self._most is None else min(there, self._most)
        self._count_again = time.monotonic() + SECONDS_BETWEEN_COUNTS

    def _hear(self, task: Any) -> Done:
        """Return the result of a finished task. Raises WorkerPoolError."""
        chunk = self._under_way.pop(task).chunk
        try:
            rows, seconds, why_lost = ray.get(task)
        except (RuntimeEnvSetupError, RaySystemError):
            raise
        except RayTaskError as error:
            if isinstance(error.cause, WorkerPoolError):
                raise error.cause from None
            return self._lose(chunk, _in_a_line(error.cause))
        except RayError as error:
            return self._lose(chunk, _in_a_line(error))
        self._lost_in_a_row = 0
        return Done(chunk=chunk, rows=rows, seconds=seconds, error=why_lost)

    def _give_up(self) -> list[Done]:
        """End the tasks that are past their deadline."""
        now = time.monotonic()
        late = [task for task, what in self._under_way.items() if now > what.deadline]
        for task in late:
            ray.cancel(task, force=True)
        return [
            self._lose(self._under_way.pop(task).chunk, "nothing has come back") for task in late
        ]

    def _lose(self, chunk: Chunk, error: str) -> Done:
        """Return a lost chunk. Raises WorkerPoolError if too many were lost in a row."""
        self._lost_in_a_row += 1
        if self._lost_in_a_row > MOST_LOST_IN_A_ROW:
            raise WorkerPoolError(f"Ray loses one chunk after the other: {error}")
        return Done(chunk=chunk, rows=(), seconds=0.0, error=error)


class _Task(NamedTuple):
    """A chunk that Ray is playing."""

    chunk: Chunk
    deadline: float


def make_task(run: str, config: ArenaConfig) -> Callable[[Chunk], Report]:
    """Return what Ray sends to every worker once, with one runner for all its chunks."""
    runners: list[MatchRunner] = []
    version = __version__

    def play(chunk: Chunk) -> Report:
        return play_there(runners, run, config, version, chunk)

    return play


def play_there(
    runners: list[MatchRunner], run: str, config: ArenaConfig, version: str, chunk: Chunk
) -> Report:
    """Play a chunk in a worker; `runners` has the one that is ready, if any.

    Raises WorkerPoolError.
    """
    if version != __version__:
        raise WorkerPoolError(
            f"a machine of the cluster has Gamehall {__version__}, and this one {version}: install"
            " the same on all"
        )
    try:
        if not runners:
            runners.append(MatchRunner(run, config, time.monotonic))
    except BotChoiceError as error:
        return [], 0.0, str(error)
    began = time.monotonic()
    try:
        rows, why_lost = play_chunk(runners[0], chunk, _watch)
    finally:
        _watch(0.0)
    return rows, time.monotonic() - began, why_lost


def seconds_at_most(limits: Limits, matches: int) -> float:
    """Return after how many seconds a chunk of so many matches is given up, inf without limits.

    Generous: its worker notices a bot that hangs long before.
    """
    by_move, by_game = limits.seconds_per_move, limits.seconds_per_game
    bounds = [
        float("inf") if by_move is None else by_move * limits.moves,
        float("inf") if by_game is None else by_game * 2,
    ]
    return SECONDS_FOR_A_PLACE + matches * 2 * (min(bounds) + SECONDS_AROUND_A_MATCH)


def _watch(until: float) -> None:
    """Have the system end this worker if the bot that is thinking is long overdue.

    This also works while the bot is in compiled code that does not release the interpreter's lock.
    """
    seconds = until - time.monotonic() + SECONDS_OVERDUE if until else 0.0
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _reach(address: str) -> None:
    """Check that a server listens there: Ray itself takes long to fail. Raises WorkerPoolError."""
    try:
        parts = urlsplit(address)
        place = parts.hostname or "", parts.port or USUAL_PORT
    except ValueError:
        raise WorkerPoolError(f"{address} is no address: write ray://HOST:PORT") from None
    try:
        socket.create_connection(place, SECONDS_TO_REACH).close()
    except OSError as error:
        why = error.strerror or str(error)
        raise WorkerPoolError(f"there is no Ray at {address}: {why}") from None


def _join(address: str | None, folder: Path, most: int | None) -> None:
    """Join a cluster, or start one, and send the folder to its workers. Raises WorkerPoolError."""
    wanted: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    if address is None:
        wanted |= {"include_dashboard": False, "object_store_memory": BYTES_OF_STORE}
        wanted["num_cpus"] = most
    if any(folder.iterdir()):
        wanted["runtime_env"] = {"working_dir": str(folder), "excludes": NOT_SENT}
    try:
        with warnings.catch_warnings():
            # What Ray warns of here, it raises as well.
            warnings.simplefilter("ignore")
            ray.init(address or "local", **wanted)
    except RuntimeEnvSetupError as error:
        ray.shutdown()
        raise WorkerPoolError(
            "what lies beside your bots cannot be sent to Ray; give each a folder with nothing but"
            f" what it needs ({_in_a_line(error)})"
        ) from None
    except Exception as error:
        # Ray has many exceptions, and no base class for all of them.
        ray.shutdown()
        why = _in_a_line(error)
        if address is None:
            raise WorkerPoolError(f"there can be no Ray on this machine: {why}") from None
        raise WorkerPoolError(
            f"the Ray at {address} does not let us in: {why}; if it wants a token, set"
            " RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN unless it is in your home folder"
        ) from None


@contextlib.contextmanager
def _understood() -> Any:
    """Turn errors of Ray as a whole into WorkerPoolError."""
    try:
        yield
    except (RayError, ConnectionError) as error:
        raise WorkerPoolError(f"Ray has failed: {_in_a_line(error)}") from None


def _in_a_line(error: BaseException) -> str:
    words = " ".join(str(error).split())[:LETTERS_OF_ERROR]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def gather(config: ArenaConfig, folder: Path) -> ArenaConfig:
    """Return the config for workers whose working directory is a copy of `folder`.

    The folders of users' bots are linked into it by numbers, since their names may be the same.
    """
    places: dict[Path, str] = {}
    found = []
    for entry in config.entries:
        text = entry.text
        if is_file_of_bot(text):
            name, colon, kind = text.partition(":")
            home = Path(name).parent.resolve()
            if home not in places:
                places[home] = str(len(places))
                (folder / places[home]).symlink_to(home, target_is_directory=True)
            text = f"{places[home]}/{Path(name).name}{colon}{kind}"
        elif text.startswith(GTP):
            text = GTP + _from_anywhere(text.removeprefix(GTP))
        found.append(msgspec.structs.replace(entry, text=text))
    return msgspec.structs.replace(config, entries=tuple(found))


def _from_anywhere(command: str) -> str:
    """Return the command with an absolute path, so that it can be run from any folder."""
    words: Sequence[str] = shlex.split(command)
    if not words or "/" not in words[0]:
        return command
    return shlex.join([str(Path(words[0]).absolute()), *words[1:]])
