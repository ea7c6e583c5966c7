"""`python -m benchmarks [NAME...]`: run these benchmarks, or all, and print their tables."""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module

from benchmarks.measuring import TINY, BenchmarkError, Effort, show_progress

BENCHMARKS = {
    "tttp": "doors:tttp",
    "doors": "doors:other_doors",
    "http": "http_state:run",
    "walk": "walk:run",
    "memory": "memory:run",
    "watching": "watching:run",
    "busy": "busy_room:run",
    "journal": "journal:run",
    "kernels": "kernels:run",
    "arena": "arena:run",
}
"""MODULE:FUNCTION by name. The function yields the lines to print."""


def benchmark(name: str) -> Callable[[Effort], Iterator[str]]:
    """Import a benchmark. Some take seconds to import."""
    module, _, function = BENCHMARKS[name].partition(":")
    found: Callable[[Effort], Iterator[str]] = getattr(
        import_module(f"benchmarks.{module}"), function
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Print costs next to those of something comparable in the same run."
        " benchmarks/README.md says how to read the tables.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--rounds", type=int, help=f"default: {Effort().rounds}")
    parser.add_argument(
        "--seconds", type=float, help=f"per server and round, default: {Effort().seconds:g}"
    )
    parser.add_argument("--tiny", action="store_true", help="only check that everything runs")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    effort = TINY if options.tiny else Effort()
    effort = replace(
        effort, rounds=options.rounds or effort.rounds, seconds=options.seconds or effort.seconds
    )
    try:
        for number, name in enumerate(options.names or BENCHMARKS):
            if number:
                print()
            for line in benchmark(name)(effort):
                print(line, flush=True)
    except BenchmarkError as error:
        show_progress("")
        sys.exit(f"benchmarks: {error}")


if __name__ == "__main__":
    main()
