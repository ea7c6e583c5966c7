"""Games go where they teach most, until what was asked is known."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import ClassVar

from gamehall.tournaments.certainty import Goal, doubt, worst_pairs
from gamehall.tournaments.formats.places import places
from gamehall.tournaments.formats.staged import Course, Pairing, Stage, StagedFormat
from gamehall.tournaments.ratings import rate
from gamehall.tournaments.tally import Tally

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
        """Whether the goal is reached."""
        return self._doubt <= self.goal.doubt

    def course(self) -> Course:
        tally = Tally(self.terms.players)
        number = 1
        pairings = self._within_limits(first_round(self.terms.players, self._encounters_per_round))
        while pairings and not self.is_known:
            yield Stage(number, pairings)
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
        """The pairings as far as both may still play that much."""
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
    """Everybody once with everybody, or with those who were named just before and after.

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
