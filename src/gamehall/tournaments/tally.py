"""What was scored so far, summed up: so much as ratings and tests need, and no single matches.

Players are numbers from 0 on. An encounter is one match of two of them, or a pair of matches that
begin alike with the seats swapped; what such a pair comes to is one observation, not two, since its
matches have much in common.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

WIN, DRAW, LOSS = 1.0, 0.5, 0.0

Points: TypeAlias = tuple[float, ...]
"""What one of two players has scored in each match of an encounter: WIN, DRAW or LOSS."""


class Meeting(NamedTuple):
    """An encounter that was played: two players, and the points of `one` in each match."""

    one: int
    other: int
    points: Points


class Tally:
    """How often which pair of players has scored what."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.meetings: dict[tuple[int, int], Counter[Points]] = {}
        """For each pair, the smaller number first, the points of that one."""

    def add(self, meeting: Meeting, times: int = 1) -> None:
        """An encounter has been played, or, with -1, does not count any more."""
        one, other, points = meeting
        if one > other:
            one, other, points = other, one, tuple(WIN - point for point in points)
        self.meetings.setdefault((one, other), Counter())[points] += times

    def matches_of(self, one: int, other: int) -> int:
        """How many matches the two have played."""
        return sum(len(points) * times for points, times in self._of(one, other).items())

    def score_of(self, one: int, other: int) -> float:
        """What `one` has scored against the other."""
        first, second = min(one, other), max(one, other)
        score = sum(sum(points) * times for points, times in self._of(first, second).items())
        return score if one == first else self.matches_of(one, other) - score

    def _of(self, one: int, other: int) -> Counter[Points]:
        return self.meetings.get((min(one, other), max(one, other)), Counter())


def score(points: Sequence[float]) -> float:
    """The share that was scored, from 0 to 1."""
    return sum(points) / len(points)
