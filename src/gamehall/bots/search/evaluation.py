"""What a position is worth to a player, as far as can be said without looking ahead."""

from collections.abc import Callable
from typing import Any, TypeAlias

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
    """The worth of a position of any game that has an evaluation; 0 where there is none."""
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
