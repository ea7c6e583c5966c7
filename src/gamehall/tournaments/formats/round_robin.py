"""Everybody meets everybody."""

from typing import ClassVar

from gamehall.tournaments.formats.format import Encounter
from gamehall.tournaments.formats.planned import PlannedFormat
from gamehall.tournaments.pairing import in_rounds


class RoundRobin(PlannedFormat):
    """Everybody meets everybody, equally often.

    It goes by rounds in which everybody meets one other, so at any time all have played about
    equally much; and when all have met they begin again, until each pairing has had its games.
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
        return Encounter(number, one, other, time * self._rounds + round_number)
