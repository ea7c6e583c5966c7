"""One against all others."""

from typing import ClassVar

from gamehall.tournaments.formats.format import Encounter
from gamehall.tournaments.formats.planned import PlannedFormat


class Gauntlet(PlannedFormat):
    """Player 0 meets each other one, in turn; the others do not meet each other."""

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
        return Encounter(number, one, other, time + 1)
