"""Whether enough was played to say who the best are.

Whoever looks again and again until a claim seems proven is wrong more often than the last look
says. So a pair is held against the odds of a bet that may be watched all the time: that its true
difference is nothing, or rather one of those that are usual among players. Under the first, such a
bet multiplies its stake by 1/p at any time at all with a likelihood of no more than p.

That last sentence is Jean Ville's inequality (1939). To bet on all usual differences at once, each
with its weight, is Herbert Robbins' method of mixtures ("Statistical Methods Related to the Law of
the Iterated Logarithm", 1970).
"""

import math
import re
from dataclasses import dataclass
from itertools import pairwise

from gamehall.tournaments.bell_curve import below
from gamehall.tournaments.ratings import Ratings

_USUAL_ELO = 100.0
"""How far apart two players usually are. What is claimed holds for any other number too; but this
decides which differences are found fastest."""

_TOP = re.compile(r"top\s+(\d+)\s+known\s+at\s+(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)
_ORDER = re.compile(r"order\s+known\s+at\s+(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)


@dataclass(frozen=True)
class Goal:
    """What is to be known, and how surely."""

    top: int | None
    """Who the so many best are, in whatever order among themselves; None: the order of all."""
    confidence: float
    """How likely the claim is to be right, from 1/2 to 1."""

    @property
    def doubt(self) -> float:
        """How much doubt may be left."""
        return 1 - self.confidence


def read_goal(text: str) -> Goal:
    """The goal that "top 3 known at 95%" or "order known at 90%" names. ValueError otherwise."""
    top: int | None = None
    if found := _TOP.fullmatch(text.strip()):
        top, percent = int(found[1]), float(found[2])
    elif found := _ORDER.fullmatch(text.strip()):
        percent = float(found[1])
    else:
        raise ValueError(f'{text!r} is no goal: say "top 3 known at 95%", or "order known at 90%"')
    if top == 0:
        raise ValueError("nobody is in the top 0: say at least top 1")
    if not 50 <= percent < 100:
        raise ValueError(f"known at {percent:g}% cannot be: say at least 50% and less than 100%")
    return Goal(top, percent / 100)


def doubt(ratings: Ratings, goal: Goal) -> float:
    """How likely it is, at most, that what the ratings say about the goal is wrong.

    This holds for the first time at which the doubt is small as well as for any single time, so
    that one may play until it is.
    """
    return min(1.0, math.fsum(share for _, _, share in _doubtful(ratings, goal)))


def worst_pairs(ratings: Ratings, goal: Goal) -> list[tuple[int, int, float]]:
    """The pairs that the goal is about, the better player first, each with its share of the doubt.

    The most doubtful come first; all shares together are 1. Empty if nothing is in doubt.
    """
    pairs = _doubtful(ratings, goal)
    total = math.fsum(share for _, _, share in pairs)
    if total == 0:
        return []
    return sorted(
        ((one, other, share / total) for one, other, share in pairs),
        key=lambda pair: -pair[2],
    )


def _doubtful(ratings: Ratings, goal: Goal) -> list[tuple[int, int, float]]:
    """The pairs that matter, the better player first, each with how likely it is the worse.

    If no pair across the border of the top is the other way round, the top is right; and if no
    two neighbours are, the order is.
    """
    order = sorted(range(len(ratings.elo)), key=lambda player: -ratings.elo[player])
    if goal.top is None:
        pairs = list(pairwise(order))
    else:
        pairs = [(one, other) for one in order[: goal.top] for other in order[goal.top :]]
    return [(one, other, _pair_doubt(ratings, one, other)) for one, other in pairs]


def _pair_doubt(ratings: Ratings, better: int, worse: int) -> float:
    """How likely it is at most that `better` is the worse, however often one has looked.

    The bet is on differences above 0 that are spread like half a normal distribution.
    """
    lead = ratings.lead(better, worse)
    if math.isinf(lead.standard_error):
        return 1.0
    known = (_USUAL_ELO / lead.standard_error) ** 2
    drawn = known / (1 + known)
    # The logarithm, as the bet on an old favourite may be worth more than a float can hold.
    worth = lead.deviate**2 * drawn / 2 - math.log1p(known) / 2
    worth += math.log(2 * below(lead.deviate * math.sqrt(drawn)))
    return math.exp(-max(0.0, worth))
