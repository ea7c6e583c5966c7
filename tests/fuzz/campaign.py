"""Run many inputs, count them and report failures."""

import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple
from zlib import crc32

from tests.fuzz.checks import Violation, check_seconds, is_slow
from tests.fuzz.script import Give, Script, describe
from tests.fuzz.targets import Target

ONE_CUT_AGAIN_IN = 8
"""One in this many inputs is run a second time in other chunks; it counts once."""

INPUTS_AT_A_TIME = 64
"""Inputs of a target with share 1 before the next target."""

SECONDS_TO_HANG = 60.0
"""Processor time after which something hangs."""

MILESTONES = (10, 50, 100)
"""Percentages of the inputs at which the memory is measured."""

MEGABYTE = 1 << 20


class Failure(NamedTuple):
    """An input that raised an error or broke a check."""

    target: str
    seed: int
    number: int
    reason: str
    """The kind of error, its text, and where it was raised."""
    place: str
    """Identifies the failure: two inputs that fail in one place count as one."""
    script: Script
    trace: str

    @property
    def command(self) -> str:
        """The command that replays the input."""
        return (
            f"python -m tests.fuzz --replay {self.target} --seed {self.seed} --number {self.number}"
        )


class Slow(NamedTuple):
    seconds: float
    number: int
    size: int
    """Bytes."""


class Tally:
    """The results of a campaign or a part of it."""

    def __init__(self) -> None:
        self.inputs: dict[str, int] = {}
        self.cut_again: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        self.seconds: dict[str, float] = {}
        self.slowest: dict[str, Slow] = {}
        self.failures: dict[tuple[str, str], Failure] = {}
        self.failed = 0
        self.megabytes: dict[int, float] = {}

    def add(self, other: "Tally") -> None:
        """Add the results of another part."""
        for name, count in other.inputs.items():
            self.inputs[name] = self.inputs.get(name, 0) + count
            self.cut_again[name] = self.cut_again.get(name, 0) + other.cut_again[name]
            self.sizes[name] = self.sizes.get(name, 0) + other.sizes[name]
            self.seconds[name] = self.seconds.get(name, 0.0) + other.seconds[name]
            self.slowest[name] = max(self.slowest.get(name, Slow(0, 0, 0)), other.slowest[name])
        self.failures = other.failures | self.failures
        self.failed += other.failed
        for percent, megabytes in other.megabytes.items():
            self.megabytes[percent] = self.megabytes.get(percent, 0.0) + megabytes


def size_of(script: Script) -> int:
    """Return how many bytes the script gives."""
    return sum(len(step.data) for step in script.steps if isinstance(step, Give))


def random_of(target: str, seed: int, number: int) -> Random:
    """Return the random generator that makes and cuts an input."""
    return Random((seed << 72) | (crc32(target.encode()) << 40) | number)


def try_input(target: Target, seed: int, number: int, tally: Tally) -> None:
    """Run one input on the target and add the result to the tally."""
    name, random = target.name, random_of(target.name, seed, number)
    started = time.thread_time()
    script = target.make(random)
    size = size_of(script)
    is_cut_again = number % ONE_CUT_AGAIN_IN == 0
    try:
        made, took = run_timed(target, script, random)
        if is_slow(took, size):
            # The garbage collector may have run in between: only an input that is slow again fails.
            _, again = run_timed(target, script, random)
            took = min(took, again)
            check_seconds(took, size)
        if is_cut_again:
            compare(made, target.run(script, random))
    except Exception as error:
        took = 0.0
        tally.failed += 1
        failure = failure_of(target, seed, number, script, error)
        tally.failures.setdefault((name, failure.place), failure)
    tally.inputs[name] = tally.inputs.get(name, 0) + 1
    tally.cut_again[name] = tally.cut_again.get(name, 0) + is_cut_again
    tally.sizes[name] = tally.sizes.get(name, 0) + size
    tally.seconds[name] = tally.seconds.get(name, 0.0) + time.thread_time() - started
    if name not in tally.slowest or took > tally.slowest[name].seconds:
        tally.slowest[name] = Slow(took, number, size)


def run_timed(target: Target, script: Script, random: Random) -> tuple[list[object], float]:
    """Run one input. Return what it gave, and the CPU seconds that it took."""
    began = time.thread_time()
    made = target.run(script, random)
    return made, time.thread_time() - began


def compare(one: list[object], other: list[object]) -> None:
    """Raise Violation if the same bytes in other chunks gave other results."""
    if one != other:
        pairs = zip([*one, None], [*other, None], strict=False)
        differs = next((pair for pair in pairs if pair[0] != pair[1]), (None, None))
        raise Violation(
            f"in other chunks the result is {str(differs[1])[:300]}, not {str(differs[0])[:300]}"
        )


def failure_of(target: Target, seed: int, number: int, script: Script, error: Exception) -> Failure:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} at {frame.name} in {Path(frame.filename).name}"
    text = "".join(traceback.format_exception(error))
    reason = f"{type(error).__name__}: {str(error)[:600]} ({frame.filename}:{frame.lineno})"
    return Failure(target.name, seed, number, reason, place, script, text)


def run_part(
    targets: Sequence[Target],
    inputs: int,
    seed: int,
    part: int,
    parts: int,
    log: Callable[[str], None],
) -> Tally:
    """Run one part of a campaign: every `parts`-th group of its inputs."""
    tally, tried, reported = Tally(), 0, 0
    numbers = {target.name: 0 for target in targets}
    for turn, target in enumerate(_turns(targets)):
        first = numbers[target.name]
        count = min(target.share * INPUTS_AT_A_TIME, inputs - tried)
        numbers[target.name] += count
        # Shifted in every round, so that each part gets its share of the slow targets.
        if (turn + turn // len(targets)) % parts == part:
            with _no_hanging():
                for number in range(first, first + count):
                    try_input(target, seed, number, tally)
        tried += count
        percent = 100 * tried // inputs
        for milestone in MILESTONES:
            if reported < milestone <= percent:
                tally.megabytes[milestone] = megabytes_in_use()
                megabytes = tally.megabytes[milestone]
                log(f"part {part + 1}: {milestone} % of the inputs, {megabytes:.1f} MB in use")
        reported = percent
        if tried >= inputs:
            return tally
    raise AssertionError("there are no targets")


def _turns(targets: Sequence[Target]) -> Iterator[Target]:
    while targets:
        yield from targets


@contextmanager
def _no_hanging() -> Iterator[None]:
    """Raise Violation in code that runs for too long."""

    def stop(*_: object) -> None:
        raise Violation(f"runs for more than {SECONDS_TO_HANG} seconds")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_TO_HANG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def megabytes_in_use() -> float:
    """Return the memory in use; where that is unknown, the most that was in use."""
    counts = Path("/proc/self/statm")
    if counts.exists():
        return int(counts.read_text().split()[1]) * resource.getpagesize() / MEGABYTE
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE


def report(tally: Tally, targets: Mapping[str, Target], seed: int) -> str:
    """Return a report of a campaign as text."""
    lines = [
        f"{'target':30} {'inputs':>10} {'cut again':>10} {'bytes':>14} {'inputs/s':>9}  slowest"
    ]
    for name, count in tally.inputs.items():
        slow = tally.slowest[name]
        lines.append(
            f"{name:30} {count:10} {tally.cut_again[name]:10} {tally.sizes[name]:14}"
            f" {count / tally.seconds[name]:9.0f}"
            f"  {slow.seconds * 1000:.0f} ms, {slow.size} bytes, number {slow.number}"
        )
    lines.append(
        f"{'all':30} {sum(tally.inputs.values()):10} {sum(tally.cut_again.values()):10}"
        f" {sum(tally.sizes.values()):14}"
        f" {sum(tally.inputs.values()) / max(1e-9, sum(tally.seconds.values())):9.0f}"
    )
    memory = [f"{megabytes:.1f} MB at {at} %" for at, megabytes in sorted(tally.megabytes.items())]
    lines.append(f"memory of all parts: {', '.join(memory)}")
    if tally.slowest:
        name, slow = max(tally.slowest.items(), key=lambda one: one[1].seconds)
        script = targets[name].make(random_of(name, seed, slow.number))
        lines.append(f"the slowest took {slow.seconds:.3f} s, {name} number {slow.number}:")
        lines += [f"    {describe(step)}" for step in script.steps[-4:]]
    lines += [line for failure in tally.failures.values() for line in _describe(failure)]
    lines.append(f"{tally.failed} inputs failed" if tally.failed else "nothing failed")
    return "\n".join(lines)


def _describe(failure: Failure) -> list[str]:
    steps = [f"    {describe(step)}" for step in failure.script.steps]
    return ["", f"{failure.target}: {failure.reason}", *steps, failure.command]
