"""`python -m tests.simulation 500` runs so many worlds; `--seed 17` one, and shows all of it."""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pool
from typing import NamedTuple

from tests.simulation.chronicle import Violation
from tests.simulation.world import World, run_world

WORLDS_PER_LINE = 100
"""How often progress is told where it cannot be told in one place."""


class Tally(NamedTuple):
    """What there was in some worlds."""

    worlds: int = 0
    matches: int = 0
    moves: int = 0
    crashes: int = 0
    lost_connections: int = 0

    def plus(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(*(mine + yours for mine, yours in zip(self, other, strict=True)))

    def __str__(self) -> str:
        return (
            f"{self.worlds} worlds, {self.matches} matches, {self.moves} moves,"
            f" {self.crashes} crashes, {self.lost_connections} lost connections"
        )


class Outcome(NamedTuple):
    """What a seed has come to."""

    seed: int
    tally: Tally
    violation: str | None


def main() -> int:
    """Runs what the command line asks for, and gives the exit code: 1 if a world fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("worlds", type=int, nargs="?", default=200)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="how many worlds run at a time")
    parser.add_argument("--seed", type=int, help="one world only, with all that happens in it")
    parser.add_argument("--digest", type=int, help="one world only, and whether it is the same")
    arguments = parser.parse_args()
    if arguments.digest is not None:
        sys.stdout.write(f"{run_world(arguments.digest).chronicle.digest}\n")
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
            _tell_progress(outcome.seed, tally)
    sys.stdout.write(f"\nall is well: {tally}, {time.monotonic() - started:.0f} seconds\n")
    return 0


@contextmanager
def _outcomes(seeds: range, jobs: int) -> Iterator[Iterator[Outcome]]:
    """What the seeds come to, in their order, so many at a time; those not asked for are ended."""
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


def _tell_progress(seed: int, tally: Tally) -> None:
    """On a terminal always in the same line."""
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
        sys.stdout.write(world.chronicle.text() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
