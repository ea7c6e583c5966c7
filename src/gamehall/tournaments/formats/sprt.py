"""Two players meet until a sequential test has come to a verdict."""

from typing import ClassVar

from gamehall.tournaments.formats.format import Encounter, Format, FormatTerms
from gamehall.tournaments.sprt import Sprt, SprtVerdict
from gamehall.tournaments.standings import WIN, Points

PLAYED_AHEAD = 256
ENCOUNTERS_PER_LOOK = 8
"""Who looks after each encounter errs about as often as was said; who looks less often, less."""


class SprtFormat(Format):
    """Encounters of two players, until the test says that player 0 is better, or is not.

    Encounters are played ahead, and end in any order; those that are quick to end are not like the
    others. So the test goes through them in the order of their numbers, and stops at the first that
    decides: what was played beyond that one does not count.
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
        """At most `games` matches are played. Encounters are taken up to so many from the first
        that is not played yet; the test looks after every so many.

        Raises ValueError if there are not two players, or nothing could be played.
        """
        self.terms = FormatTerms(players, games, in_pairs)
        if players != 2:
            raise ValueError(f"a sequential test compares 2 players, not {players}")
        if encounters_ahead < 1:
            raise ValueError(f"at least 1 encounter is played at a time, not {encounters_ahead}")
        self.test = test
        self.verdict = SprtVerdict.GOES_ON
        self._sums = [0] * (2 * self.terms.matches_per_encounter + 1)
        """How often each sum of an encounter came up for player 0, in half points from 0 on."""
        self._encounters_ahead = encounters_ahead
        self._encounters_per_look = encounters_per_look
        self._taken = 0
        self._seen = 0
        """How many encounters the test has seen: all before this number."""
        self._waiting: dict[int, Points] = {}
        """What was played beyond the first unplayed encounter."""

    def take(self) -> list[Encounter]:
        if self.is_over:
            return []
        taken = self._taken
        end = self._seen + self._encounters_ahead
        self._taken = max(taken, min(end, self.terms.encounters_per_pairing))
        return [self._encounter(number) for number in range(taken, self._taken)]

    def note(self, number: int, points: Points) -> None:
        is_new = self._seen <= number < self._taken and number not in self._waiting
        if not is_new and not (self.is_over and 0 <= number < self._taken):
            raise ValueError(f"encounter {number} was not taken, or is noted already")
        if len(points) != self.terms.matches_per_encounter:
            raise ValueError(f"encounter {number} has other matches than {points}")
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

    def ranking(self) -> list[list[int]] | None:
        return None

    @property
    def sums(self) -> tuple[int, ...]:
        """How often each possible sum of an encounter came up for player 0, the worst first."""
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
        """The next encounter, in the order of numbers."""
        if self._encounter(self._seen).one != 0:
            points = tuple(WIN - point for point in points)
        self._sums[round(2 * sum(points))] += 1
        self._seen += 1
        is_last = self._seen == self.terms.encounters_per_pairing
        if is_last or self._seen % self._encounters_per_look == 0:
            self.verdict = self.test.verdict(self.sums)
