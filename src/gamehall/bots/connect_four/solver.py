"""Ask the kernel about positions, as long as there is time."""

import numpy as np

from gamehall.bots.bot import IsOver, never
from gamehall.bots.connect_four import kernel
from gamehall.bots.connect_four.bits import (
    BOARD,
    CELLS_IN_ALL,
    Stones,
    reachable_cells,
    winning_cells,
)

NODES_PER_SLICE = 50_000
"""Between two looks at the clock: some 10 milliseconds."""
TABLE_BITS = 22
"""The table takes 8 bytes for each of so many times doubled places: 32 MB."""


class Solver:
    """A table of what is known of positions, and a search that adds to it."""

    def __init__(
        self, table_bits: int = TABLE_BITS, nodes_per_slice: int = NODES_PER_SLICE
    ) -> None:
        self._table = np.zeros(1 << table_bits, np.int64)
        self._frames = np.zeros((kernel.FRAMES, kernel.FRAME_WIDTH), np.int64)
        self._nodes_per_slice = nodes_per_slice
        self.nodes = 0
        """How many positions were looked at so far."""
        # Compiled now, since that may take longer than there is for a move.
        self._frames[0, kernel.LEFT] = kernel.UNOPENED
        kernel.search(self._frames, np.zeros(4, np.int64), self._table, 0)

    def bound(self, stones: Stones, goal: int, is_over: IsOver = never) -> int | None:
        """Return whether the score (see kernel.py) reaches the goal, as a bound of the score.

        If that is at least the goal, so is the score, which is then not lower than the bound.
        Otherwise the score is not higher than the bound. None if time was up first.
        Not checked: that the game is not over, unless by a full board.
        """
        if stones.taken == BOARD:
            return 0
        if wins_at_once(stones):
            return highest_score(stones)
        own, taken = stones
        number = taken.bit_count()
        dangers = winning_cells(own ^ taken, taken)
        self._frames[0, : kernel.BOUND] = own, taken, dangers, number, goal
        self._frames[0, kernel.LEFT] = kernel.UNOPENED
        state = np.zeros(4, np.int64)
        state[kernel.FIRST_STONES] = number
        is_done = False
        while not is_done:
            if is_over():
                return None
            before = int(state[kernel.NODES])
            is_done = kernel.search(self._frames, state, self._table, self._nodes_per_slice)
            self.nodes += int(state[kernel.NODES]) - before
        return int(state[kernel.VALUE])

    def score(self, stones: Stones, is_over: IsOver = never) -> int | None:
        """Return the score of the position (see kernel.py); None if time was up first.

        Each answer gives the next question, as in MTD(f) (Plaat and others, 1996). The first is
        whether the position is won; from there the goal moves away from 0, to quicker wins or
        slower losses, until no score is left between the bounds.
        """
        low, high = lowest_score(stones), highest_score(stones)
        goal = 1
        while low < high:
            found = self.bound(stones, goal, is_over)
            if found is None:
                return None
            if found >= goal:
                low, goal = found, found + 1
            else:
                high, goal = found, found
        return low

    def game_value(self, stones: Stones, is_over: IsOver = never) -> int | None:
        """1 if the player to move wins, 0 for a draw, -1 for a loss; None if time was up first."""
        for value in (1, 0):
            found = self.bound(stones, value, is_over)
            if found is None:
                return None
            if found >= value:
                return value
        return -1


def wins_at_once(stones: Stones) -> bool:
    """Return True if the player to move can complete a line with the next stone."""
    own, taken = stones
    return winning_cells(own, taken) & reachable_cells(taken) != 0


def highest_score(stones: Stones) -> int:
    """Return the score of a win with the next stone; 0 if the board is full."""
    return CELLS_IN_ALL - stones.taken.bit_count()


def lowest_score(stones: Stones) -> int:
    """Return the score of a loss by the opponent's next stone; 0 if there is none."""
    return min(stones.taken.bit_count() - (CELLS_IN_ALL - 1), 0)
