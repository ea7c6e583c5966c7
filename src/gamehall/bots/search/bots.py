"""Bots that play any game by looking ahead, one move or many."""

from typing import Any

from gamehall.bots.bot import Bot, Budget, Clock
from gamehall.bots.search.alpha_beta import DEEPEST, AlphaBeta, value_to
from gamehall.bots.search.evaluation import Evaluation, Imagine, evaluate, hides_something, imagine
from gamehall.bots.search.mcts import Mcts, random_rollout
from gamehall.core import Position, Seat, SeededRandom

ROLLOUT_MOVES = 30
RAVE_GAMES = 100.0


class AlphaBetaBot(Bot[Any]):
    """Looks at all moves, deeper and deeper. Where cards lie hidden, it looks at one world only."""

    def __init__(
        self,
        seed: int,
        clock: Clock,
        seconds_per_move: float = 1.0,
        *,
        evaluation: Evaluation = evaluate,
        imagination: Imagine = imagine,
        deepest: int = DEEPEST,
    ) -> None:
        self._shuffler = SeededRandom(seed)
        self._clock = clock
        self._seconds = seconds_per_move
        self._imagine = imagination
        self._deepest = deepest
        self._search = AlphaBeta(evaluation)

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        budget = Budget(self._clock, self._seconds, seconds_left)
        world = self._imagine(position, self._shuffler.seed())
        return self._search.search(world, budget, self._deepest).move


class MctsBot(Bot[Any]):
    """Plays on at random, oftener where it went well. Where cards lie hidden, in many worlds."""

    def __init__(
        self,
        seed: int,
        clock: Clock,
        seconds_per_move: float = 1.0,
        *,
        evaluation: Evaluation = evaluate,
        imagination: Imagine = imagine,
        rollout_moves: int = ROLLOUT_MOVES,
        rave_games: float = RAVE_GAMES,
    ) -> None:
        self._clock = clock
        self._seconds = seconds_per_move
        shuffler, rollout = SeededRandom(seed), random_rollout(rollout_moves)
        self._open = Mcts(evaluation, rollout, shuffler, rave_games=rave_games)
        self._hidden = Mcts(
            evaluate=evaluation,
            rollout=rollout,
            shuffler=shuffler,
            imagine=imagination,
            rave_games=rave_games,
        )

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        budget = Budget(self._clock, self._seconds, seconds_left)
        search = self._hidden if hides_something(position) else self._open
        return search.best_move(position, budget)


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
