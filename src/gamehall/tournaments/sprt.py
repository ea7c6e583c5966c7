"""A sequential test of whether one bot is better than another.

Scores are counted in cells: with pairs of matches five (0, 1/4, 1/2, 3/4 or 1 of the points of a
pair), with single matches three (0, 1/2, 1). The test compares the likelihoods of the counts under
the likeliest distributions whose strength is `elo0` and `elo1`. It ends when their ratio reaches a
bound that follows from the accepted error rates.

Strength is in logistic Elo, which is about the mean score alone, or in normalised Elo, which is
the mean score above 1/2 in units of its standard deviation in a single match, times 800 / ln 10.
The deviation of a match is that of a pair's score times the root of 2. Bots that draw much need
fewer matches for the same normalised Elo, so the length of a test does not depend on draws.

To find the likeliest distribution, let n be the counts, none of them 0, and N their sum. To
maximise sum n log p where p sums up to 1 and the mean of some values g under p is 0, p must be
n / (N (1 + x g)) by Lagrange; x follows from the mean, which falls as x grows, so there is one
solution as soon as g has both signs. This is the empirical likelihood of Art Owen (1988).

The sequential test and its bounds are Abraham Wald's ("Sequential Tests of Statistical Hypotheses",
1945). Comparing the likeliest distributions of both hypotheses, the iteration for a given ratio of
mean to deviation, counting pairs in five cells, normalised Elo, and the small count of empty cells
follow Michel Van den Bergh's work for Stockfish's test framework fishtest; the code is our own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gamehall.tournaments.ratings import UNKNOWN, Z_95, Interval, to_student

_CLOSE = 1e-11
_MOST_ROUNDS = 300


def likeliest_with_mean(counts: Sequence[float], mean: float) -> list[float]:
    """Return the distribution with this mean score under which the counts are likeliest."""
    top = len(counts) - 1
    return _balanced(counts, [cell / top - mean for cell in range(top + 1)])


def likeliest_with_ratio(counts: Sequence[float], ratio: float) -> list[float]:
    """Return the same for a mean score that is above 1/2 by `ratio` standard deviations.

    The deviation is not the mean of a function of the score. But for any distribution with mean m
    and deviation s, the mean of (s + (score - m)^2 / s) / 2 equals the deviation there and is
    larger for all others: a root lies below its tangents, and the mean square is smallest around
    the mean. So that function replaces the deviation, and m and s are taken from each solution for
    the next, until they no longer change.
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
    """Return a likely distribution whose ratio is at least the wanted one.

    This makes sure that in each iteration the values to balance have both signs. Their mean under
    the last solution is the excess of its ratio over the wanted one, which is never negative; and
    the value of the score 0 is always negative.
    """
    total = sum(counts)
    shares = [count / total for count in counts]
    mean, deviation = _moments(shares)
    while mean - 0.5 < ratio * deviation:
        # This ends, because the deviation vanishes as the mean goes to 1.
        wanted = 0.5 + 1.02 * ratio * deviation
        mean = wanted if mean < wanted < 1 else (mean + 1) / 2
        shares = likeliest_with_mean(counts, mean)
        deviation = _moments(shares)[1]
    return shares


def _moments(counts: Sequence[float], total: float = 1.0) -> tuple[float, float]:
    """Return the mean score and its standard deviation, of counts or of shares."""
    top = len(counts) - 1
    mean = sum(cell * count for cell, count in enumerate(counts)) / top / total
    squares = sum(count * (cell / top - mean) ** 2 for cell, count in enumerate(counts))
    return mean, math.sqrt(squares / total)


def _balanced(counts: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the distribution in which the mean of `values` is 0 and the counts are likeliest."""
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


NORMALISED_ELO = 800 / math.log(10)
"""One standard deviation of a match, in normalised Elo."""

_EMPTY = 1e-3
"""The count of an empty cell: a score that was never observed is unlikely, not impossible."""
_MOST_ELO = 500.0
"""A test of more than this would end before its approximations hold."""
_BEYOND_ELO = 4000.0
"""An interval that reaches this value is reported as unbounded."""


class Model(Enum):
    """The unit of the strengths of a test."""

    NORMALISED = "normalised"
    LOGISTIC = "logistic"


class SprtVerdict(Enum):
    """The verdict of a test."""

    GOES_ON = "goes on"
    ACCEPTED = "accepted"
    """The strength is `elo1` rather than `elo0`."""
    REJECTED = "rejected"
    """The strength is `elo0` rather than `elo1`."""


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test of `elo0` against `elo1`.

    Raises ValueError if the numbers are invalid.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """The probability of accepting a bot whose strength is `elo0`."""
    beta: float = 0.05
    """The probability of rejecting a bot whose strength is `elo1`."""
    model: Model = Model.NORMALISED

    def __post_init__(self) -> None:
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= _MOST_ELO:
                raise ValueError(f"{name} must be from -{_MOST_ELO:g} to {_MOST_ELO:g}, not {elo}")
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 ({self.elo0:g}) must be less than elo1 ({self.elo1:g})")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise ValueError(f"{name} must be more than 0 and less than 0.5, not {rate}")

    @property
    def lower(self) -> float:
        """The LLR at which the test rejects."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR at which the test accepts."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of the counts, `elo1` against `elo0`."""
        if _total(counts) == 0:
            return 0.0
        filled = _filled(counts)
        return _likelihood(filled, self.elo1, self.model) - _likelihood(
            filled, self.elo0, self.model
        )

    def verdict(self, counts: Sequence[int]) -> SprtVerdict:
        """Return whether the test is over, and how."""
        llr = self.llr(counts)
        if llr >= self.upper:
            return SprtVerdict.ACCEPTED
        return SprtVerdict.REJECTED if llr <= self.lower else SprtVerdict.GOES_ON


def read_sprt(text_pairs: Mapping[str, str]) -> Sprt:
    """Parse a test from the texts of elo0, elo1, alpha, beta and model.

    The first two are required. Raise ValueError that says what is wrong.
    """
    numbers: dict[str, float] = {}
    model = Model.NORMALISED
    for name, text in text_pairs.items():
        if name == "model":
            model = _read_model(text)
        elif name in ("elo0", "elo1", "alpha", "beta"):
            numbers[name] = _read_number(name, text)
        else:
            raise ValueError(f"{name} is none of elo0, elo1, alpha, beta and model")
    for name in ("elo0", "elo1"):
        if name not in numbers:
            raise ValueError(f"{name} is missing: say, for example, elo0=0 elo1=10")
    return Sprt(**numbers, model=model)


def normalised_elo(counts: Sequence[int]) -> Interval:
    """Return the normalised Elo by which the player with these counts is stronger."""
    mean, deviation = _observed_moments(counts)
    if mean == 0.5:
        estimate = 0.0
    elif deviation == 0:
        estimate = math.copysign(math.inf, mean - 0.5)
    else:
        estimate = (mean - 0.5) / deviation * NORMALISED_ELO / _root_of_matches(counts)
    return _around(counts, estimate)


def _around(counts: Sequence[int], estimate: float) -> Interval:
    """Return the 95 % interval of normalised Elo around the estimate, by profile likelihood."""
    total = _total(counts)
    if total == 0:
        return UNKNOWN
    filled = _filled(counts)
    whole = sum(filled)
    best = sum(count * math.log(count / whole) for count in filled)
    # Degrees of freedom: one less than the encounters, plus two, so one encounter has a bound.
    bound = best - to_student(Z_95, total + 1) ** 2 / 2
    low, high = (_limit(filled, bound, estimate, side * _BEYOND_ELO) for side in (-1, 1))
    return Interval(estimate, low, high)


def _limit(filled: Sequence[float], bound: float, estimate: float, outside: float) -> float:
    """Return where, from the estimate to `outside`, the likelihood falls below the bound."""
    inside = max(-_BEYOND_ELO, min(_BEYOND_ELO, estimate))
    if inside == outside or _likelihood(filled, outside, Model.NORMALISED) >= bound:
        return math.copysign(math.inf, outside)
    while abs(outside - inside) > 1e-4:
        middle = (inside + outside) / 2
        if _likelihood(filled, middle, Model.NORMALISED) >= bound:
            inside = middle
        else:
            outside = middle
    return inside


def _likelihood(filled: Sequence[float], elo: float, model: Model) -> float:
    """Return the highest log-likelihood of the counts with this strength."""
    match model:
        case Model.LOGISTIC:
            shares = likeliest_with_mean(filled, 1 / (1 + 10 ** (-elo / 400)))
        case Model.NORMALISED:
            ratio = elo / NORMALISED_ELO * _root_of_matches(filled)
            shares = likeliest_with_ratio(filled, ratio)
    return sum(count * math.log(share) for count, share in zip(filled, shares, strict=True))


def _root_of_matches(counts: Sequence[float]) -> float:
    """Return the square root of the number of matches in an encounter."""
    return math.sqrt((len(counts) - 1) // 2)


def _total(counts: Sequence[int]) -> int:
    """Return the number of encounters. Raise ValueError if these are no counts."""
    if len(counts) not in (3, 5) or min(counts) < 0:
        raise ValueError(f"three or five counts are needed, none below 0, not {list(counts)}")
    return sum(counts)


def _filled(counts: Sequence[int]) -> list[float]:
    """Return the counts, with a small number in empty cells."""
    return [count or _EMPTY for count in counts]


def _observed_moments(counts: Sequence[int]) -> tuple[float, float]:
    """Return the mean score of the encounters and its deviation; 1/2 and 0 if there are none."""
    total = _total(counts)
    return _moments(counts, total) if total else (0.5, 0.0)


def _read_model(text: str) -> Model:
    # Both spellings are English.
    name = text.strip().lower().replace("normalized", "normalised")
    if name not in [model.value for model in Model]:
        raise ValueError(f"model must be normalised or logistic, not {text!r}")
    return Model(name)


def _read_number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, not {text!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a number, not {text!r}")
    return number
