"""Elo ratings of players, and their errors.

The ratings are those under which the results are most likely (see bradley_terry.py). Their errors
do not rely on that model but on the observed scatter of encounters: draws make them smaller, and
similar matches within an encounter make them larger. With few observations, the scatter is assumed
to be that of single matches without draws.

The scale is Arpad Elo's. Errors from the scatter of residuals instead of the model are known as
sandwich estimators (Peter Huber 1967, Halbert White 1980), the degrees of freedom of a sum of
variances as those of Franklin Satterthwaite (1946). Virtual draws as a weak prior, and the
likelihood of superiority, are known from Remi Coulom's program Bayeselo.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gamehall.tournaments.bradley_terry import (
    Floats,
    PairScores,
    expected,
    groups,
    inverse,
    is_settled,
    likelihood,
    strengths,
    weigh,
)
from gamehall.tournaments.tally import Points, Tally

Z_95 = 1.959963984540054
"""95 % of a normal distribution lie within this many standard errors of its mean."""


def below(z: float) -> float:
    """Return the probability that a normal deviate is less than `z`; exact in the lower tail."""
    return math.erfc(-z / math.sqrt(2)) / 2


def to_normal(t: float, freedom: float) -> float:
    """Return the normal deviate that is as rare as `t` is in Student's distribution.

    Wallace's approximation (David L. Wallace, "Bounds on Normal Approximations to Student's and the
    Chi-Square Distributions", 1959); from three degrees of freedom on it is good to a hundredth.
    """
    shrunk = math.sqrt(freedom * math.log1p(t * t / freedom))
    return math.copysign(shrunk * (8 * freedom + 1) / (8 * freedom + 3), t)


def to_student(z: float, freedom: float) -> float:
    """Return the value that is as rare in Student's distribution as `z` in a normal one."""
    widened = z * (8 * freedom + 3) / (8 * freedom + 1)
    # Below one degree of freedom the exponential would overflow.
    return math.copysign(math.sqrt(freedom * math.expm1(min(widened * widened / freedom, 50))), z)


ELO = 400 / math.log(10)
"""One natural logarithm of odds, in Elo."""

_VIRTUAL_DRAWS = 1.0
"""If ratings would be infinite, each player gets this many draws with an average player."""
_PRIOR_ENCOUNTERS = 4.0
"""The weight of the prior: as of this many encounters of single matches without draws."""


class Interval(NamedTuple):
    """An estimate and its 95 % confidence interval."""

    estimate: float
    low: float
    high: float


UNKNOWN = Interval(0.0, -math.inf, math.inf)


class EstimatedLead(NamedTuple):
    """By how much one player is stronger than another, and how significant that is."""

    elo: float
    standard_error: float
    """In Elo, computed as if there were no lead; at a large lead it would say little."""
    deviate: float
    """The distance of the lead from 0 in standard deviations of a normal distribution."""


@dataclass(frozen=True)
class Ratings:
    """The ratings of the players in a tally.

    Each group of players that are linked by encounters is rated relative to its own average; the
    difference between two groups is unknown. A player without encounters has the rating 0, with an
    infinite error.
    """

    elo: list[float]
    is_bounded: bool
    """Whether virtual draws were needed to keep ratings finite: a player has won or lost all
    matches, or the same is true of a group against the others, or groups have not met."""
    _place: dict[int, tuple["_Group", int]] = field(repr=False)
    """The group of each player who has an encounter, and its number there."""

    def error(self, player: int) -> float:
        """Return half the width of the 95 % interval of a rating."""
        if player not in self._place:
            return math.inf
        group, number = self._place[player]
        contrast = np.zeros(len(group.theta))
        contrast[: group.players] = -1 / group.players
        contrast[number] += 1
        measured = group.measure(contrast)
        return ELO * measured.error * to_student(Z_95, measured.freedom)

    def difference(self, one: int, other: int) -> Interval:
        """Return by how much `one` is stronger than `other`, in Elo."""
        if one == other:
            return Interval(0.0, 0.0, 0.0)
        if (compared := self._compare(one, other)) is None:
            return UNKNOWN
        group, measured = compared
        low, high = group.limits(measured)
        return Interval(ELO * measured.value, ELO * low, ELO * high)

    def lead(self, one: int, other: int) -> EstimatedLead:
        """Return by how much `one` leads `other`, and how significant that is."""
        if one == other:
            return EstimatedLead(0.0, 0.0, 0.0)
        if (compared := self._compare(one, other)) is None:
            return EstimatedLead(0.0, math.inf, 0.0)
        group, measured = compared
        error = ELO * group.error_without(measured)
        return EstimatedLead(ELO * measured.value, error, group.deviate(measured))

    def superiority(self, one: int, other: int) -> float:
        """Return the likelihood that `one` is stronger than `other`."""
        return below(self.lead(one, other).deviate)

    def _compare(self, one: int, other: int) -> "tuple[_Group, _Measured] | None":
        """Return the group of both and the lead of `one`, or None if nothing links them."""
        if one not in self._place or other not in self._place:
            return None
        (group, number), (others_group, others_number) = self._place[one], self._place[other]
        return (group, group.compare(number, others_number)) if group is others_group else None


class _Measured(NamedTuple):
    """A contrast of strengths: a weighted sum whose weights come to 0."""

    value: float
    error: float
    freedom: float
    """Degrees of freedom of the standard error."""
    scatter: float
    """The squared error, relative to that of single matches without draws."""
    path: Floats
    """The change of each pair's lead per unit of the contrast that lowers the likelihood least."""


class _Group:
    """Players who are linked by encounters: their strengths and errors.

    If strengths would be infinite, there is one more player, the opponent in the virtual draws.
    """

    def __init__(self, players: int, meetings: dict[tuple[int, int], Counter[Points]]) -> None:
        self.players = players
        sums = np.array([_sums(of_pair) for of_pair in meetings.values()])
        encounters, matches, scored, squares, mixed, lengths = sums.T
        ends = np.array([*meetings], dtype=np.intp)
        real = PairScores(one=ends[:, 0], other=ends[:, 1], won=scored, lost=matches - scored)
        self.is_bounded = not is_settled(players, real)
        self.scores = _with_virtual_draws(players, real) if self.is_bounded else real
        size = players + self.is_bounded
        self.theta = strengths(size, self.scores)
        self.theta -= self.theta[:players].mean()
        self._leads = self.theta[self.scores.one] - self.theta[self.scores.other]
        self._best = likelihood(self.scores, self._leads)
        share = expected(self._leads)
        self._weights = (self.scores.won + self.scores.lost) * share * (1 - share)
        self._inverse = inverse(weigh(size, self.scores, self._weights))
        met = slice(0, len(encounters))
        share = share[met]
        residuals = squares - 2 * share * mixed + share * share * lengths
        self._scatter = np.ones(len(self._weights))
        self._freedom = np.full(len(self._weights), _PRIOR_ENCOUNTERS)
        # The strengths are fitted to each encounter, which makes its residual smaller. `left` is
        # the share that remains.
        own = self._weights[met] * self._resistances()[met] / encounters
        left = np.clip(1 - own, 0, 1)
        prior = _PRIOR_ENCOUNTERS / 4 * matches.sum() / encounters.sum()
        known = self._weights[met] * left
        others = (residuals.sum() - residuals + prior) / (known.sum() - known + prior)
        self._scatter[met] = (residuals + prior * others) / (known + prior)
        self._freedom[met] += encounters * left

    def compare(self, one: int, other: int) -> _Measured:
        """Return the lead of `one` over `other`."""
        contrast = np.zeros(len(self.theta))
        contrast[one], contrast[other] = 1, -1
        return self.measure(contrast)

    def measure(self, contrast: Floats) -> _Measured:
        """Return the contrast with these weights."""
        pull = self._inverse @ contrast
        model = float(contrast @ pull)
        path = pull[self.scores.one] - pull[self.scores.other]
        shares = path * path * self._weights * self._scatter
        variance = float(shares.sum())
        freedom = variance**2 / float((shares * shares / self._freedom).sum())
        return _Measured(
            float(contrast @ self.theta),
            math.sqrt(variance),
            freedom,
            variance / model,
            path / model,
        )

    def deviate(self, measured: _Measured) -> float:
        """Return the distance of the contrast from 0 as a normal deviate.

        This is the signed root of the likelihood ratio. For extreme results, such as ten wins of
        ten, it is more exact than the curvature at the maximum.
        """
        drop = self._drop(measured, -measured.value)
        root = math.copysign(math.sqrt(drop / measured.scatter), measured.value)
        return to_normal(root, measured.freedom)

    def error_without(self, measured: _Measured) -> float:
        """Return the standard error that the contrast would have if it were 0."""
        share = expected(self._leads - measured.value * measured.path)
        weights = (self.scores.won + self.scores.lost) * share * (1 - share)
        return math.sqrt(measured.scatter / float(weights @ measured.path**2))

    def limits(self, measured: _Measured) -> tuple[float, float]:
        """Return the bounds of the 95 % interval of the contrast."""
        bound = to_student(Z_95, measured.freedom)
        low, high = (
            measured.value + self._change_at(measured, bound, side * bound * measured.error)
            for side in (-1, 1)
        )
        return low, high

    def _change_at(self, measured: _Measured, bound: float, start: float) -> float:
        """Return the change of the contrast, on the side of `start`, that is `bound` deviates away.

        The drop is convex, so Newton's method converges from beyond the solution.
        """
        target = bound * bound * measured.scatter
        moved = start
        for _ in range(60):
            leads = self._leads + moved * measured.path
            surplus = self.scores.won - (self.scores.won + self.scores.lost) * expected(leads)
            slope = -2 * float(surplus @ measured.path)
            step = (self._drop(measured, moved) - target) / slope
            moved -= step
            if abs(step) < 1e-9:
                break
        return moved

    def _drop(self, measured: _Measured, moved: float) -> float:
        """Return twice the loss of log-likelihood if the contrast changes by `moved`."""
        return max(
            0.0,
            2 * (self._best - likelihood(self.scores, self._leads + moved * measured.path)),
        )

    def _resistances(self) -> Floats:
        """Return the variance of each pair's lead, for single matches without draws."""
        one, other = self.scores.one, self.scores.other
        alone = np.diag(self._inverse)
        resistances: Floats = alone[one] + alone[other] - 2 * self._inverse[one, other]
        return resistances


def rate(tally: Tally) -> Ratings:
    """Return the ratings of all players in a tally."""
    meetings = {
        pair: played
        for pair, results in sorted(tally.results.items(), key=lambda item: item[0])
        # Ignore encounters that were removed, or broken off before their first match.
        if (played := Counter({p: times for p, times in results.items() if p and times > 0}))
    }
    place: dict[int, tuple[_Group, int]] = {}
    elo = [0.0] * tally.players
    linked = [g for g in groups(tally.players, [*meetings]) if len(g) > 1]
    is_bounded = len(linked) > 1
    for members in linked:
        number = {player: k for k, player in enumerate(members)}
        group = _Group(
            len(members),
            {(number[i], number[j]): of for (i, j), of in meetings.items() if i in number},
        )
        is_bounded = is_bounded or group.is_bounded
        for player, k in number.items():
            elo[player] = ELO * float(group.theta[k])
            place[player] = (group, k)
    return Ratings(elo, is_bounded, place)


def _sums(of_pair: Counter[Points]) -> tuple[float, ...]:
    """Return of one pair: encounters, matches, points, and the sums that residuals need."""
    encounters = matches = scored = squares = mixed = lengths = 0.0
    for points, times in of_pair.items():
        length, total = len(points), sum(points)
        encounters += times
        matches += times * length
        scored += times * total
        squares += times * total * total
        mixed += times * total * length
        lengths += times * length * length
    return encounters, matches, scored, squares, mixed, lengths


def _with_virtual_draws(players: int, real: PairScores) -> PairScores:
    """Return the scores, with virtual draws of all players against one more player."""
    half = np.full(players, _VIRTUAL_DRAWS / 2)
    return PairScores(
        one=np.concatenate([real.one, np.arange(players)]),
        other=np.concatenate([real.other, np.full(players, players)]),
        won=np.concatenate([real.won, half]),
        lost=np.concatenate([real.lost, half]),
    )
