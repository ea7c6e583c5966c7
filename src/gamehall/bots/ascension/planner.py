"""The strong bot: it plans its turn, and near the end compares moves by playouts."""

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from typing import cast

from gamehall.bots.ascension.appraisal import WEIGHTS, Owned, Situation, Weights
from gamehall.bots.ascension.habits import habitual_move, ranked_moves, use_of_cards
from gamehall.bots.ascension.memory import Memory, determinized
from gamehall.bots.bot import Bot, Budget, Clock
from gamehall.core import Position, Seat, SeededRandom
from gamehall.games.ascension import AscensionPosition, CardName, Move

FEWEST_WORLDS, MOST_WORLDS = 4, 16
MOST_MOVES = 400
"""After so many a match that does not come to its end is judged as it stands."""

WIN_CERTAINTY = 1.0
"""By how many standard errors a move must be better than the habitual one to take its place."""


class Comparison:
    """Several moves, and how the match goes on after each, in the same worlds for all of them."""

    def __init__(self, moves: Sequence[Move], seat: Seat, weights: Weights) -> None:
        """The first of the moves is the habitual one; the others must prove better."""
        self._moves = moves
        self._seat = seat
        self._weights = weights
        self._leads: list[list[float]] = [[] for _ in moves]
        """By how much each has come out better than the first, world by world."""
        self._is_close = False

    def best(self, worlds: Callable[[], AscensionPosition], budget: Budget) -> Move:
        """Return the best move, as far as can be told in the budget.

        `worlds` gives one after another.
        """
        for number in range(MOST_WORLDS):
            if budget.is_spent or (number >= FEWEST_WORLDS and not self._is_close):
                break
            self._play(worlds(), budget)
        sure = [_sure_lead(leads) for leads in self._leads]
        return self._moves[max(range(len(sure)), key=sure.__getitem__)]

    def _play(self, world: AscensionPosition, budget: Budget) -> None:
        results = [
            result_for(played_out(world.after(move), self._weights, budget), self._seat)
            for move in self._moves
        ]
        if budget.is_spent:
            # Not all was played to its end, and what was not cannot be compared.
            return
        if max(results) - min(results) > 0.5:
            self._is_close = True
        for leads, result in zip(self._leads, results, strict=True):
            leads.append(result - results[0])


def played_out(position: AscensionPosition, weights: Weights, budget: Budget) -> AscensionPosition:
    """Return where the match leads if both play as they are used to. Nothing may be hidden.

    It may stop on the way: after many moves, and when the budget is spent.
    """
    for _ in range(MOST_MOVES):
        if position.to_move is None or budget.is_spent:
            break
        move = habitual_move(position, partial(_owned, position), weights)
        position = position.after(move)
    return position


def result_for(position: AscensionPosition, seat: Seat) -> float:
    """1 for a win, 0 for a loss, and up to a tenth more or less for the margin."""
    first, second = position.scores()
    margin = first - second if seat is Seat.FIRST else second - first
    winner = position.outcome.winner if position.outcome else None
    won = 0.5 if winner is None else float(winner is seat)
    return won + 0.1 * margin / (10 + abs(margin))


def _sure_lead(leads: Sequence[float]) -> float:
    """Return the mean, less what may be chance; 0 if nothing is known."""
    count = len(leads)
    if count < FEWEST_WORLDS:
        return 0.0
    mean = sum(leads) / count
    variance = sum((lead - mean) ** 2 for lead in leads) / (count - 1)
    return mean - WIN_CERTAINTY * sqrt(variance / count)


def _owned(position: AscensionPosition) -> Owned:
    return {seat: _counted(position.board.side(seat).cards) for seat in Seat}


def _counted(cards: Sequence[CardName]) -> dict[CardName, int]:
    counts: dict[CardName, int] = {}
    for name in cards:
        counts[name] = counts.get(name, 0) + 1
    return counts


MOST_MOVES_COMPARED = 3


class PlannerBot(Bot[Move]):
    """Plays all its cards in a sensible order, then spends what it has on what is worth the most.

    What a card is worth follows from what it gives, from how often it will be drawn in the rounds
    that are left, and from the honor printed on it. When few rounds are left, it compares the best
    plans by playing the match out in worlds that look like the one it sees. It goes by nothing but
    what its seat has seen, and remembers whose the cards are that lie hidden now.

    How many moves and worlds are compared is counted; the time only bounds it.
    """

    def __init__(
        self,
        seed: int,
        clock: Clock,
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
        moves = ranked_moves(situation, MOST_MOVES_COMPARED if is_near_end else 1)
        if len(moves) == 1:
            return moves[0]
        comparison = Comparison(moves, seat, self._weights)
        return comparison.best(
            lambda: determinized(seen, seat, self._memory, self._rng.seed()), budget
        )
