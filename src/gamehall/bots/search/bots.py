"""Bots that play any game."""

from typing import Any

from gamehall.bots.bot import Bot, Budget, TimeSource
from gamehall.bots.search.alpha_beta import MAX_DEPTH, AlphaBeta, value_to
from gamehall.bots.search.evaluation import determinize
from gamehall.bots.search.mcts import Mcts
from gamehall.core import Position, Seat, SeededRandom


class AlphaBetaBot(Bot[Any]):
    """Searches with alpha-beta. Hidden cards are guessed once per move."""

    def __init__(
        self,
        seed: int,
        clock: TimeSource,
        seconds_per_move: float = 1.0,
        max_depth: int = MAX_DEPTH,
    ) -> None:
        self._rng = SeededRandom(seed)
        self._clock = clock
        self._seconds = seconds_per_move
        self._max_depth = max_depth
        self._search = AlphaBeta()

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        budget = Budget(self._clock, self._seconds, seconds_left)
        guess = determinize(position, self._rng.seed())
        return self._search.search(guess, budget, self._max_depth).move


class MctsBot(Bot[Any]):
    """Searches with MCTS. Hidden cards are guessed anew for each playout."""

    def __init__(self, seed: int, clock: TimeSource, seconds_per_move: float = 1.0) -> None:
        self._clock = clock
        self._seconds = seconds_per_move
        self._search = Mcts(SeededRandom(seed))

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        return self._search.best_move(position, Budget(self._clock, self._seconds, seconds_left))


class GreedyBot(Bot[Any]):
    """Makes the move that leads to the position of the highest value, at random among equals."""

    def __init__(self, seed: int) -> None:
        self._rng = SeededRandom(seed)

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        guess = determinize(position, self._rng.seed())
        moves = list(guess.legal_moves())
        values = [value_to(seat, guess.after(move)) for move in moves]
        best = max(values)
        ranked = zip(moves, values, strict=True)
        return self._rng.pick([move for move, value in ranked if value == best])
