"""The commands of `python -m tests.fuzz`."""

import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tests.fuzz.campaign import Tally, report, run_part
from tests.fuzz.replay import replay
from tests.fuzz.targets import Target, all_targets

MEGABYTES_TO_GROW = 64.0
"""How much the memory of a part may grow after the first tenth of the inputs."""


def target_named(name: str) -> Target:
    """Return a target. Raises LookupError, which lists them."""
    known = all_targets()
    if name not in known:
        raise LookupError(f"unknown target {name}; there are {', '.join(known)}")
    return known[name]


def run_replay(name: str, seed: int, number: int, is_shrunk: bool) -> int:
    """Print one input. Return 1 if it fails. Raises LookupError."""
    text, is_ok = replay(target_named(name), seed, number, is_shrunk)
    sys.stdout.write(text + "\n")
    return 0 if is_ok else 1


def run_campaign(names: list[str] | None, inputs: int, seed: int, jobs: int) -> int:
    """Run inputs on these targets, or on all. Return 1 if any fails. Raises LookupError."""
    started, tally = time.monotonic(), Tally()
    targets = {name: target_named(name) for name in names or all_targets()}
    for target in targets.values():
        # Record the conversations now, so that the forked parts share them.
        _log(f"{target.name}: {len(target.corpus.scripts)} conversations")
    if jobs == 1:
        tally.add(_part(list(targets), inputs, seed, 0, 1))
    else:
        with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
            parts = [
                pool.submit(_part, list(targets), inputs, seed, part, jobs) for part in range(jobs)
            ]
            for part in parts:
                tally.add(part.result())
    sys.stdout.write(report(tally, targets, seed) + "\n")
    sys.stdout.write(f"{time.monotonic() - started:.0f} seconds, seed {seed}\n")
    grown = tally.megabytes[100] - tally.megabytes[10]
    if grown > MEGABYTES_TO_GROW * jobs:
        sys.stdout.write(f"the memory grew by {grown:.0f} MB\n")
        return 1
    return 1 if tally.failed else 0


def _part(names: list[str], inputs: int, seed: int, part: int, parts: int) -> Tally:
    targets = [target_named(name) for name in names]
    return run_part(targets, inputs, seed, part, parts, _log)


def _log(text: str) -> None:
    sys.stderr.write(text + "\n")
