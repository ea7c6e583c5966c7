"""Play the most informative matches until the best players are known with some confidence.

Testing a claim again and again until it seems proven makes more errors than a single test. So each
pair is tested by a bet against the claim that the true difference is zero, which wins if it is one
of the differences that are usual among players. If it is zero, the probability that such a bet ever
multiplies its stake by 1/p is at most p.

That is Jean Ville's inequality (1939). Betting on all usual differences at once, each with its
weight, is Herbert Robbins' method of mixtures ("Statistical Methods Related to the Law of
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
from gamehall.tournaments.tally import Tally

_USUAL_ELO = 100.0
"""The usual difference between two players. The error rates hold for any other number too; this one
decides which differences are found fastest."""

_TOP = re.compile(r"top\s+(\d+)\s+known\s+at\s+(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)
_ORDER = re.compile(r"order\s+known\s+at\s+(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)


@dataclass(frozen=True)
class Goal:
    """What to find out, and with which confidence."""

    top: int | None
    """The number of best players to find, in any order; None: the order of all players."""
    confidence: float
    """The probability that the claim is right, from 1/2 to 1."""

    @property
    def doubt(self) -> float:
        """The probability that the claim is wrong."""
        return 1 - self.confidence


def read_goal(text: str) -> Goal:
    """Parse a goal such as "top 3 known at 95%" or "order known at 90%". Raises ValueError."""
    top: int | None = None
    if found := _TOP.fullmatch(text.strip()):
        top, percent = int(found[1]), float(found[2])
    elif found := _ORDER.fullmatch(text.strip()):
        percent = float(found[1])
    else:
        raise ValueError(f'{text!r} is no goal: say "top 3 known at 95%", or "order known at 90%"')
    if top == 0:
        raise ValueError("top 0 is empty: say at least top 1")
    if not 50 <= percent < 100:
        raise ValueError(f"known at {percent:g}% cannot be: say at least 50% and less than 100%")
    return Goal(top, percent / 100)


def doubt(ratings: Ratings, goal: Goal) -> float:
    """Return an upper bound of the probability that the ratings are wrong about the goal.

    The bound also holds if one plays until it is small enough.
    """
    return min(1.0, math.fsum(share for _, _, share in _doubtful(ratings, goal)))


def worst_pairs(ratings: Ratings, goal: Goal) -> list[tuple[int, int, float]]:
    """Return the pairs that matter, the better player first, and their shares of the doubt.

    The most doubtful pair comes first; the shares sum up to 1. Empty if there is no doubt.
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
    """Return the pairs that matter, the better player first, and the doubt about each.

    The top is right if its players are better than all others; the order is right if each player is
    better than the next.
    """
    order = sorted(range(len(ratings.elo)), key=lambda player: -ratings.elo[player])
    if goal.top is None:
        pairs = list(pairwise(order))
    else:
        pairs = [(one, other) for one in order[: goal.top] for other in order[goal.top :]]
    return [(one, other, _pair_doubt(ratings, one, other)) for one, other in pairs]


def _pair_doubt(ratings: Ratings, better: int, worse: int) -> float:
    """Return an upper bound of the probability that `better` is worse, for repeated tests.

    The bet is on differences above 0, distributed like half a normal distribution.
    """
    lead = ratings.lead(better, worse)
    if math.isinf(lead.standard_error):
        return 1.0
    known = (_USUAL_ELO / lead.standard_error) ** 2
    drawn = known / (1 + known)
    # A logarithm, because the value of the bet may be too large for a float.
    worth = lead.deviate**2 * drawn / 2 - math.log1p(known) / 2
    worth += math.log(2 * below(lead.deviate * math.sqrt(drawn)))
    return math.exp(-max(0.0, worth))


FEWEST_ENCOUNTERS = 16
NEIGHBOURS = 2


class Adaptive(StagedFormat):
    """Rounds of a fixed number of encounters, each planned from all results before it.

    In the first round all players meet each other or, if those are too many, some neighbours. In
    later rounds those meet about whose order there is most doubt, as far as the goal needs it.
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
        """Raises ValueError if the goal is empty.

        `games` is the maximum number of matches of a player, even if the goal is not reached.
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
        """The number of encounters that each player may still play."""
        self._elo = [0.0] * players
        self._doubt = 1.0
        self.begin()

    @property
    def is_known(self) -> bool:
        return self._doubt <= self.goal.doubt

    def course(self) -> Course:
        tally = Tally(self.terms.players)
        number = 1
        pairings = self._within_limits(first_round(self.terms.players, self._encounters_per_round))
        while pairings and not self.is_known:
            yield TournamentStage(number, pairings)
            for result in self.results():
                tally.add(result)
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
        """Rank by ratings, because the players have met opponents of different strength."""
        return places([round(elo, 6) for elo in self._elo])

    def remark(self) -> str:
        claim = "the order" if self.goal.top is None else f"the top {self.goal.top}"
        if self.is_known:
            return f"{claim} known at {100 * self.goal.confidence:.4g}%, doubt {self._doubt:.1%}"
        return f"{claim} not known{'' if self.is_over else ' yet'}, doubt {self._doubt:.0%}"

    def _within_limits(self, wanted: Iterable[Pairing]) -> list[Pairing]:
        """Return the pairings, with fewer encounters where a player may not play so many."""
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

    The first and the last player named are neighbours, too.
    """
    all_pairs = list(combinations(range(players), 2))
    if len(all_pairs) <= max(encounters, NEIGHBOURS * players):
        return [Pairing(one, other, 1) for one, other in all_pairs]
    return [
        Pairing(one, (one + distance) % players, 1)
        for distance in range(1, NEIGHBOURS + 1)
        for one in range(players)
    ]


def share_out(wanted: Sequence[tuple[int, int, float]], encounters: int) -> list[Pairing]:
    """Distribute encounters to pairs by their shares, which sum to 1; the largest come first.

    Remaining encounters go to the largest remainders, as in Alexander Hamilton's method of
    apportionment.
    """
    exact = [encounters * share for *_, share in wanted]
    given = [int(part) for part in exact]
    cut_most = sorted(range(len(wanted)), key=lambda at: (given[at] - exact[at], at))
    for at in cut_most[: encounters - sum(given)]:
        given[at] += 1
    by_share = sorted(range(len(wanted)), key=lambda at: (-exact[at], at))
    return [Pairing(wanted[at][0], wanted[at][1], given[at]) for at in by_share if given[at]]
