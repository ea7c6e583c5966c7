"""Who loses is out."""

from typing import ClassVar

from gamehall.tournaments.formats.elimination import EliminationFormat, duels, players_in, seeded
from gamehall.tournaments.formats.staged import Course


class Knockout(EliminationFormat):
    """A bracket in which the best seeds meet last, and have no opponent at first if places are
    left over. There is no match for the third place.
    """

    name: ClassVar[str] = "knockout"

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        super().__init__(players, games, in_pairs)
        self._out: list[list[int]] = []
        """Who went out, round by round."""
        self._in = list(range(players))
        self._rounds = (players - 1).bit_length()
        self.begin()

    def course(self) -> Course:
        slots = seeded(self.terms.players)
        for number in range(1, self._rounds + 1):
            decisions = yield from self.decide(number, duels(slots))
            slots = [decision.winner for decision in decisions]
            self._in = players_in(slots)
            self._out.append(players_in(decision.loser for decision in decisions))

    @property
    def expected(self) -> int:
        if self.is_over:
            return self.known
        in_this_round = len(self._in) - (1 << (self._rounds - self.round))
        later = len(self._in) - in_this_round - 1
        return self.known + later * self.terms.encounters_per_pairing

    def ranking(self) -> list[list[int]]:
        return [self._in, *reversed(self._out)]

    def remark(self) -> str:
        if self.is_over:
            return ""
        to_go = self._rounds - self.round
        return {0: "the final", 1: "semifinals", 2: "quarterfinals"}.get(
            to_go, f"round {self.round} of {self._rounds}"
        )
