"""What all tournament formats have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from gamehall.tournaments.standings import Points


class Encounter(NamedTuple):
    """Two players who are to meet; `one` has the first move in the first match."""

    number: int
    """From 0 on, in the order in which they become known; identifies the encounter for good."""
    one: int
    other: int
    round: int = 1
    """From 1 on, for people."""


class Format(ABC):
    """A tournament in progress.

    Encounters may be played in any order, and many at a time. Which of them count, and which come
    next, must not depend on that order.
    """

    name: ClassVar[str]

    @abstractmethod
    def take(self) -> list[Encounter]:
        """Return the encounters that can be played now and were not returned before."""

    @abstractmethod
    def note(self, number: int, points: Points) -> None:
        """Note what `one` has scored in the encounter of this number, which was taken."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True if all is decided; what is still being played then does not count."""

    @property
    @abstractmethod
    def expected(self) -> int | None:
        """How many encounters there will be in all, as far as that is known; None if it is not."""

    def counts(self, number: int) -> bool:
        """Return True if a played encounter counts; some are played ahead and not needed."""
        return True

    @abstractmethod
    def ranking(self) -> list[list[int]] | None:
        """Return the players as the format ranks them, the best first, equals together.

        None if it does not rank them, and only the scores count.
        """

    @abstractmethod
    def remark(self) -> str:
        """Return the state beyond the scores in a line for people; empty if there is nothing."""


@dataclass(frozen=True, slots=True)
class FormatTerms:
    """How many players there are, and of what the meetings of two of them consist.

    Raises ValueError if nobody could play like that.
    """

    players: int
    games: int
    """How many matches two who are paired play."""
    in_pairs: bool
    """Whether an encounter is two matches with the seats swapped, and not one."""

    def __post_init__(self) -> None:
        if self.players < 2:
            raise ValueError(f"it takes at least 2 players, not {self.players}")
        if self.games < 1:
            raise ValueError(f"a pairing needs at least 1 game, not {self.games}")
        if self.in_pairs and self.games % 2:
            raise ValueError(
                f"with swapped seats the number of games must be even, not {self.games}: "
                f"ask for {self.games + 1}, or for single games"
            )

    @property
    def matches_per_encounter(self) -> int:
        """One match, or two with the seats swapped."""
        return 2 if self.in_pairs else 1

    @property
    def encounters_per_pairing(self) -> int:
        """How many encounters the games of a pairing make."""
        return self.games // self.matches_per_encounter


def places(reached: Sequence[Any]) -> list[list[int]]:
    """Rank the players by what each has reached, the most first, equals together.

    `reached` has a comparable value for each player; equals come in the order in which they
    are numbered.
    """

    def of(player: int) -> Any:
        return reached[player]

    best_first = sorted(range(len(reached)), key=of, reverse=True)
    return [list(equals) for _, equals in groupby(best_first, key=of)]
