"""What searches know of particular games: the worth of a position, and what may be hidden."""

from collections.abc import Callable
from typing import Any, TypeAlias

from gamehall.bots.ascension.memory import Memory, imagined
from gamehall.bots.connect_four import evaluation as connect_four
from gamehall.bots.santorini import evaluation as santorini
from gamehall.core import Position, Seat
from gamehall.games.ascension import AscensionPosition
from gamehall.games.connect_four import ConnectFourPosition
from gamehall.games.go import GoPosition
from gamehall.games.santorini import SantoriniPosition

Evaluation: TypeAlias = Callable[[Position[Any], Seat], float]
"""The worth of a position that is not over, to that seat: 100 is a clear lead, 0 is even."""

POINT_OF_GO = 10.0
POINT_OF_HONOR = 10.0


def evaluate(position: Position[Any], seat: Seat) -> float:
    """Return the worth of a position of any game that has an evaluation; 0 where there is none."""
    match position:
        case ConnectFourPosition():
            return connect_four.evaluate(position, seat)
        case SantoriniPosition():
            return santorini.evaluate(position, seat)
        case GoPosition():
            score, scoring = position.score(), position.terms.scoring
            lead = score.of(seat).total(scoring) - score.of(seat.other).total(scoring)
            return POINT_OF_GO * lead
        case AscensionPosition():
            first, second = position.scores()
            return POINT_OF_HONOR * (first - second if seat is Seat.FIRST else second - first)
        case _:
            return 0.0


Imagine: TypeAlias = Callable[[Position[Any], int], Position[Any]]
"""A full position that looks, to the player to move, like the one that is seen; by a seed."""


def imagine(seen: Position[Any], seed: int) -> Position[Any]:
    """Return a world for the position of any game; itself where everything lies open.

    What the position does not show is not used, even if it is there.
    """
    if isinstance(seen, AscensionPosition) and seen.to_move is not None:
        memory = Memory()
        view = seen.seen_by(seen.to_move)
        memory.look(view)
        return imagined(view, seen.to_move, memory, seed)
    return seen


def hides_something(position: Position[Any]) -> bool:
    """Return True if the player to move does not see all of it."""
    return isinstance(position, AscensionPosition)
