"""A bot that buys Heavy Infantry and defeats Cultists, and does nothing else."""

from typing import cast

from gamehall.bots.bot import Bot
from gamehall.core import Position, Seat
from gamehall.games.ascension import AscensionPosition, default_choice
from gamehall.games.ascension.cards import CULTIST, HEAVY_INFANTRY
from gamehall.games.ascension.moves import Acquire, Defeat, EndTurn, Move, Play


class InfantryBot(Bot[Move]):
    """Plays all its cards, then buys and defeats as often as it can: a baseline for others.

    It never looks at the row. A choice, which only a hand that others have given it can ask for, it
    leaves to the default.
    """

    def __init__(self, seed: int = 0) -> None:
        """It leaves nothing to chance: the seed does not matter."""

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        seen = cast("AscensionPosition", position.seen_by(seat))
        if seen.board.pending:
            return default_choice(seen)
        if seen.board.mine.hand:
            return Play(seen.board.mine.hand[0])
        wanted: tuple[Move, ...] = (Acquire(HEAVY_INFANTRY), Defeat(CULTIST))
        legal = set(seen.legal_moves())
        return next((move for move in wanted if move in legal), EndTurn())
