"""The strong bot: it plans its turn, and near the end compares moves by playouts."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from typing import cast

from gamehall.bots.ascension.appraisal import WEIGHTS, Owned, Situation, Weights
from gamehall.bots.ascension.habits import habitual_move, ranked_moves, use_of_cards
from gamehall.bots.ascension.memory import Memory, determinized
from gamehall.bots.bot import Bot, Budget, TimeSource
from gamehall.core import Position, Seat, SeededRandom
from gamehall.games.ascension import AscensionPosition, Move

MIN_WORLDS, MAX_WORLDS = 4, 16
MAX_MOVES = 400
"""A playout that takes longer is evaluated as it stands."""

WIN_CERTAINTY = 1.0
"""A move replaces the habitual one if it is better by more than this many standard errors."""


def best_by_playouts(
    moves: Sequence[Move],
    seat: Seat,
    worlds: Callable[[], AscensionPosition],
    weights: Weights,
    budget: Budget,
) -> Move:
    """Compare moves by playing the match out after each, in the same determinizations.

    The first move is the habitual one, and the others must prove better. `worlds` returns a new
    determinization with each call.
    """
    leads: list[list[float]] = [[] for _ in moves]
    is_close = False
    for number in range(MAX_WORLDS):
        if budget.is_spent or (number >= MIN_WORLDS and not is_close):
            break
        world = worlds()
        ends = [play_out(world.after(move), weights, budget) for move in moves]
        if budget.is_spent:
            # Playouts that were stopped cannot be compared.
            break
        results = [result_of(end, seat) for end in ends]
        is_close = is_close or max(results) - min(results) > 0.5
        for of_move, result in zip(leads, results, strict=True):
            of_move.append(result - results[0])
    sure_leads = [_sure_lead(of_move) for of_move in leads]
    return moves[sure_leads.index(max(sure_leads))]


def play_out(position: AscensionPosition, weights: Weights, budget: Budget) -> AscensionPosition:
    """Play on with habitual moves, and return the last position. Nothing may be hidden.

    It stops early after many moves, and when the budget is spent.
    """
    for _ in range(MAX_MOVES):
        if position.to_move is None or budget.is_spent:
            break
        move = habitual_move(position, partial(_owned, position), weights)
        position = position.after(move)
    return position


def result_of(position: AscensionPosition, seat: Seat) -> float:
    """Return 1 for a win, 0 for a loss, 0.5 otherwise, with up to 0.1 added for the margin."""
    first, second = position.scores()
    margin = first - second if seat is Seat.FIRST else second - first
    winner = position.outcome.winner if position.outcome else None
    won = 0.5 if winner is None else float(winner is seat)
    return won + 0.1 * margin / (10 + abs(margin))


def _sure_lead(leads: Sequence[float]) -> float:
    """Return the mean lead less its standard error, or 0 if there are too few playouts."""
    count = len(leads)
    if count < MIN_WORLDS:
        return 0.0
    mean = sum(leads) / count
    variance = sum((lead - mean) ** 2 for lead in leads) / (count - 1)
    return mean - WIN_CERTAINTY * sqrt(variance / count)


def _owned(position: AscensionPosition) -> Owned:
    return {seat: Counter(position.board.side(seat).cards) for seat in Seat}


MAX_MOVES_COMPARED = 3


class PlannerBot(Bot[Move]):
    """Plays all its cards in a sensible order, then spends its runes and power on the best plan.

    The value of a card follows from its yield, from how often it will be drawn in the rounds left,
    and from its honor. When few rounds are left, the bot compares the best plans by playouts. It
    only uses what its seat has seen, and remembers the owners of hidden cards.

    The number of moves and playouts is limited, so that the time is only an upper bound.
    """

    def __init__(
        self,
        seed: int,
        clock: TimeSource,
        seconds_per_move: float = 0.2,
        weights: Weights = WEIGHTS,
        rounds_to_play_out: float = 1.0,
    ) -> None:
        self._rng = SeededRandom(seed)
        self._clock = clock
        self._seconds_per_move = seconds_per_move
        self._weights = weights
        self._rounds_to_play_out = rounds_to_play_out
        self._memory = Memory()

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        budget = Budget(self._clock, self._seconds_per_move, seconds_left)
        seen = cast("AscensionPosition", position.seen_by(seat))
        self._memory.look(seen)
        used = None if seen.board.pending else use_of_cards(seen.board)
        if used:
            return used
        situation = Situation(seen, self._memory.owned(), self._weights)
        is_near_end = situation.rounds <= self._rounds_to_play_out
        moves = ranked_moves(situation, MAX_MOVES_COMPARED if is_near_end else 1)
        if len(moves) == 1:
            return moves[0]
        return best_by_playouts(
            moves,
            seat,
            worlds=lambda: determinized(seen, seat, self._memory, self._rng.seed()),
            weights=self._weights,
            budget=budget,
        )
