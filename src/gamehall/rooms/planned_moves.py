"""How what a player would like becomes moves."""

from abc import ABC, abstractmethod
from typing import Generic

from gamehall.core import MoveT, Position
from gamehall.rooms.requests import PlannedMove


class MovePlanner(ABC, Generic[MoveT]):
    """Grants wishes: a wish may be several moves, depending on the position it meets."""

    @abstractmethod
    def before(self, position: Position[MoveT], wish: PlannedMove[MoveT]) -> MoveT | None:
        """A move that is to be made first, whatever becomes of the wish; None: no further one."""

    @abstractmethod
    def moves(self, position: Position[MoveT], wish: PlannedMove[MoveT]) -> list[MoveT]:
        """The moves that make up the wish here. Raises IllegalMove, and then none is made.

        There are none if the wish is granted and changes nothing.
        """

    @abstractmethod
    def turn(self, position: Position[MoveT]) -> int:
        """Which turn it is, from 0."""
