"""What may lie hidden: full positions that look like the one that is seen."""

from collections.abc import Callable
from typing import Any, TypeAlias

from gamehall.bots.ascension.memory import Memory
from gamehall.bots.ascension.worlds import imagined
from gamehall.core import Position
from gamehall.games.ascension import AscensionPosition

Imagine: TypeAlias = Callable[[Position[Any], int], Position[Any]]
"""A full position that looks, to the player to move, like the one that is seen; by a seed."""


def imagine(seen: Position[Any], seed: int) -> Position[Any]:
    """A world for the position of any game; itself where everything lies open.

    What the position does not show is not used, even if it is there.
    """
    if isinstance(seen, AscensionPosition) and seen.to_move is not None:
        memory = Memory()
        view = seen.seen_by(seen.to_move)
        memory.look(view)
        return imagined(view, seen.to_move, memory, seed)
    return seen


def hides_something(position: Position[Any]) -> bool:
    """Whether the player to move does not see all of it."""
    return isinstance(position, AscensionPosition)
