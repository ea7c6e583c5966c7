"""Who plays: so many workers, wherever they are."""

from abc import ABC, abstractmethod

from gamehall.arena.chunk import Chunk, Done


class CannotPlay(Exception):
    """The crew cannot work at all. The text tells a person why, and what to do."""


class WorkerPool(ABC):
    """Plays chunks, several at a time. What is lost with a worker is told, never forgotten."""

    size: int
    """How many workers there are."""

    @property
    @abstractmethod
    def wants_more(self) -> bool:
        """Whether somebody has nothing to do, or soon will."""

    @abstractmethod
    def give(self, chunk: Chunk) -> None:
        """Has a chunk played. Raises CannotPlay."""

    @abstractmethod
    def take(self, seconds: float) -> list[Done]:
        """What has been done since; waits at most so long for the first. Raises CannotPlay."""

    @abstractmethod
    def close(self) -> None:
        """Ends all work at once; what has not been taken is lost."""
