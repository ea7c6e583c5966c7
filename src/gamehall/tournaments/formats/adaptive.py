"""Play where a game teaches most, until the best players are known with the wanted confidence.

Looking again and again until a claim seems proven errs more often than the last look says. So each
pair is held against a bet that may be watched all the time: that the true difference is zero, or
rather one of those that are usual among players. If it is zero, the probability that such a bet
ever multiplies its stake by 1/p is at most p.

That last sentence is Jean Ville's inequality (1939). To bet on all usual differences at once, each
with its weight, is Herbert Robbins' method of mixtures ("Statistical Methods Related to the Law of
the Iterated Logarithm", 1970).
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import ClassVar

from gamehall.tournaments.formats.format import places
from gamehall.tournaments.formats.staged import Course, Pairing, StagedFormat, TournamentStage
from gamehall.tournaments.ratings import Ratings, below, rate
from gamehall.tournaments.standings import Tally

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
    """Return the goal that "top 3 known at 95%" or "order known at 90%" names.

    ValueError otherwise.
    """
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
    """Return how likely it is, at most, that what the ratings say about the goal is wrong.

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
    """Return the pairs that matter, the better player first, each with how likely it is the worse.

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
    """Return how likely it is at most that `better` is the worse, however often one has looked.

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


FEWEST_ENCOUNTERS = 16
NEIGHBOURS = 2


class Adaptive(StagedFormat):
    """Rounds of a fixed number of encounters, each planned from all results before it.

    In the first, everybody meets everybody, or some neighbours if that would be too much. From
    then on those meet of whom it is least clear who is better, as far as that matters to the goal.
    """

    name: ClassVar[str] = "adaptive"

    def __init__(
        self,
        players: int,
        games: int,
        in_pairs: bool,
        goal: Goal,
        encounters_per_round: int | None = None,
    ) -> None:
        """Nobody plays more than `games` matches, whether or not the goal is reached by then.

        Raises ValueError if there is nothing to find out.
        """
        super().__init__(players, games, in_pairs)
        if encounters_per_round is None:
            encounters_per_round = max(2 * players, FEWEST_ENCOUNTERS)
        if encounters_per_round < 1:
            raise ValueError(f"a round needs at least 1 encounter, not {encounters_per_round}")
        if goal.top is not None and goal.top >= players:
            raise ValueError(
                f"of {players} players the top {goal.top} are all: ask for at most {players - 1}"
            )
        self.goal = goal
        self._encounters_per_round = encounters_per_round
        self._encounters_left = [self.terms.encounters_per_pairing] * players
        """How much everybody may still play."""
        self._elo = [0.0] * players
        self._doubt = 1.0
        self.begin()

    @property
    def is_known(self) -> bool:
        """True if the goal is reached."""
        return self._doubt <= self.goal.doubt

    def course(self) -> Course:
        tally = Tally(self.terms.players)
        number = 1
        pairings = self._within_limits(first_round(self.terms.players, self._encounters_per_round))
        while pairings and not self.is_known:
            yield TournamentStage(number, pairings)
            for meeting in self.meetings():
                tally.add(meeting)
            ratings = rate(tally)
            self._elo = ratings.elo
            self._doubt = doubt(ratings, self.goal)
            number += 1
            pairings = self._within_limits(
                share_out(worst_pairs(ratings, self.goal), self._encounters_per_round)
            )

    @property
    def expected(self) -> int | None:
        return self.known if self.is_over else None

    def ranking(self) -> list[list[int]]:
        """By ratings: scores would not do, since some have met stronger opponents than others."""
        return places([round(elo, 6) for elo in self._elo])

    def remark(self) -> str:
        claim = "the order" if self.goal.top is None else f"the top {self.goal.top}"
        if self.is_known:
            return f"{claim} known at {100 * self.goal.confidence:.4g}%, doubt {self._doubt:.1%}"
        return f"{claim} not known{'' if self.is_over else ' yet'}, doubt {self._doubt:.0%}"

    def _within_limits(self, wanted: Iterable[Pairing]) -> list[Pairing]:
        """Return the pairings as far as both may still play that much."""
        left = self._encounters_left
        granted = []
        for one, other, encounters in wanted:
            encounters = min(encounters, left[one], left[other])
            if encounters:
                left[one] -= encounters
                left[other] -= encounters
                granted.append(Pairing(one, other, encounters))
        return granted


def first_round(players: int, encounters: int) -> list[Pairing]:
    """Pair all players once with all others, or with those named just before and after.

    The first and the last one named are neighbours as well.
    """
    everybody = list(combinations(range(players), 2))
    if len(everybody) <= max(encounters, NEIGHBOURS * players):
        return [Pairing(one, other, 1) for one, other in everybody]
    return [
        Pairing(one, (one + distance) % players, 1)
        for distance in range(1, NEIGHBOURS + 1)
        for one in range(players)
    ]


def share_out(wanted: Sequence[tuple[int, int, float]], encounters: int) -> list[Pairing]:
    """So many encounters, to pairs in proportion to their shares; the worst pairs come first.

    What is left of proportions goes to those who have been cut most: the largest remainders, as in
    Alexander Hamilton's way to share out seats.
    """
    whole = sum(share for *_, share in wanted)
    if not whole:
        return []
    exact = [encounters * share / whole for *_, share in wanted]
    given = [int(part) for part in exact]
    cut_most = sorted(range(len(wanted)), key=lambda at: (given[at] - exact[at], at))
    for at in cut_most[: encounters - sum(given)]:
        given[at] += 1
    by_share = sorted(range(len(wanted)), key=lambda at: (-exact[at], at))
    return [Pairing(wanted[at][0], wanted[at][1], given[at]) for at in by_share if given[at]]
