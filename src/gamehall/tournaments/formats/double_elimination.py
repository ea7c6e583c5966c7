"""Who loses twice is out."""

from collections.abc import Generator
from typing import ClassVar

from gamehall.tournaments.formats.elimination import (
    Decision,
    Duel,
    EliminationFormat,
    Slot,
    duels,
    players_in,
    seeded,
)
from gamehall.tournaments.formats.staged import Course, Score, Stage


class DoubleElimination(EliminationFormat):
    """A bracket whose losers go on in a second one, and are out when they lose there.

    In the end the champions of both meet. If the one who had lost before wins, both have lost
    once, and they meet again.
    """

    name: ClassVar[str] = "double-elimination"

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        super().__init__(players, games, in_pairs)
        self._losses = [0] * players
        self._out: list[list[int]] = []
        """Who went out, in the order of the stages; equals together."""
        self._is_reset = False
        self._duels_before = 0
        self._duels_now = 0
        self.begin()

    def course(self) -> Course:
        upper = seeded(self.terms.players)
        upper_duels = duels(upper)
        decisions = yield from self._play(1, upper_duels)
        upper, fallen = _winners(decisions), _losers(decisions)
        lower = fallen
        number = 1
        while len(upper) > 1:
            number += 1
            # The upper bracket goes on while those who fell into the lower one meet each other.
            upper_duels, lower_duels = duels(upper), duels(lower)
            decisions = yield from self._play(number, [*upper_duels, *lower_duels])
            of_upper, of_lower = decisions[: len(upper_duels)], decisions[len(upper_duels) :]
            upper, fallen = _winners(of_upper), _losers(of_upper)
            number += 1
            # In reverse, so that those who have just met do not meet again at once.
            survivors = _winners(of_lower)
            decisions = yield from self._play(
                number, [Duel(*two) for two in zip(reversed(fallen), survivors, strict=True)]
            )
            lower = _winners(decisions)
        number += 1
        final = Duel(upper[0], lower[0])
        decisions = yield from self._play(number, [final])
        if decisions[0].winner == final.other:
            self._is_reset = True
            yield from self._play(number + 1, [final])

    def _play(
        self, number: int, all_duels: list[Duel]
    ) -> Generator[Stage, list[Score], list[Decision]]:
        self._duels_before += self._duels_now
        self._duels_now = sum(None not in duel for duel in all_duels)
        decisions = yield from self.decide(number, all_duels)
        losers = players_in(decision.loser for decision in decisions)
        for loser in losers:
            self._losses[loser] += 1
        if out := [loser for loser in losers if self._losses[loser] == 2]:
            self._out.append(out)
        return decisions

    @property
    def expected(self) -> int:
        """All but one lose twice; whether the last one loses once is seen in the end."""
        if self.is_over:
            return self.known
        duels_in_all = 2 * (self.terms.players - 1) + self._is_reset
        later = duels_in_all - self._duels_before - self._duels_now
        return self.known + later * self.terms.encounters_per_pairing

    def ranking(self) -> list[list[int]]:
        still_in = [
            [player for player, lost in enumerate(self._losses) if lost == losses]
            for losses in (0, 1)
        ]
        return [*(equals for equals in still_in if equals), *reversed(self._out)]

    def remark(self) -> str:
        if self.is_over:
            return ""
        if self._is_reset:
            return "the second final: both have lost once"
        unbeaten, once = self._losses.count(0), self._losses.count(1)
        return f"round {self.round}: {unbeaten} unbeaten, {once} beaten once"


def _winners(decisions: list[Decision]) -> list[Slot]:
    return [decision.winner for decision in decisions]


def _losers(decisions: list[Decision]) -> list[Slot]:
    return [decision.loser for decision in decisions]
