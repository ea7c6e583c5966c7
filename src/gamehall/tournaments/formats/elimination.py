"""Formats in which a player is out after one loss, or after two."""

from collections.abc import Generator, Iterable, Sequence
from typing import ClassVar, NamedTuple, TypeAlias

from gamehall.tournaments.formats.staged import (
    Course,
    Pairing,
    PairingScore,
    StagedFormat,
    TournamentStage,
)

REPLAYS = 3

Slot: TypeAlias = int | None
"""A place in a bracket: a player, or None."""


class Duel(NamedTuple):
    """Two slots, of which one advances; against None a player advances without a match."""

    one: Slot
    other: Slot


class Decision(NamedTuple):
    """The result of a duel."""

    winner: Slot
    loser: Slot


def seeded(players: int) -> list[Slot]:
    """Return the first round of a bracket in which the best two seeds meet last.

    Adjacent slots meet. If the number of players is not a power of two, some slots are None.
    """
    places = [0]
    while len(places) < players:
        last = 2 * len(places) - 1
        places = [seed for place in places for seed in (place, last - place)]
    return [seed if seed < players else None for seed in places]


def duels(slots: Sequence[Slot]) -> list[Duel]:
    """Return the duels of adjacent slots."""
    return [Duel(*two) for two in zip(slots[::2], slots[1::2], strict=True)]


class EliminationFormat(StagedFormat):
    """A format of duels, each of which has a winner."""

    def decide(
        self, round_number: int, all_duels: Iterable[Duel]
    ) -> Generator[TournamentStage, list[PairingScore], list[Decision]]:
        """Play duels at the same time until all are decided.

        A tied duel gets one more encounter, up to REPLAYS times; then the better seed wins.
        """
        decisions = [
            Decision(other, one) if one is None else Decision(one, other)
            for one, other in all_duels
        ]
        undecided = [
            place
            for place, (one, other) in enumerate(decisions)
            if one is not None and other is not None
        ]
        encounters = self.terms.encounters_per_pairing
        for _ in range(1 + REPLAYS):
            if not undecided:
                break
            pairings = [
                Pairing(one, other, encounters)
                for one, other in (decisions[place] for place in undecided)
                if one is not None and other is not None
            ]
            scores = yield TournamentStage(round_number, pairings)
            for place, (one, other, _), score in zip(undecided, pairings, scores, strict=True):
                is_for_other = other < one if score.one == score.other else score.other > score.one
                decisions[place] = Decision(other, one) if is_for_other else Decision(one, other)
            undecided = [
                place
                for place, score in zip(undecided, scores, strict=True)
                if score.one == score.other
            ]
            encounters = 1
        return decisions


def players_in(slots: Iterable[Slot]) -> list[int]:
    """Return the players in these slots, in the order of seeds."""
    return sorted(player for player in slots if player is not None)


class Knockout(EliminationFormat):
    """A bracket in which the best seeds meet last.

    If slots are left over, the best seeds skip the first round. There is no match for third place.
    """

    name: ClassVar[str] = "knockout"

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        super().__init__(players, games, in_pairs)
        self._out: list[list[int]] = []
        """The players who have lost, by round."""
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


class DoubleElimination(EliminationFormat):
    """A bracket whose losers continue in a second one, and are out when they lose there.

    At the end the winners of both brackets meet. If the winner of the second bracket wins, both
    have lost once, and they meet again.
    """

    name: ClassVar[str] = "double-elimination"

    def __init__(self, players: int, games: int, in_pairs: bool) -> None:
        super().__init__(players, games, in_pairs)
        self._losses = [0] * players
        self._out: list[list[int]] = []
        """The players who are out, by stage."""
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
            # The upper bracket continues while its former losers meet each other.
            upper_duels, lower_duels = duels(upper), duels(lower)
            decisions = yield from self._play(number, [*upper_duels, *lower_duels])
            of_upper, of_lower = decisions[: len(upper_duels)], decisions[len(upper_duels) :]
            upper, fallen = _winners(of_upper), _losers(of_upper)
            number += 1
            # In reverse order, so that players who have just met do not meet again at once.
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
    ) -> Generator[TournamentStage, list[PairingScore], list[Decision]]:
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
        # All players but one lose twice; the last one may lose once, and then there is a reset.
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
