"""The value of a position, and guesses at hidden cards.

Games may bring their own, as methods of their positions. For those of Gamehall, whose evaluations
share code with other bots, they are here.
"""

from typing import Any

from gamehall.bots.ascension.memory import Memory, determinized
from gamehall.bots.connect_four import evaluation as connect_four
from gamehall.bots.santorini import evaluation as santorini
from gamehall.core import Position, Seat
from gamehall.games.ascension import AscensionPosition
from gamehall.games.connect_four import ConnectFourPosition
from gamehall.games.go import GoPosition
from gamehall.games.santorini import SantoriniPosition

VALUE_OF_GO_POINT = 10.0
VALUE_OF_HONOR = 10.0


def evaluate(position: Position[Any], seat: Seat) -> float:
    """Return the value to `seat` of a position that is not over.

    About 100 is a clear lead, and 0 is even.
    """
    match position:
        case ConnectFourPosition():
            return connect_four.evaluate(position, seat)
        case SantoriniPosition():
            return santorini.evaluate(position, seat)
        case GoPosition():
            score, scoring = position.score(), position.terms.scoring
            lead = score.of(seat).total(scoring) - score.of(seat.other).total(scoring)
            return VALUE_OF_GO_POINT * lead
        case AscensionPosition():
            first, second = position.scores()
            return VALUE_OF_HONOR * (first - second if seat is Seat.FIRST else second - first)
        case _:
            return position.estimate(seat)


def determinize(position: Position[Any], seed: int) -> Position[Any]:
    """Return a full position that looks the same to the player to move.

    Information hidden from that player is not used, even if the position contains it.
    """
    if isinstance(position, AscensionPosition) and position.to_move is not None:
        memory = Memory()
        view = position.seen_by(position.to_move)
        memory.look(view)
        return determinized(view, position.to_move, memory, seed)
    if position.has_hidden_information:
        return position.seen_by(position.to_move).determinize(seed)
    return position
