"""What formats have in common in which somebody who loses is out, sooner or later."""

from collections.abc import Generator, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from gamehall.tournaments.formats.staged import Pairing, Score, Stage, StagedFormat

REPLAYS = 3

Slot: TypeAlias = int | None
"""A place in a bracket: who stands there, or nobody."""


class Duel(NamedTuple):
    """Two places of which one goes on; against nobody one goes on without playing."""

    one: Slot
    other: Slot


class Decision(NamedTuple):
    """Who goes on from a duel, and who does not."""

    winner: Slot
    loser: Slot


def seeded(players: int) -> list[Slot]:
    """The first round of a bracket, those side by side meeting: the best two meet last.

    There is nobody in the places of the worst seeds that are missing to a power of two.
    """
    places = [0]
    while len(places) < players:
        last = 2 * len(places) - 1
        places = [seed for place in places for seed in (place, last - place)]
    return [seed if seed < players else None for seed in places]


def duels(slots: Sequence[Slot]) -> list[Duel]:
    """Those side by side meet."""
    return [Duel(*two) for two in zip(slots[::2], slots[1::2], strict=True)]


class EliminationFormat(StagedFormat):
    """A format that goes by duels, each of which has a winner."""

    def decide(
        self, round_number: int, all_duels: Iterable[Duel]
    ) -> Generator[Stage, list[Score], list[Decision]]:
        """Play duels at the same time, to a decision each.

        Those that are tied get one more encounter, up to three times; then the better seed wins.
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
            scores = yield Stage(round_number, pairings)
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
    """Everybody who is there, in the order of seeds."""
    return sorted(player for player in slots if player is not None)
