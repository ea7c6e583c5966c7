"""CPU time per move and moves per second of several servers, compared round after round."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gamehall.bench.contest import Kind, Load
from gamehall.bench.machine import BenchError, Server, StartedServer, running
from gamehall.bench.progress import show_progress


class Spread(NamedTuple):
    """The middle and both ends of what the rounds gave."""

    median: float
    low: float
    high: float


def spread(values: Iterable[float]) -> Spread:
    """The spread of at least one value."""
    values = sorted(values)
    return Spread(statistics.median(values), values[0], values[-1])


@dataclass(slots=True)
class Speeds:
    """What was done at each server, one load per round."""

    loads: dict[Kind, list[Load]]
    counted: str = "move"
    """What there are so many of in each load."""

    def cpu_microseconds_per_move(self, kind: Kind) -> list[float]:
        return [load.server_cpu_seconds / load.moves * 1e6 for load in self.loads[kind]]

    def moves_per_second(self, kind: Kind) -> list[float]:
        return [load.moves / load.seconds for load in self.loads[kind]]

    def games_per_second(self, kind: Kind) -> list[float]:
        return [load.games / load.seconds for load in self.loads[kind]]

    def busy(self, kind: Kind) -> list[float]:
        """The share of one core that the server took."""
        return [load.server_cpu_seconds / load.seconds for load in self.loads[kind]]

    def load_busy(self, kind: Kind) -> list[float]:
        """The share of one core that the load generator took meanwhile."""
        return [load.load_cpu_seconds / load.seconds for load in self.loads[kind]]

    def cpu_ratio(self, kind: Kind, base: Kind) -> list[float]:
        """CPU per move of one server to that of another, both from the same round."""
        return [
            mine / other
            for mine, other in zip(
                self.cpu_microseconds_per_move(kind),
                self.cpu_microseconds_per_move(base),
                strict=True,
            )
        ]

    def added_cpu(self, kind: Kind, base: Kind) -> list[float]:
        """What one server takes more per move than another, in parts of that other's."""
        return [ratio - 1 for ratio in self.cpu_ratio(kind, base)]

    def figures(self) -> dict[str, object]:
        """Everything measured, fit for JSON."""
        return {
            kind.value: {
                f"cpu_microseconds_per_{self.counted}": spread(
                    self.cpu_microseconds_per_move(kind)
                )._asdict(),
                f"{self.counted}s_per_second": spread(self.moves_per_second(kind))._asdict(),
                "games_per_second": spread(self.games_per_second(kind))._asdict(),
                "busy": spread(self.busy(kind))._asdict(),
                "load_busy": spread(self.load_busy(kind))._asdict(),
                "cpu_ratio": {
                    base: spread(self.cpu_ratio(kind, base))._asdict() for base in self.loads
                },
                "rounds": [load._asdict() for load in loads],
            }
            for kind, loads in self.loads.items()
        }


class LoadGenerator(NamedTuple):
    """The program that puts servers under load: a module, its options, and how long it may take."""

    module: str
    options: Sequence[str]
    patience_seconds: float


Servers: TypeAlias = Mapping[Kind, StartedServer]


def measure_speeds(
    commands: Mapping[Kind, Sequence[str]],
    generator: LoadGenerator,
    rounds: int,
    title: str,
    look_at: Callable[[Servers], None] = lambda _: None,
) -> Speeds:
    """Compare the servers that the commands start, afresh in each round.

    `look_at` is shown them after each round and raises BenchError if anything is wrong.
    """
    speeds = Speeds({kind: [] for kind in commands})
    for number in range(1, rounds + 1):
        show_progress(f"{title}, round {number} of {rounds}")
        with ExitStack() as stack:
            servers = {kind: stack.enter_context(running(commands[kind])) for kind in commands}
            for kind, load in put_under_load(servers, generator).items():
                speeds.loads[kind].append(load)
            look_at(servers)
    show_progress("")
    return speeds


def put_under_load(servers: Mapping[Kind, Server], generator: LoadGenerator) -> dict[Kind, Load]:
    """Run the load generator. Raises BenchError on a wrong answer."""
    command = [sys.executable, "-m", generator.module, *generator.options]
    command += [f"{kind}:{server.pid}:{server.port}" for kind, server in servers.items()]
    patience = generator.patience_seconds
    try:
        ended = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patience,
            start_new_session=True,  # Ctrl-C is for the benchmark, which then ends this too.
        )
    except subprocess.TimeoutExpired:
        raise BenchError(f"{' '.join(command)}: not done after {patience:g} s") from None
    if ended.returncode != 0:
        raise BenchError(f"{' '.join(command)}: {ended.stderr.strip()[-2000:]}")
    return {Kind(kind): Load(**figures) for kind, figures in json.loads(ended.stdout).items()}
