"""A format of two players who meet until a sequential test has a verdict."""

from typing import ClassVar

from gamehall.tournaments.formats.format import Encounter, Format, FormatTerms
from gamehall.tournaments.sprt import Sprt, SprtVerdict
from gamehall.tournaments.tally import WIN, Points

PLAYED_AHEAD = 256
ENCOUNTERS_PER_LOOK = 8
"""Tests after every encounter reach the accepted error rates; less frequent ones stay below."""


class SprtFormat(Format):
    """Encounters of two players, until the test says that player 0 is better, or is not.

    Encounters are played ahead, and end in any order; those that end early are not representative.
    So the test takes them in the order of their numbers, and stops at the first that decides it:
    encounters after that one do not count.
    """

    name: ClassVar[str] = "sprt"

    def __init__(
        self,
        test: Sprt,
        games: int,
        in_pairs: bool,
        players: int = 2,
        encounters_ahead: int = PLAYED_AHEAD,
        encounters_per_look: int = ENCOUNTERS_PER_LOOK,
    ) -> None:
        """Raises ValueError if there are not two players, or another argument is invalid.

        Args:
            test: the sequential test.
            games: the maximum number of matches.
            in_pairs: whether an encounter is two matches with swapped seats.
            players: must be 2.
            encounters_ahead: how many encounters may be taken beyond the first unplayed one.
            encounters_per_look: after how many encounters the test is evaluated.
        """
        self.terms = FormatTerms(players, games, in_pairs)
        if players != 2:
            raise ValueError(f"a sequential test compares 2 players, not {players}")
        if encounters_ahead < 1:
            raise ValueError(f"encounters_ahead must be at least 1, not {encounters_ahead}")
        self.test = test
        self.verdict = SprtVerdict.GOES_ON
        self._sums = [0] * (2 * self.terms.matches_per_encounter + 1)
        """How often player 0 has scored each sum in an encounter, in half points from 0 on."""
        self._encounters_ahead = encounters_ahead
        self._encounters_per_look = encounters_per_look
        self._taken = 0
        self._seen = 0
        """The test has seen all encounters before this number."""
        self._waiting: dict[int, Points] = {}
        """Results of encounters after the first unplayed one."""

    def take(self) -> list[Encounter]:
        if self.is_over:
            return []
        taken = self._taken
        end = self._seen + self._encounters_ahead
        self._taken = max(taken, min(end, self.terms.encounters_per_pairing))
        return [self._encounter(number) for number in range(taken, self._taken)]

    def note(self, number: int, points: Points) -> None:
        is_new = self._seen <= number < self._taken and number not in self._waiting
        is_late = self.is_over and 0 <= number < self._taken
        self._check(number, points, is_new or is_late)
        self._waiting[number] = points
        while not self.is_over and self._seen in self._waiting:
            self._see(self._waiting.pop(self._seen))

    @property
    def is_over(self) -> bool:
        has_ended = self._seen == self.terms.encounters_per_pairing
        return has_ended or self.verdict is not SprtVerdict.GOES_ON

    @property
    def expected(self) -> int | None:
        return self._seen if self.is_over else None

    def counts(self, number: int) -> bool:
        return not self.is_over or number < self._seen

    @property
    def sums(self) -> tuple[int, ...]:
        """How often player 0 has scored each possible sum in an encounter, the lowest first."""
        return tuple(self._sums)

    def remark(self) -> str:
        state = (
            f"LLR {self.test.llr(self.sums):.2f} "
            f"({self.test.lower:.2f} to {self.test.upper:.2f}) after {self._seen} encounters"
        )
        match self.verdict:
            case SprtVerdict.GOES_ON:
                return f"{state}: {'undecided' if self.is_over else 'goes on'}"
            case SprtVerdict.ACCEPTED:
                return f"{state}: accepted, the gain is more like {self.test.elo1:g} Elo"
            case SprtVerdict.REJECTED:
                return f"{state}: rejected, the gain is more like {self.test.elo0:g} Elo"

    def _encounter(self, number: int) -> Encounter:
        if number % 2 and not self.terms.in_pairs:
            return Encounter(number, 1, 0)
        return Encounter(number, 0, 1)

    def _see(self, points: Points) -> None:
        """Pass the next encounter, in the order of numbers, to the test."""
        if self._encounter(self._seen).one != 0:
            points = tuple(WIN - point for point in points)
        self._sums[round(2 * sum(points))] += 1
        self._seen += 1
        is_last = self._seen == self.terms.encounters_per_pairing
        if is_last or self._seen % self._encounters_per_look == 0:
            self.verdict = self.test.verdict(self.sums)
