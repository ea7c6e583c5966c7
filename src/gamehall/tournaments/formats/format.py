"""What all formats have in common."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from gamehall.tournaments.tally import Points


class Encounter(NamedTuple):
    """Two who are to meet; `one` has the first move in the first match of it."""

    number: int
    """From 0 on, in the order in which they are known; it stands for this encounter for ever."""
    one: int
    other: int
    round: int = 1
    """From 1 on, for people."""


class Format(ABC):
    """A contest on its way.

    Encounters may be played in any order, and many at a time. What of them counts, and what comes
    next, must not depend on that order.
    """

    name: ClassVar[str]

    @abstractmethod
    def take(self) -> list[Encounter]:
        """What can be played now and was not taken before. More may come once these are noted."""

    @abstractmethod
    def note(self, number: int, points: Points) -> None:
        """What `one` has scored in the encounter of this number, which was taken."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether all is decided; what is still being played then does not count."""

    @property
    @abstractmethod
    def expected(self) -> int | None:
        """How many encounters there will be in all, as far as can be said; None if nobody can."""

    def counts(self, number: int) -> bool:
        """Whether a played encounter counts: some are played ahead and turn out not to be needed.

        True of all, unless a format says otherwise.
        """
        return True

    @abstractmethod
    def ranking(self) -> list[list[int]] | None:
        """Everybody by what the format itself decides, the best first, equals together.

        None if it decides nothing, and only the scores count.
        """

    @abstractmethod
    def remark(self) -> str:
        """How it stands beyond the scores, in a line for people; empty if there is nothing."""
