"""A campaign as it is run by hand, in one program or several, and one input again."""

import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tests.fuzz.campaign import Tally, report, run_part
from tests.fuzz.replay import replay
from tests.fuzz.targets import Target, all_targets

MEGABYTES_TO_GROW = 64.0
"""By how much the memory of a part may grow after the first tenth of the inputs."""


def target_named(name: str) -> Target:
    """Raises LookupError, saying which there are."""
    known = all_targets()
    if name not in known:
        raise LookupError(f"there is no target {name}; there are {', '.join(known)}")
    return known[name]


def run_replay(name: str, seed: int, number: int, is_shrunk: bool) -> int:
    """Shows one input, and gives 1 if it fails. Raises LookupError."""
    text, is_well = replay(target_named(name), seed, number, is_shrunk)
    sys.stdout.write(text + "\n")
    return 0 if is_well else 1


def run_campaign(names: list[str] | None, inputs: int, seed: int, jobs: int) -> int:
    """Gives so many inputs to these targets, or to all, and 1 if any fails. Raises LookupError."""
    started, tally = time.monotonic(), Tally()
    targets = {name: target_named(name) for name in names or all_targets()}
    for target in targets.values():
        # Recorded now, so that all parts have it.
        _say(f"{target.name}: {len(target.corpus.scripts)} conversations")
    if jobs == 1:
        tally.add(_part(list(targets), inputs, seed, 0, 1))
    else:
        # The parts are forked, to have what is recorded.
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
        sys.stdout.write(f"the memory has grown by {grown:.0f} MB\n")
        return 1
    return 1 if tally.failed else 0


def _part(names: list[str], inputs: int, seed: int, part: int, parts: int) -> Tally:
    targets = [target_named(name) for name in names]
    return run_part(targets, inputs, seed, part, parts, _say)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
