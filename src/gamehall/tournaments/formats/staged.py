"""Formats in which results decide the next pairings, and the simplest of them, the ladder."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Generator, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from gamehall.tournaments.formats.format import Encounter, Format, FormatTerms
from gamehall.tournaments.tally import WIN, EncounterResult, Points


class Pairing(NamedTuple):
    """Two players who meet in one or more encounters."""

    one: int
    other: int
    encounters: int


class TournamentStage(NamedTuple):
    """Pairings that can be played at the same time."""

    round: int
    pairings: Sequence[Pairing]


class PairingScore(NamedTuple):
    """The scores of both players of a pairing in its encounters."""

    one: float
    other: float


Course: TypeAlias = Generator[TournamentStage, list[PairingScore], None]
"""A whole tournament: it yields stages, and is sent the scores of their pairings."""


class StagedFormat(Format):
    """A format of stages; each begins when all encounters of the one before are played.

    The encounters of a stage are numbered before any of them is played, and their results are
    evaluated together, so the order of results does not matter.
    """

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        self.terms = FormatTerms(players, games, in_pairs)
        self._course = self.course()
        self._stage = TournamentStage(0, [])
        self._encounters: list[Encounter] = []
        """All encounters so far, by number."""
        self._points: dict[int, Points] = {}
        """The points in encounters of this stage."""
        self._first = 0
        """The number of the first encounter of this stage."""
        self._taken = 0
        self._is_over = False
        self._first_seats: Counter[int] = Counter()
        """How much more often each player has begun than its opponents."""
        self._began_last: dict[tuple[int, int], int] = {}
        """The player who began the last encounter of each pair."""

    @abstractmethod
    def course(self) -> Course:
        """Return the tournament. `begin` starts it, when the constructor has set all attributes."""

    def begin(self) -> None:
        """Plan the first stage. Every constructor must call this at its end."""
        self._plan(next(self._course))

    @property
    def round(self) -> int:
        """The current or last round, from 1 on."""
        return self._stage.round

    @property
    def known(self) -> int:
        """The number of encounters up to this stage."""
        return len(self._encounters)

    def take(self) -> list[Encounter]:
        taken, self._taken = self._taken, len(self._encounters)
        return self._encounters[taken:]

    def note(self, number: int, points: Points) -> None:
        is_taken = self._first <= number < self._taken
        self._check(number, points, is_taken and number not in self._points)
        self._points[number] = points
        if len(self._points) == len(self._encounters) - self._first:
            try:
                self._plan(self._course.send(self._scores()))
            except StopIteration:
                self._is_over = True

    def results(self) -> list[EncounterResult]:
        """Return the results of this stage. Not checked: that all of it is played."""
        return [
            EncounterResult(one, other, self._points[number])
            for number, one, other, _ in self._encounters[self._first :]
        ]

    @property
    def is_over(self) -> bool:
        return self._is_over

    def _plan(self, stage: TournamentStage) -> None:
        self._stage = stage
        self._first = len(self._encounters)
        self._points = {}
        for pairing in stage.pairings:
            for _ in range(pairing.encounters):
                one, other = self._seats(pairing)
                number = len(self._encounters)
                self._encounters.append(
                    Encounter(number=number, one=one, other=other, round=stage.round)
                )

    def _seats(self, pairing: Pairing) -> tuple[int, int]:
        """Return the players, the one who begins first.

        Two who have met before begin in turn; otherwise the player begins who has begun less often.
        """
        one, other, _ = pairing
        if self.terms.in_pairs:
            return one, other
        pair = min(one, other), max(one, other)
        ahead = self._first_seats[one] - self._first_seats[other]
        is_other_first = ahead > 0 or (ahead == 0 and (one + other) % 2 == 0)
        last = self._began_last.get(pair)
        if last is not None:
            is_other_first = last == one
        first, second = (other, one) if is_other_first else (one, other)
        self._began_last[pair] = first
        self._first_seats[first] += 1
        self._first_seats[second] -= 1
        return first, second

    def _scores(self) -> list[PairingScore]:
        scores: list[PairingScore] = []
        number = self._first
        for pairing in self._stage.pairings:
            score = 0.0
            for at in range(number, number + pairing.encounters):
                points = self._points[at]
                is_first = self._encounters[at].one == pairing.one
                score += sum(points) if is_first else sum(WIN - point for point in points)
            number += pairing.encounters
            matches = pairing.encounters * self.terms.matches_per_encounter
            scores.append(PairingScore(score, matches * WIN - score))
        return scores


class Ladder(StagedFormat):
    """Players stand on the rungs of a ladder, in the order named, player 0 on top.

    In odd rounds the first meets the second, the third the fourth and so on; in even rounds the
    second meets the third and so on. If the lower one scores more, both swap places. In as many
    rounds as there are players, the default, the last one can climb to the top.
    """

    name: ClassVar[str] = "ladder"

    def __init__(self, players: int, games: int, in_pairs: bool, rounds: int | None = None) -> None:
        super().__init__(players, games, in_pairs)
        if rounds is not None and rounds < 1:
            raise ValueError(f"a ladder takes at least 1 round, not {rounds}")
        self.rounds = players if rounds is None else rounds
        self._rungs = list(range(players))
        self.begin()

    def course(self) -> Course:
        rungs = self._rungs
        for number in range(1, self.rounds + 1):
            upper_rungs = range((number - 1) % 2, len(rungs) - 1, 2)
            # With two players, every second round is empty.
            if not upper_rungs:
                continue
            scores = yield TournamentStage(
                number,
                [
                    Pairing(rungs[rung], rungs[rung + 1], self.terms.encounters_per_pairing)
                    for rung in upper_rungs
                ],
            )
            for rung, score in zip(upper_rungs, scores, strict=True):
                if score.other > score.one:
                    rungs[rung], rungs[rung + 1] = rungs[rung + 1], rungs[rung]

    @property
    def expected(self) -> int:
        players = self.terms.players
        odd_rounds, even_rounds = (self.rounds + 1) // 2, self.rounds // 2
        pairings = odd_rounds * (players // 2) + even_rounds * ((players - 1) // 2)
        return pairings * self.terms.encounters_per_pairing

    def ranking(self) -> list[list[int]]:
        return [[player] for player in self._rungs]

    def remark(self) -> str:
        return "" if self.is_over else f"round {self.round} of {self.rounds}"
