"""Formats whose encounters are all known from the start: round robin and gauntlet."""

from abc import abstractmethod
from typing import ClassVar

from gamehall.tournaments.formats.format import Encounter, Format, FormatTerms
from gamehall.tournaments.pairing import in_rounds
from gamehall.tournaments.tally import Points

TAKEN_AT_ONCE = 4096


class PlannedFormat(Format):
    """A format whose encounters do not depend on results.

    Encounters are created when they are taken, so a million of them need no memory before.
    """

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        self.terms = FormatTerms(players, games, in_pairs)
        self._is_noted = bytearray()
        """For each taken encounter, 1 if its result is noted."""
        self._noted = 0

    @abstractmethod
    def encounter(self, number: int) -> Encounter:
        """Return the encounter with this number, which is below `expected`."""

    @property
    @abstractmethod
    def expected(self) -> int: ...

    def take(self) -> list[Encounter]:
        taken = len(self._is_noted)
        more = min(TAKEN_AT_ONCE, self.expected - taken)
        self._is_noted.extend(bytes(more))
        return [self.encounter(number) for number in range(taken, taken + more)]

    def note(self, number: int, points: Points) -> None:
        is_taken = 0 <= number < len(self._is_noted)
        self._check(number, points, is_taken and not self._is_noted[number])
        self._is_noted[number] = True
        self._noted += 1

    @property
    def is_over(self) -> bool:
        return self._noted == self.expected


class RoundRobin(PlannedFormat):
    """All players meet each other, equally often.

    In each round a player meets one other, so all have played about equally often at any time. When
    all have met they begin again, until each pairing has had its games.
    """

    name: ClassVar[str] = "round-robin"

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        super().__init__(players, games, in_pairs)
        rounds = in_rounds(players)
        self._rounds = len(rounds)
        self._schedule = [
            (pair.earlier, pair.later, number)
            for number, pairs in enumerate(rounds, start=1)
            for pair in pairs
        ]

    @property
    def expected(self) -> int:
        return len(self._schedule) * self.terms.encounters_per_pairing

    def encounter(self, number: int) -> Encounter:
        time, place = divmod(number, len(self._schedule))
        one, other, round_number = self._schedule[place]
        # Who begins depends on whether the distance of the two is odd. So each player begins
        # against half of the others, to within one, even if they meet only once.
        if not self.terms.in_pairs and ((other - one) % 2 == 0) != (time % 2 == 1):
            one, other = other, one
        return Encounter(
            number=number, one=one, other=other, round=time * self._rounds + round_number
        )


class Gauntlet(PlannedFormat):
    """Player 0 meets each other player; the others do not meet each other."""

    name: ClassVar[str] = "gauntlet"

    @property
    def expected(self) -> int:
        return (self.terms.players - 1) * self.terms.encounters_per_pairing

    def encounter(self, number: int) -> Encounter:
        time, place = divmod(number, self.terms.players - 1)
        one, other = 0, place + 1
        # Player 0 begins against every second player, and the next time against the others.
        if not self.terms.in_pairs and (place + time) % 2:
            one, other = other, one
        return Encounter(number=number, one=one, other=other, round=time + 1)
