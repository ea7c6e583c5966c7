"""`python -m tests.simulation 500` runs 500 worlds; `--seed 17` runs one and prints its log."""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pool
from typing import NamedTuple

from tests.simulation.event_log import Violation
from tests.simulation.world import World, run_world

WORLDS_PER_LINE = 100
"""How often progress is printed if the output is not a terminal."""


class Tally(NamedTuple):
    """Totals of some worlds."""

    worlds: int = 0
    matches: int = 0
    moves: int = 0
    crashes: int = 0
    lost_connections: int = 0

    def plus(self, other: "Tally") -> "Tally":
        return Tally(*(mine + yours for mine, yours in zip(self, other, strict=True)))

    def __str__(self) -> str:
        return (
            f"{self.worlds} worlds, {self.matches} matches, {self.moves} moves,"
            f" {self.crashes} crashes, {self.lost_connections} lost connections"
        )


class Outcome(NamedTuple):
    """The outcome of one world."""

    seed: int
    tally: Tally
    violation: str | None


def main() -> int:
    """Run the worlds that the command line asks for. Return the exit code: 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("worlds", type=int, nargs="?", default=200)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="how many worlds run at a time")
    parser.add_argument("--seed", type=int, help="run one world, and print its log")
    parser.add_argument("--digest", type=int, help="run one world, and print the digest of its log")
    arguments = parser.parse_args()
    if arguments.digest is not None:
        sys.stdout.write(f"{run_world(arguments.digest).event_log.digest}\n")
        return 0
    if arguments.seed is not None:
        return _show(arguments.seed)
    seeds = range(arguments.first, arguments.first + arguments.worlds)
    started, tally = time.monotonic(), Tally()
    with _outcomes(seeds, arguments.jobs) as outcomes:
        for outcome in outcomes:
            if outcome.violation is not None:
                sys.stdout.write(f"\n{outcome.violation}\n\n")
                sys.stdout.write(f"python -m tests.simulation --seed {outcome.seed}\n")
                return 1
            tally = tally.plus(outcome.tally)
            _print_progress(outcome.seed, tally)
    sys.stdout.write(f"\nall is well: {tally}, {time.monotonic() - started:.0f} seconds\n")
    return 0


@contextmanager
def _outcomes(seeds: range, jobs: int) -> Iterator[Iterator[Outcome]]:
    """Run the seeds, `jobs` at a time, and yield their outcomes in order; stop at the exit."""
    if jobs <= 1:
        yield map(_run, seeds)
        return
    with Pool(jobs) as pool:
        yield pool.imap(_run, seeds)


def _run(seed: int) -> Outcome:
    try:
        world = run_world(seed)
    except Violation as violation:
        return Outcome(seed, Tally(), str(violation))
    results = world.results
    tally = Tally(1, results.matches, results.moves, world.crashes, world.lost_connections)
    return Outcome(seed, tally, None)


def _print_progress(seed: int, tally: Tally) -> None:
    """Print the totals; on a terminal always in the same line."""
    if sys.stdout.isatty():
        sys.stdout.write(f"\rseed {seed}: {tally} ")
    elif tally.worlds % WORLDS_PER_LINE == 0:
        sys.stdout.write(f"seed {seed}: {tally}\n")
    sys.stdout.flush()


def _show(seed: int) -> int:
    world = World(seed)
    try:
        world.run()
    finally:
        sys.stdout.write(world.event_log.text() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
