"""The interface of tournament formats."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from gamehall.tournaments.tally import Points


class Encounter(NamedTuple):
    """Two players who meet; `one` begins the first match."""

    number: int
    """Identifies the encounter; from 0 on."""
    one: int
    other: int
    round: int = 1
    """From 1 on; only for display."""


class Format(ABC):
    """A tournament in progress.

    Encounters may be played in any order, and many at the same time. Which of them count, and which
    come next, must not depend on that order.
    """

    name: ClassVar[str]
    terms: "FormatTerms"

    @abstractmethod
    def take(self) -> list[Encounter]:
        """Return the encounters that can be played now and were not returned before."""

    @abstractmethod
    def note(self, number: int, points: Points) -> None:
        """Note the points of `one` in an encounter. Raises ValueError if it was not taken."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True if the tournament is decided; encounters still being played do not count."""

    @property
    @abstractmethod
    def expected(self) -> int | None:
        """The total number of encounters, None if unknown."""

    def counts(self, number: int) -> bool:
        """Return True if a played encounter counts; some are played ahead and not needed."""
        return True

    def ranking(self) -> list[list[int]] | None:
        """Return the players as the format ranks them, the best first, equals together.

        None if only the scores count.
        """
        return None

    def remark(self) -> str:
        """Return a line about the state of the tournament, for people; may be empty."""
        return ""

    def _check(self, number: int, points: Points, is_expected: bool) -> None:
        """Raise ValueError if a result cannot be noted."""
        if not is_expected:
            raise ValueError(f"encounter {number} was not taken, or is noted already")
        if len(points) != self.terms.matches_per_encounter:
            raise ValueError(f"encounter {number} has other matches than {points}")


@dataclass(frozen=True, slots=True)
class FormatTerms:
    """The number of players and the matches of a pairing. Raises ValueError if they are invalid."""

    players: int
    games: int
    """The number of matches of a pairing."""
    in_pairs: bool
    """Whether an encounter is two matches with swapped seats, and not one match."""

    def __post_init__(self) -> None:
        if self.players < 2:
            raise ValueError(f"there must be at least 2 players, not {self.players}")
        if self.games < 1:
            raise ValueError(f"a pairing needs at least 1 game, not {self.games}")
        if self.in_pairs and self.games % 2:
            raise ValueError(
                f"with swapped seats the number of games must be even, not {self.games}"
            )

    @property
    def matches_per_encounter(self) -> int:
        return 2 if self.in_pairs else 1

    @property
    def encounters_per_pairing(self) -> int:
        return self.games // self.matches_per_encounter


def places(values: Sequence[Any]) -> list[list[int]]:
    """Rank players by a comparable value of each, the highest first, equals together.

    Equals are in the order of their numbers.
    """

    def of(player: int) -> Any:
        return values[player]

    best_first = sorted(range(len(values)), key=of, reverse=True)
    return [list(equals) for _, equals in groupby(best_first, key=of)]
