"""Alpha-beta search with iterative deepening for any game.

A search to some depth returns exactly the value of minimax: the value in a table entry is only used
at the depth it was found at. The best move of an entry is tried first at any depth.

All of it is well known from chess programs: alpha-beta (analysed by Donald Knuth and Ronald Moore,
1975), deepening (David Slate and Lawrence Atkin, CHESS 4.5, 1977), a table of positions (Richard
Greenblatt and others, 1967) and killer moves (Selim Akl and Monroe Newborn, 1977).
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

from gamehall.bots.bot import Budget
from gamehall.bots.search.evaluation import evaluate
from gamehall.core import GamehallError, Position, Seat

WIN = 1_000_000.0
"""The value of a win, less 1 for each move until then, so that a quick win is better."""
DECIDED = WIN / 2
"""Values beyond this are wins, and those below its negative are losses."""
MAX_DEPTH = 64
MAX_ENTRIES = 200_000
KILLERS_PER_PLY = 2


class Bound(Enum):
    EXACT = 0
    AT_LEAST = 1
    AT_MOST = 2


class TranspositionEntry(NamedTuple):
    """What is known of a position."""

    depth: int
    bound: Bound
    value: float
    """The value to the player to move. Moves to a win or loss count from here, not the root."""
    move: Any


class SearchResult(NamedTuple):
    """The best move, its value to the player to move, and the depth of the search."""

    move: Any
    value: float
    depth: int


class _TimeIsUpError(GamehallError):
    """Raised to abort a search."""


class AlphaBeta:
    """A search, with a table of positions that is kept from move to move."""

    def __init__(self, max_entries: int = MAX_ENTRIES) -> None:
        self._max_entries = max_entries
        self._table: dict[Position[Any], TranspositionEntry] = {}
        self._killers: list[list[Any]] = []
        self._budget: Budget | None = None
        self.nodes = 0
        """The number of positions visited so far."""

    def search(
        self, position: Position[Any], budget: Budget, max_depth: int = MAX_DEPTH
    ) -> SearchResult:
        """Return the best move found within the budget. Not checked: that there is a move.

        Depth 1 is always completed: it takes one evaluation for each move.
        """
        result = self.search_to(position, 1)
        self._budget = budget
        try:
            for depth in range(2, max_depth + 1):
                if budget.is_spent or abs(result.value) > DECIDED:
                    break
                result = self._search_root(position, depth)
        except _TimeIsUpError:
            # Use the result of the last depth that was completed.
            pass
        return result

    def search_to(self, position: Position[Any], depth: int) -> SearchResult:
        """Return the best move at this depth, without a time limit."""
        self._budget = None
        return self._search_root(position, depth)

    def _search_root(self, position: Position[Any], depth: int) -> SearchResult:
        self._killers = [[] for _ in range(depth + 1)]
        value = self._value(position, depth, 0, -float("inf"), float("inf"))
        return SearchResult(self._table[position].move, value, depth)

    def _value(
        self, position: Position[Any], depth: int, ply: int, alpha: float, beta: float
    ) -> float:
        """Return the value to the player to move, or a bound if it is outside the window."""
        self.nodes += 1
        if self._budget is not None and self._budget.is_spent:
            raise _TimeIsUpError
        seat = position.to_move
        assert seat is not None
        if depth == 0:
            return evaluate(position, seat)
        entry = self._table.get(position)
        if entry is not None and ply > 0 and entry.depth == depth:
            value = _shifted(entry.value, -ply)
            if entry.bound is Bound.EXACT:
                return value
            if entry.bound is Bound.AT_LEAST and value >= beta:
                return value
            if entry.bound is Bound.AT_MOST and value <= alpha:
                return value
        best, best_move, floor = -float("inf"), None, alpha
        for move in self._ordered(position, entry, ply):
            value = self._value_of_move(position, move, depth, ply, floor, beta)
            if value > best:
                best, best_move = value, move
            floor = max(floor, best)
            if floor >= beta:
                self._add_killer(move, ply)
                break
        bound = Bound.AT_LEAST if best >= beta else Bound.AT_MOST if best <= alpha else Bound.EXACT
        if len(self._table) >= self._max_entries and position not in self._table:
            # A new table fills again quickly, which is cheaper than choosing entries to drop.
            self._table.clear()
        value = _shifted(best, ply)
        self._table[position] = TranspositionEntry(depth, bound, value, best_move)
        return best

    def _value_of_move(
        self, position: Position[Any], move: Any, depth: int, ply: int, alpha: float, beta: float
    ) -> float:
        """Return the value of a move to the player who makes it."""
        seat, after = position.to_move, position.after(move)
        if after.outcome is not None:
            winner = after.outcome.winner
            if winner is None:
                return 0.0
            return WIN - (ply + 1) if winner is seat else ply + 1 - WIN
        if after.to_move is seat:
            return self._value(after, depth - 1, ply + 1, alpha, beta)
        return -self._value(after, depth - 1, ply + 1, -beta, -alpha)

    def _ordered(
        self, position: Position[Any], entry: TranspositionEntry | None, ply: int
    ) -> Sequence[Any]:
        """Return the legal moves, starting with the best of the entry and the killer moves."""
        moves = list(position.legal_moves())
        hints = [] if entry is None else [entry.move]
        hints += self._killers[ply]
        first = [move for move in dict.fromkeys(hints) if move in moves]
        return [*first, *(move for move in moves if move not in first)] if first else moves

    def _add_killer(self, move: Any, ply: int) -> None:
        killers = self._killers[ply]
        if move not in killers:
            killers.insert(0, move)
            del killers[KILLERS_PER_PLY:]


def _shifted(value: float, plies: int) -> float:
    """Return a value whose win or loss is nearer by some plies (farther if negative)."""
    if value > DECIDED:
        return value + plies
    return value - plies if value < -DECIDED else value


def value_to(seat: Seat, position: Position[Any]) -> float:
    """Return the value of a position to a seat, whether the position is over or not."""
    if position.outcome is None:
        return evaluate(position, seat)
    winner = position.outcome.winner
    return 0.0 if winner is None else WIN if winner is seat else -WIN
