"""`python -m tests.fuzz --inputs 10000000 --jobs 2` runs so many inputs over all targets."""

import argparse
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=200_000, help="how many, over all targets")
    parser.add_argument("--jobs", type=int, default=1, help="how many programs share the work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", help="only this one; may be said repeatedly")
    parser.add_argument("--replay", metavar="TARGET", help="one input only, with all of its steps")
    parser.add_argument("--number", type=int, default=0, help="which input to replay")
    parser.add_argument("--shrink", action="store_true", help="replay as little of it as fails")
    parser.add_argument("--atheris", metavar="TARGET", help="guided by coverage, by libFuzzer")
    parser.add_argument("--corpus", type=Path, help="where libFuzzer keeps what is of interest")
    parser.add_argument("--runs", type=int, default=100_000, help="how many inputs for libFuzzer")
    arguments = parser.parse_args()
    # What libFuzzer is to be guided by is counted from its import on, so nothing comes before.
    if arguments.atheris is not None:
        from tests.fuzz.guided import run_guided

        return run_guided(arguments.atheris, arguments.corpus, arguments.runs)
    from tests.fuzz.command import run_campaign, run_replay

    try:
        if arguments.replay is not None:
            return run_replay(arguments.replay, arguments.seed, arguments.number, arguments.shrink)
        return run_campaign(arguments.target, arguments.inputs, arguments.seed, arguments.jobs)
    except LookupError as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
