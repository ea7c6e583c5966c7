"""The strong bot: it appraises, plans its turn, and near the end plays the match out in mind."""

from typing import cast

from gamehall.bots.ascension.habits import ranked_moves, use_of_cards
from gamehall.bots.ascension.memory import Memory
from gamehall.bots.ascension.rollouts import Comparison
from gamehall.bots.ascension.situation import Situation
from gamehall.bots.ascension.weights import WEIGHTS, Weights
from gamehall.bots.ascension.worlds import imagined
from gamehall.bots.bot import Bot
from gamehall.bots.thinking import Budget, Clock
from gamehall.core import Position, Seat, SeededRandom
from gamehall.games.ascension import AscensionPosition, Move

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
        self._shuffler = SeededRandom(seed)
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
            lambda: imagined(seen, seat, self._memory, self._shuffler.seed()), budget
        )
