"""Alpha-beta search of any game, deeper and deeper as long as there is time.

A search to a depth says exactly what minimax says to that depth: what is remembered of a position
is only used for the depth it was found at. Which move was best there is worth trying first at any.

All of it is well known from chess programs: alpha-beta (analysed by Donald Knuth and Ronald Moore,
1975), deepening (David Slate and Lawrence Atkin, CHESS 4.5, 1977), a table of positions (Richard
Greenblatt and others, 1967) and killer moves (Selim Akl and Monroe Newborn, 1977).
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

from gamehall.bots.bot import Budget
from gamehall.bots.search.evaluation import Evaluation
from gamehall.core import GamehallError, Position, Seat

WIN = 1_000_000.0
"""What it is worth to have won; each move on the way takes 1 off, so sooner is better."""
SURELY_DECIDED = WIN / 2
"""Beyond this, either way, the end was seen."""
DEEPEST = 64
MOST_ENTRIES = 200_000
KILLERS_PER_PLY = 2


class Bound(Enum):
    """How the value of an entry is meant."""

    EXACT = 0
    AT_LEAST = 1
    AT_MOST = 2


class TranspositionEntry(NamedTuple):
    """What is remembered of a position: its value to the player to move, at a depth."""

    depth: int
    bound: Bound
    value: float
    """Wins and losses are counted from this position on, not from the root."""
    move: Any


class SearchResult(NamedTuple):
    """What a search has come to: the best move, its value to the player to move, how deep."""

    move: Any
    value: float
    depth: int


class _TimeIsUpError(GamehallError):
    """The search is broken off; what deeper levels have not settled is dropped."""


class AlphaBeta:
    """A search, and what it remembers from one move of a match to the next."""

    def __init__(self, evaluate: Evaluation, most_entries: int = MOST_ENTRIES) -> None:
        """`most_entries`: how many positions are remembered at most."""
        self._evaluate = evaluate
        self._most_entries = most_entries
        self._table: dict[Position[Any], TranspositionEntry] = {}
        self._killers: list[list[Any]] = []
        self._budget: Budget | None = None
        self.nodes = 0
        """How many positions were looked at so far."""

    def search(
        self, position: Position[Any], budget: Budget, deepest: int = DEEPEST
    ) -> SearchResult:
        """Return the best move that is found in time. Not checked: that there is a move.

        The first level is always finished: it takes one evaluation for each move.
        """
        finding = self.search_to(position, 1)
        self._budget = budget
        try:
            for depth in range(2, deepest + 1):
                if budget.is_spent or abs(finding.value) > SURELY_DECIDED:
                    break
                finding = self._search_root(position, depth)
        except _TimeIsUpError:
            # The level before has been finished, and its move stands.
            pass
        finally:
            self._budget = None
        return finding

    def search_to(self, position: Position[Any], depth: int) -> SearchResult:
        """Return the best move at this depth, however long it takes.

        Not checked: that there is one.
        """
        self._budget = None
        return self._search_root(position, depth)

    def _search_root(self, position: Position[Any], depth: int) -> SearchResult:
        self._killers = [[] for _ in range(depth + 1)]
        value = self._value(position, depth, 0, -float("inf"), float("inf"))
        return SearchResult(self._table[position].move, value, depth)

    def _value(
        self, position: Position[Any], depth: int, ply: int, alpha: float, beta: float
    ) -> float:
        """The value to the player to move, who has not lost yet, or a bound beyond the window."""
        self.nodes += 1
        if self._budget is not None and self._budget.is_spent:
            raise _TimeIsUpError
        seat = position.to_move
        assert seat is not None
        if depth == 0:
            return self._evaluate(position, seat)
        entry = self._table.get(position)
        if entry is not None and ply > 0 and entry.depth == depth:
            value = _from_root(entry.value, ply)
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
                self._note_killer(move, ply)
                break
        bound = Bound.AT_LEAST if best >= beta else Bound.AT_MOST if best <= alpha else Bound.EXACT
        self._remember(
            position,
            TranspositionEntry(
                depth=depth, bound=bound, value=_from_here(best, ply), move=best_move
            ),
        )
        return best

    def _value_of_move(
        self, position: Position[Any], move: Any, depth: int, ply: int, alpha: float, beta: float
    ) -> float:
        """Return what a move is worth to the one who makes it."""
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
        """Return the legal moves; first those that were good before, here or beside."""
        moves = list(position.legal_moves())
        hints = [] if entry is None else [entry.move]
        hints += self._killers[ply]
        first = [move for move in dict.fromkeys(hints) if move in moves]
        return [*first, *(move for move in moves if move not in first)] if first else moves

    def _note_killer(self, move: Any, ply: int) -> None:
        killers = self._killers[ply]
        if move not in killers:
            killers.insert(0, move)
            del killers[KILLERS_PER_PLY:]

    def _remember(self, position: Position[Any], entry: TranspositionEntry) -> None:
        if len(self._table) >= self._most_entries and position not in self._table:
            # To begin anew is cheap: what is needed again is soon found again.
            self._table.clear()
        self._table[position] = entry


def _from_here(value: float, ply: int) -> float:
    """A win or loss that was counted from the root, counted from a position so far below it."""
    if value > SURELY_DECIDED:
        return value + ply
    return value - ply if value < -SURELY_DECIDED else value


def _from_root(value: float, ply: int) -> float:
    """A win or loss that was counted from a position so far below the root, counted from there."""
    if value > SURELY_DECIDED:
        return value - ply
    return value + ply if value < -SURELY_DECIDED else value


def value_to(seat: Seat, position: Position[Any], evaluate: Evaluation) -> float:
    """Return what a position is worth to a seat, whoever is to move and even if it is over."""
    if position.outcome is None:
        return evaluate(position, seat)
    winner = position.outcome.winner
    return 0.0 if winner is None else WIN if winner is seat else -WIN
