"""The likeliest distribution behind some counts, among all with a given strength.

The counts are of equally spaced scores from 0 to 1, and none of them is 0.

Let n be the counts and N their sum. To maximise sum n log p where p sums up to 1 and the mean of
some values g under p is 0, p must be n / (N (1 + x g)) by Lagrange; x follows from the mean, which
falls as x grows, so that there is one solution as soon as g has both signs.

This is the empirical likelihood of Art Owen (1988). To test strengths with it, and the iteration
for a given ratio of mean to deviation, are Michel Van den Bergh's, for Stockfish's test framework
fishtest; the code is our own.
"""

import math
from collections.abc import Sequence

_CLOSE = 1e-11
_MOST_ROUNDS = 300


def likeliest_with_mean(counts: Sequence[float], mean: float) -> list[float]:
    """The distribution with this mean score under which the counts are likeliest."""
    top = len(counts) - 1
    return _balanced(counts, [cell / top - mean for cell in range(top + 1)])


def likeliest_with_ratio(counts: Sequence[float], ratio: float) -> list[float]:
    """The same for a mean score that is above 1/2 by `ratio` standard deviations.

    The deviation is no mean of anything, but at any distribution with mean m and deviation s it
    touches, from below, the mean of (s + (score - m)^2 / s) / 2, as a root is below its tangents
    and the mean square is least around the mean. So the deviation is replaced by that, and m and s
    are taken from the solution again and again, until it is its own.
    """
    if ratio == 0:
        return likeliest_with_mean(counts, 0.5)
    if ratio < 0:
        return likeliest_with_ratio(counts[::-1], -ratio)[::-1]
    shares = _start(counts, ratio)
    mean, deviation = _moments(shares)
    top = len(counts) - 1
    for _ in range(_MOST_ROUNDS):
        values = [
            cell / top - 0.5 - ratio / 2 * (deviation + (cell / top - mean) ** 2 / deviation)
            for cell in range(top + 1)
        ]
        shares = _balanced(counts, values)
        before = mean, deviation
        mean, deviation = _moments(shares)
        if abs(mean - before[0]) + abs(deviation - before[1]) < _CLOSE:
            break
    return shares


def _start(counts: Sequence[float], ratio: float) -> list[float]:
    """A likely distribution whose ratio is at least the one wanted.

    From there on the values to balance have both signs: their mean under the last solution is
    what its ratio is above the one wanted, and the tangents see to it that this is not negative;
    and the value of the score 0 is negative in any case.
    """
    total = sum(counts)
    shares = [count / total for count in counts]
    mean, deviation = _moments(shares)
    while mean - 0.5 < ratio * deviation:
        # Towards 1 the deviation vanishes, so that there is an end to this.
        wanted = 0.5 + 1.02 * ratio * deviation
        mean = wanted if mean < wanted < 1 else (mean + 1) / 2
        shares = likeliest_with_mean(counts, mean)
        deviation = _moments(shares)[1]
    return shares


def _moments(shares: Sequence[float]) -> tuple[float, float]:
    """The mean score and its standard deviation."""
    top = len(shares) - 1
    mean = sum(cell * share for cell, share in enumerate(shares)) / top
    square = sum(share * (cell / top - mean) ** 2 for cell, share in enumerate(shares))
    return mean, math.sqrt(square)


def _balanced(counts: Sequence[float], values: Sequence[float]) -> list[float]:
    """The distribution in which the mean of `values` is 0 and the counts are likeliest."""
    low, high = -1 / max(values), -1 / min(values)
    total = sum(counts)
    x = 0.0
    for _ in range(200):
        mean = slope = 0.0
        for count, value in zip(counts, values, strict=True):
            part = value / (1 + x * value)
            mean += count * part
            slope += count * part * part
        if mean > 0:
            low = x
        else:
            high = x
        step = mean / slope
        if abs(step) <= _CLOSE * (abs(x) + 1e-3):
            break
        x += step
        if not low < x < high:
            x = (low + high) / 2
    return [count / (total * (1 + x * value)) for count, value in zip(counts, values, strict=True)]
