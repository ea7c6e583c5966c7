"""Formats whose encounters are all known from the start, however many there are."""

from abc import abstractmethod

from gamehall.tournaments.formats.format import Encounter, Format
from gamehall.tournaments.formats.terms import Terms
from gamehall.tournaments.tally import Points

TAKEN_AT_ONCE = 4096


class PlannedFormat(Format):
    """A format that needs no result to know who meets whom.

    An encounter is made when it is taken, so a million of them cost no more than their number.
    """

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        self.terms = Terms(players, games, in_pairs)
        self._is_noted = bytearray()
        """For each encounter that was taken, whether it was played."""
        self._noted = 0

    @abstractmethod
    def encounter(self, number: int) -> Encounter:
        """The encounter of this number, which is below `expected`."""

    @property
    @abstractmethod
    def expected(self) -> int: ...

    def take(self) -> list[Encounter]:
        taken = len(self._is_noted)
        more = min(TAKEN_AT_ONCE, self.expected - taken)
        self._is_noted.extend(bytes(more))
        return [self.encounter(number) for number in range(taken, taken + more)]

    def note(self, number: int, points: Points) -> None:
        if not 0 <= number < len(self._is_noted) or self._is_noted[number]:
            raise ValueError(f"encounter {number} was not taken, or is noted already")
        if len(points) != self.terms.matches_per_encounter:
            raise ValueError(f"encounter {number} has other matches than {points}")
        self._is_noted[number] = True
        self._noted += 1

    @property
    def is_over(self) -> bool:
        return self._noted == self.expected

    def ranking(self) -> list[list[int]] | None:
        return None

    def remark(self) -> str:
        return ""
