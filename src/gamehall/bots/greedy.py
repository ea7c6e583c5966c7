"""A bot that does not look ahead further than its own move, in any game."""

from typing import Any

from gamehall.bots.bot import Bot
from gamehall.bots.search.alpha_beta import value_to
from gamehall.bots.search.evaluation import Evaluation, evaluate
from gamehall.bots.search.worlds import Imagine, imagine
from gamehall.core import Position, Seat, SeededRandom


class GreedyBot(Bot[Any]):
    """Makes the move after which the position is worth most; among equals any."""

    def __init__(
        self, seed: int, *, evaluation: Evaluation = evaluate, imagination: Imagine = imagine
    ) -> None:
        self._shuffler = SeededRandom(seed)
        self._evaluate = evaluation
        self._imagine = imagination

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        world = self._imagine(position, self._shuffler.seed())
        moves = list(world.legal_moves())
        values = [value_to(seat, world.after(move), self._evaluate) for move in moves]
        best = max(values)
        equals = zip(moves, values, strict=True)
        return self._shuffler.pick([move for move, value in equals if value == best])
