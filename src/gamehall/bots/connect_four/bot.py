"""The bot that solves Connect Four: it narrows the bounds of every move's score."""

from collections.abc import Sequence
from dataclasses import dataclass

from gamehall.bots.bot import Bot, BotError, Budget, Clock, IsOver
from gamehall.bots.connect_four import book
from gamehall.bots.connect_four.bits import (
    CELLS_IN_ALL,
    Stones,
    cell_of,
    landing,
    number_of,
    reachable_cells,
    stones_of,
    winning_cells,
)
from gamehall.bots.connect_four.kernel import MIDDLE_FIRST
from gamehall.bots.connect_four.solver import Solver, highest_score, lowest_score
from gamehall.bots.search.bots import AlphaBetaBot
from gamehall.core import Position, Seat
from gamehall.games.connect_four import Cell, ConnectFourPosition, Gravity

LEAST, MOST = -CELLS_IN_ALL, CELLS_IN_ALL
"""Beyond all scores."""
PLIES_FORESEEN = 12
"""Within so many moves of both no loss that can be avoided is walked into, time permitting."""


@dataclass(slots=True)
class Candidate:
    """A move, and between which scores (those of the player who makes it) it lies."""

    move: int
    """The cell, as a bit."""
    after: Stones
    lower: int
    upper: int


class Root:
    """A position in which a move is wanted. Not checked: that the game is not over."""

    def __init__(self, stones: Stones, solver: Solver, is_over: IsOver) -> None:
        self._stones = stones
        self._solver = solver
        self._is_over = is_over
        self._candidates = _candidates(stones)

    def best_move(self) -> int:
        """The move with the best score, or what looks best when time is up; a cell, as a bit."""
        own, taken = self._stones
        at_once = winning_cells(own, taken) & reachable_cells(taken)
        if at_once:
            return at_once & -at_once
        sensible = self._without_blunders()
        if len(sensible) == 1:
            return sensible[0].move
        self._candidates = list(sensible)
        is_in_book = self._look_up()
        self._look_ahead()
        # So early, when a win comes would take too long to find out.
        if not is_in_book and self._settle_who_wins():
            self._settle_when()
        return self._most_promising().move

    def _look_up(self) -> bool:
        """Return True if the book knows who wins after each move."""
        for one in self._candidates:
            value = book.value(one.after)
            if value is None:
                return False
            one.lower = max(one.lower, (LEAST, 0, 1)[1 - value])
            one.upper = min(one.upper, (-1, 0, MOST)[1 - value])
        return True

    def _without_blunders(self) -> Sequence[Candidate]:
        """Return the moves that do not lose by the opponent's next one; all of them if all do.

        Then those that leave the opponent to find it are as good as any: the first one blocks.
        """
        own, taken = self._stones
        threats = winning_cells(own ^ taken, taken)
        forced = threats & reachable_cells(taken)
        blocks = [one for one in self._candidates if not forced or one.move & forced]
        safe = [one for one in blocks if not one.move << 1 & threats]
        if len(blocks) == 1 or not safe or forced & forced - 1:
            return blocks[:1]
        return safe

    def _look_ahead(self) -> None:
        """Wins and losses that are near are found for all moves before anything is settled."""
        soon = highest_score(self._stones) - (PLIES_FORESEEN - 1)
        if soon < 1:
            return
        if self._find(soon):
            return
        for one in self._candidates:
            if self._reaches(one, 1 - soon) is None:
                return

    def _settle_who_wins(self) -> bool:
        """Return True if it is known, of one of the best moves, that it wins, draws or loses."""
        for score in (1, 0):
            found = self._find(score)
            if found is not False:
                return found is True
        return True

    def _settle_when(self) -> None:
        """The quickest win, or the slowest loss, as far as time permits."""
        while True:
            low = max(one.lower for one in self._candidates)
            high = max(one.upper for one in self._candidates)
            # A win: is there a quicker one? A loss: can it take as long as it may?
            goal = low + 1 if low > 0 else high
            if low == high or low == 0 or self._find(goal) is None:
                return

    def _find(self, goal: int) -> bool | None:
        """Return True if a move has this score or a better one; None if time was up first."""
        for one in sorted(self._candidates, key=lambda one: -one.lower):
            answer = self._reaches(one, goal)
            if answer is not False:
                return answer
        return False

    def _reaches(self, one: Candidate, goal: int) -> bool | None:
        """Return True if the move has this score or a better one; None if time was up first."""
        if one.lower < goal <= one.upper:
            # The opponent, who is to move then, has the same score negative.
            found = self._solver.bound(one.after, 1 - goal, self._is_over)
            if found is None:
                return None
            if found >= 1 - goal:
                one.upper = -found
            else:
                one.lower = -found
        return one.lower >= goal

    def _most_promising(self) -> Candidate:
        """The move that is surely best; among those of which that is not known, what may be best.

        Candidates are in the order of what they threaten, which decides between equals.
        """
        return max(self._candidates, key=lambda one: (one.lower > 0, one.upper, one.lower))


def _candidates(stones: Stones) -> list[Candidate]:
    """Return all legal moves, those that threaten most first, then those nearest to the middle."""
    own, taken = stones
    found: list[Candidate] = []
    for column in MIDDLE_FIRST:
        move = landing(taken, column)
        if move:
            after = Stones(own ^ taken, taken | move)
            found.append(
                Candidate(
                    move=move, after=after, lower=lowest_score(stones), upper=highest_score(stones)
                )
            )
    found.sort(key=lambda one: -number_of(winning_cells(own | one.move, taken | one.move)))
    return found


LINE_LENGTH = 4
SECONDS_OF_SLICE = 0.03
"""What a slice of the search takes at most on a slow machine: no other is begun so near the end."""


class PerfectBot(Bot[Cell]):
    """Plays the best move wherever it can be known in time; see the package for when that is.

    On terms that the solver does not know (other lines than of four, no gravity) it plays by the
    readable alpha-beta search.
    """

    def __init__(self, seed: int, clock: Clock, seconds_per_move: float = 1.0) -> None:
        self._clock = clock
        self._seconds = seconds_per_move
        self._solver = Solver()
        # Opened now, since that may take longer than there is for a move.
        book.value(Stones(0, 0))
        self._otherwise = AlphaBetaBot(seed, clock, seconds_per_move)

    def choose(self, position: Position[Cell], seat: Seat, seconds_left: float | None) -> Cell:
        if not isinstance(position, ConnectFourPosition):
            raise BotError("this bot plays Connect Four only")
        if position.line_length != LINE_LENGTH or position.gravity is Gravity.FREE:
            cell: Cell = self._otherwise.choose(position, seat, seconds_left)
            return cell
        budget = Budget(self._clock, self._seconds, seconds_left)
        seconds = budget.seconds - SECONDS_OF_SLICE
        root = Root(stones_of(position), self._solver, lambda: budget.spent >= seconds)
        return cell_of(root.best_move())
