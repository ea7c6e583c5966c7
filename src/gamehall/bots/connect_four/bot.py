"""The bot that solves Connect Four, by narrowing the bounds of each move's score."""

from dataclasses import dataclass

from gamehall.bots.bot import Bot, BotError, Budget, ShouldStop, TimeSource
from gamehall.bots.compiled import bit_count
from gamehall.bots.connect_four import book
from gamehall.bots.connect_four.bits import (
    CELLS_IN_ALL,
    Stones,
    cell_of,
    landing_cell,
    reachable_cells,
    stones_of,
    winning_cells,
)
from gamehall.bots.connect_four.kernel import MIDDLE_FIRST
from gamehall.bots.connect_four.solver import Solver, highest_score, lowest_score
from gamehall.bots.search.bots import AlphaBetaBot
from gamehall.core import Position, Seat
from gamehall.games.connect_four import Cell, ConnectFourPosition, Gravity

MIN_SCORE, MAX_SCORE = -CELLS_IN_ALL, CELLS_IN_ALL
"""Beyond all scores."""
PLIES_FORESEEN = 12
"""Wins and losses within this many plies are searched for first."""


@dataclass(slots=True)
class Candidate:
    """A move, and the bounds of its score for the player who makes it."""

    move: int
    """The cell as a bit."""
    after: Stones
    lower: int
    upper: int


class Root:
    """The position in which a move is to be chosen. Not checked: that the game is not over."""

    def __init__(self, stones: Stones, solver: Solver, should_stop: ShouldStop) -> None:
        self._stones = stones
        self._solver = solver
        self._should_stop = should_stop
        self._candidates = _candidates(stones)

    def best_move(self) -> int:
        """Return the move with the best score, or with the best bounds when the time is up."""
        own, taken = self._stones
        wins = winning_cells(own, taken) & reachable_cells(taken)
        if wins:
            return wins & -wins
        self._candidates = self._without_blunders()
        if len(self._candidates) == 1:
            return self._candidates[0].move
        is_in_book = self._look_up()
        self._find_near_ends()
        # As early as the book goes, the exact score would take too long to find.
        if not is_in_book and self._find_winner():
            self._find_distance()
        return self._best_candidate().move

    def _look_up(self) -> bool:
        """Look up the bounds of each move. Return True if all are in the book."""
        for one in self._candidates:
            value = book.value(one.after)
            if value is None:
                return False
            # The value is that of the opponent, who is to move after the candidate.
            one.lower = max(one.lower, (MIN_SCORE, 0, 1)[1 - value])
            one.upper = min(one.upper, (-1, 0, MAX_SCORE)[1 - value])
        return True

    def _without_blunders(self) -> list[Candidate]:
        """Return the moves after which the opponent cannot win at once.

        If there is none, return one move, which blocks one of the wins if possible.
        """
        own, taken = self._stones
        threats = winning_cells(own ^ taken, taken)
        forced = threats & reachable_cells(taken)
        blocks = [one for one in self._candidates if not forced or one.move & forced]
        safe = [one for one in blocks if not one.move << 1 & threats]
        if len(blocks) == 1 or not safe or forced & forced - 1:
            return blocks[:1]
        return safe

    def _find_near_ends(self) -> None:
        """Find wins and losses within PLIES_FORESEEN of all moves, before any deeper search."""
        soon = highest_score(self._stones) - (PLIES_FORESEEN - 1)
        if soon < 1:
            return
        if self._find(soon):
            return
        for one in self._candidates:
            if self._reaches(one, 1 - soon) is None:
                return

    def _find_winner(self) -> bool:
        """Find whether the best move wins, draws or loses. Return False if the time is up."""
        for score in (1, 0):
            found = self._find(score)
            if found is not False:
                return found is True
        return True

    def _find_distance(self) -> None:
        """Find the quickest win or the slowest loss, as far as time permits."""
        while True:
            low = max(one.lower for one in self._candidates)
            high = max(one.upper for one in self._candidates)
            # For a win, try the next quicker one. For a loss, try the slowest possible.
            goal = low + 1 if low > 0 else high
            if low == high or low == 0 or self._find(goal) is None:
                return

    def _find(self, goal: int) -> bool | None:
        """Return True if the score of some move is at least the goal, None if the time is up."""
        for one in sorted(self._candidates, key=lambda one: -one.lower):
            answer = self._reaches(one, goal)
            if answer is not False:
                return answer
        return False

    def _reaches(self, one: Candidate, goal: int) -> bool | None:
        """Return True if the score of the move is at least the goal, None if the time is up."""
        if one.lower < goal <= one.upper:
            # After the move, the score counts for the opponent.
            found = self._solver.bound(one.after, 1 - goal, self._should_stop)
            if found is None:
                return None
            if found >= 1 - goal:
                one.upper = -found
            else:
                one.lower = -found
        return one.lower >= goal

    def _best_candidate(self) -> Candidate:
        """Return a move known to win, or else the one with the highest bounds.

        Among equals it is the first, which makes the most threats.
        """
        return max(self._candidates, key=lambda one: (one.lower > 0, one.upper, one.lower))


def _candidates(stones: Stones) -> list[Candidate]:
    """Return all legal moves, sorted by the number of threats, then by distance from the middle."""
    own, taken = stones
    found: list[Candidate] = []
    for column in MIDDLE_FIRST:
        move = landing_cell(taken, column)
        if move:
            after = Stones(own ^ taken, taken | move)
            found.append(
                Candidate(
                    move=move, after=after, lower=lowest_score(stones), upper=highest_score(stones)
                )
            )
    found.sort(key=lambda one: -bit_count(winning_cells(own | one.move, taken | one.move)))
    return found


LINE_LENGTH = 4
SECONDS_OF_SLICE = 0.03
"""The time of a slice of the search on a slow machine: none is started so near the end."""


class PerfectBot(Bot[Cell]):
    """Solves the position if the time suffices; see the docstring of the package."""

    def __init__(self, seed: int, clock: TimeSource, seconds_per_move: float = 1.0) -> None:
        self._clock = clock
        self._seconds = seconds_per_move
        self._solver = Solver()
        # Unpack the book now: that may take longer than a move.
        book.value(Stones(0, 0))
        self._fallback = AlphaBetaBot(seed, clock, seconds_per_move)

    def choose(self, position: Position[Cell], seat: Seat, seconds_left: float | None) -> Cell:
        if not isinstance(position, ConnectFourPosition):
            raise BotError("this bot plays Connect Four only")
        if position.line_length != LINE_LENGTH or position.gravity is Gravity.FREE:
            cell: Cell = self._fallback.choose(position, seat, seconds_left)
            return cell
        budget = Budget(self._clock, self._seconds, seconds_left)
        seconds = budget.seconds - SECONDS_OF_SLICE
        root = Root(stones_of(position), self._solver, lambda: budget.spent >= seconds)
        return cell_of(root.best_move())
