"""The scores of each pair of players in an arena."""

from collections import Counter
from typing import NamedTuple, TypeAlias

WIN, DRAW, LOSS = 1.0, 0.5, 0.0

Points: TypeAlias = tuple[float, ...]
"""The score of one of two players in each match of an encounter: WIN, DRAW or LOSS."""


class EncounterResult(NamedTuple):
    """A played encounter: two players, and the points of `one` in each match."""

    one: int
    other: int
    points: Points


class Tally:
    """Counts the scores of each pair of players, for ratings and tests.

    Players are numbers from 0 on. An encounter is a single match, or a pair of matches with the
    same opening and swapped seats. Such a pair counts as one observation and not as two, because
    its matches are not independent.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        self.results: dict[tuple[int, int], Counter[Points]] = {}
        """By pair, the smaller number first: how often that player has scored which points."""

    def add(self, result: EncounterResult, times: int = 1) -> None:
        """Add an encounter; remove one if `times` is -1."""
        one, other, points = result
        if one > other:
            one, other, points = other, one, tuple(WIN - point for point in points)
        self.results.setdefault((one, other), Counter())[points] += times

    def matches_of(self, one: int, other: int) -> int:
        """Return how many matches the two have played."""
        return sum(len(points) * times for points, times in self._of(one, other).items())

    def score_of(self, one: int, other: int) -> float:
        """Return the total score of `one` against `other`."""
        first, second = min(one, other), max(one, other)
        score = sum(sum(points) * times for points, times in self._of(first, second).items())
        return score if one == first else self.matches_of(one, other) - score

    def _of(self, one: int, other: int) -> Counter[Points]:
        return self.results.get((min(one, other), max(one, other)), Counter())
