"""Formats whose encounters are all known from the start: round robin and gauntlet."""

from abc import abstractmethod
from typing import ClassVar

from gamehall.tournaments.formats.format import Encounter, Format, FormatTerms
from gamehall.tournaments.pairing import in_rounds
from gamehall.tournaments.standings import Points

TAKEN_AT_ONCE = 4096


class PlannedFormat(Format):
    """A format that needs no result to know who meets whom.

    An encounter is made when it is taken, so a million of them cost no more than their number.
    """

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        self.terms = FormatTerms(players, games, in_pairs)
        self._is_noted = bytearray()
        """For each encounter that was taken, 1 if it was played."""
        self._noted = 0

    @abstractmethod
    def encounter(self, number: int) -> Encounter:
        """Return the encounter of this number, which is below `expected`."""

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


class RoundRobin(PlannedFormat):
    """Every player meets every other, equally often.

    It goes by rounds in which each player meets one other, so that at any time all have played
    about equally much. When all have met they begin again, until each pairing has had its games.
    """

    name: ClassVar[str] = "round-robin"

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        super().__init__(players, games, in_pairs)
        rounds = in_rounds(players)
        self._rounds = len(rounds)
        self._meetings = [
            (pair.earlier, pair.later, number)
            for number, pairs in enumerate(rounds, start=1)
            for pair in pairs
        ]

    @property
    def expected(self) -> int:
        return len(self._meetings) * self.terms.encounters_per_pairing

    def encounter(self, number: int) -> Encounter:
        time, place = divmod(number, len(self._meetings))
        one, other, round_number = self._meetings[place]
        # Whether the distance of two is odd decides who begins. So each begins against half of
        # the others, to within one, even when they meet only once.
        if not self.terms.in_pairs and ((other - one) % 2 == 0) != (time % 2 == 1):
            one, other = other, one
        return Encounter(
            number=number, one=one, other=other, round=time * self._rounds + round_number
        )


class Gauntlet(PlannedFormat):
    """Player 0 meets each other player in turn; the others do not meet each other."""

    name: ClassVar[str] = "gauntlet"

    @property
    def expected(self) -> int:
        return (self.terms.players - 1) * self.terms.encounters_per_pairing

    def encounter(self, number: int) -> Encounter:
        time, place = divmod(number, self.terms.players - 1)
        one, other = 0, place + 1
        # Player 0 begins against every second of the others, and the next time against the rest.
        if not self.terms.in_pairs and (place + time) % 2:
            one, other = other, one
        return Encounter(number=number, one=one, other=other, round=time + 1)
