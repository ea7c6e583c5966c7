"""Replay one input, and shrink one that fails."""

from collections.abc import Iterator
from random import Random

from tests.fuzz.campaign import Failure, Tally, compare, failure_of, random_of, try_input
from tests.fuzz.script import Give, Script, describe
from tests.fuzz.targets import Target

MOST_SHRINKS = 4000
"""How many smaller inputs are tried."""

LONGEST_SHOWN = 2000


def replay(target: Target, seed: int, number: int, is_shrunk: bool) -> tuple[str, bool]:
    """Return a description of the input and its results, and whether nothing failed."""
    tally = Tally()
    try_input(target, seed, number, tally)
    if not tally.failures:
        random = random_of(target.name, seed, number)
        script = target.make(random)
        made = target.run(script, random)
        results = [f"  -> {str(one)[:LONGEST_SHOWN]}" for one in made]
        return "\n".join([*_shown(script), *results, "nothing failed"]), True
    [failure] = tally.failures.values()
    if is_shrunk:
        failure = shrink(target, failure)
    settings = f"settings: {dict(failure.script.settings)}"
    return "\n".join([settings, *_shown(failure.script), failure.trace]), False


def _shown(script: Script) -> list[str]:
    return [describe(step, LONGEST_SHOWN) for step in script.steps]


def shrink(target: Target, failure: Failure) -> Failure:
    """Return the same failure with fewer steps and bytes, removed one part at a time."""
    left = MOST_SHRINKS
    is_smaller = True
    while is_smaller and left:
        is_smaller = False
        for script in _smaller(failure.script):
            left -= 1
            found = _fails(target, failure, script)
            if found is not None:
                failure, is_smaller = found, True
                break
            if not left:
                break
    return failure


def _fails(target: Target, failure: Failure, script: Script) -> Failure | None:
    """Return the failure if the script fails in the same place with any chunks."""
    try:
        made = target.run(script, Random(0))
        for cut in range(1, 4):
            compare(made, target.run(script, Random(cut)))
    except Exception as error:
        found = failure_of(target, failure.seed, failure.number, script, error)
        return found if found.place == failure.place else None
    return None


def _smaller(script: Script) -> Iterator[Script]:
    steps = script.steps
    for place in reversed(range(len(steps))):
        yield script._replace(steps=steps[:place] + steps[place + 1 :])
    for place, step in enumerate(steps):
        if isinstance(step, Give):
            for shorter in _shorter(step.data):
                given = Give(step.who, shorter)
                yield script._replace(steps=(*steps[:place], given, *steps[place + 1 :]))


def _shorter(message: bytes) -> Iterator[bytes]:
    size = len(message)
    length = size // 2
    while length:
        for start in range(0, size, length):
            yield message[:start] + message[start + length :]
        length //= 2
