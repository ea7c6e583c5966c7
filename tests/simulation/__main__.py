"""`python -m tests.simulation 500` runs so many worlds; `--seed 17` one, and shows all of it."""

import argparse
import sys
import time

from tests.simulation.chronicle import Violation
from tests.simulation.world import World, run_world


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("worlds", type=int, nargs="?", default=200)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="one world only, with all that happens in it")
    parser.add_argument("--digest", type=int, help="one world only, and whether it is the same")
    arguments = parser.parse_args()
    if arguments.digest is not None:
        sys.stdout.write(f"{run_world(arguments.digest).chronicle.digest}\n")
        return 0
    if arguments.seed is not None:
        return _show(arguments.seed)
    started, matches, crashes = time.monotonic(), 0, 0
    for seed in range(arguments.first, arguments.first + arguments.worlds):
        try:
            world = run_world(seed)
        except Violation as violation:
            sys.stdout.write(f"\n{violation}\n\npython -m tests.simulation --seed {seed}\n")
            return 1
        matches, crashes = matches + world.matches, crashes + world.crashes
        seconds = time.monotonic() - started
        sys.stdout.write(
            f"\rseed {seed}: {matches} matches, {crashes} crashes, {seconds:.0f} s, all is well "
        )
        sys.stdout.flush()
    sys.stdout.write("\n")
    return 0


def _show(seed: int) -> int:
    world = World(seed)
    try:
        world.run()
    finally:
        sys.stdout.write(world.chronicle.text() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
