"""`python -m tests.fuzz --inputs 10000000 --jobs 2` runs that many inputs on all targets."""

import argparse
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=200_000, help="inputs in all")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the work")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", help="only this target; may be repeated")
    parser.add_argument("--replay", metavar="TARGET", help="show and run one input of this target")
    parser.add_argument("--number", type=int, default=0, help="which input to replay")
    parser.add_argument("--shrink", action="store_true", help="shrink the replayed input")
    parser.add_argument("--atheris", metavar="TARGET", help="run libFuzzer on this target")
    parser.add_argument("--corpus", type=Path, help="folder of libFuzzer's corpus")
    parser.add_argument("--runs", type=int, default=100_000, help="inputs for libFuzzer")
    arguments = parser.parse_args()
    # atheris must be imported before the code whose coverage it measures.
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
