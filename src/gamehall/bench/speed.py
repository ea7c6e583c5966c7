"""CPU time per move and moves per second of several servers, compared round after round."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple

from gamehall.bench.load import WARM_UP_SECONDS, Kind, Load
from gamehall.bench.machine import BenchError, Server, running

SECONDS_TO_SIT_DOWN = 60.0


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

    connections: int
    loads: dict[Kind, list[Load]] = field(default_factory=dict)

    def cpu_microseconds_per_move(self, kind: Kind) -> list[float]:
        return [load.server_cpu_seconds / load.moves * 1e6 for load in self.loads[kind]]

    def moves_per_second(self, kind: Kind) -> list[float]:
        return [load.moves / load.seconds for load in self.loads[kind]]

    def busy(self, kind: Kind) -> list[float]:
        """The share of one core that the server took."""
        return [load.server_cpu_seconds / load.seconds for load in self.loads[kind]]

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

    def figures(self) -> dict[Kind, object]:
        """Everything measured, fit for JSON."""
        return {
            kind: {
                "cpu_microseconds_per_move": spread(self.cpu_microseconds_per_move(kind))._asdict(),
                "moves_per_second": spread(self.moves_per_second(kind))._asdict(),
                "busy": spread(self.busy(kind))._asdict(),
                "cpu_ratio": {
                    base: spread(self.cpu_ratio(kind, base))._asdict() for base in self.loads
                },
                "rounds": [load._asdict() for load in loads],
            }
            for kind, loads in self.loads.items()
        }


def measure_speeds(
    commands: Mapping[Kind, Sequence[str]],
    connections: int,
    seconds: float,
    rounds: int,
    progress: Callable[[str], None],
) -> Speeds:
    """Compare the servers that the commands start, afresh in each round."""
    speeds = Speeds(connections, {kind: [] for kind in commands})
    for number in range(1, rounds + 1):
        progress(f"{connections:,} connections, round {number} of {rounds}")
        with ExitStack() as stack:
            servers = {kind: stack.enter_context(running(commands[kind])) for kind in commands}
            for kind, load in put_under_load(servers, connections, seconds).items():
                speeds.loads[kind].append(load)
    return speeds


def put_under_load(
    servers: Mapping[Kind, Server], connections: int, seconds: float
) -> dict[Kind, Load]:
    """Run the load generator, for so long at each server. Raises BenchError on a wrong answer."""
    command = [sys.executable, "-m", "gamehall.bench.load"]
    command += [f"--connections={connections}", f"--seconds={seconds}"]
    command += [f"{kind}:{server.pid}:{server.port}" for kind, server in servers.items()]
    patience = SECONDS_TO_SIT_DOWN + 2 * len(servers) * (WARM_UP_SECONDS + seconds)
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
