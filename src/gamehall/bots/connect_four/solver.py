"""Run the kernel on positions until it is done or the time is up."""

import numpy as np

from gamehall.bots.bot import ShouldStop, never
from gamehall.bots.connect_four import kernel
from gamehall.bots.connect_four.bits import (
    BOARD,
    CELLS_IN_ALL,
    Stones,
    reachable_cells,
    winning_cells,
)

NODES_PER_SLICE = 50_000
"""The clock is read after this many nodes, which take some 10 milliseconds."""
TABLE_BITS = 22
"""The table has 2 ** TABLE_BITS entries of 8 bytes: 32 MB."""


class Solver:
    """A search with its transposition table, which is kept from one position to the next."""

    def __init__(
        self, table_bits: int = TABLE_BITS, nodes_per_slice: int = NODES_PER_SLICE
    ) -> None:
        self._table = np.zeros(1 << table_bits, np.int64)
        self._frames = np.zeros((kernel.FRAMES, kernel.FRAME_WIDTH), np.int64)
        self._nodes_per_slice = nodes_per_slice
        self.nodes = 0
        """The number of positions visited so far."""
        # Compile or load the kernel now: that may take longer than a move.
        self._frames[0, kernel.MOVES_LEFT] = kernel.NEW
        kernel.search(self._frames, np.zeros(4, np.int64), self._table, 0)

    def bound(self, stones: Stones, goal: int, should_stop: ShouldStop = never) -> int | None:
        """Return a bound of the score (see kernel.py) that tells whether it reaches the goal.

        A result of at least the goal is a lower bound, any other an upper bound. Return None if the
        search was stopped. Not checked: that nobody has won yet.
        """
        if stones.taken == BOARD:
            return 0
        if wins_at_once(stones):
            return highest_score(stones)
        own, taken = stones
        number = taken.bit_count()
        dangers = winning_cells(own ^ taken, taken)
        self._frames[0, : kernel.BOUND] = own, taken, dangers, number, goal
        self._frames[0, kernel.MOVES_LEFT] = kernel.NEW
        state = np.zeros(4, np.int64)
        state[kernel.FIRST_STONES] = number
        is_done = False
        while not is_done:
            if should_stop():
                return None
            before = int(state[kernel.NODES])
            is_done = kernel.search(self._frames, state, self._table, self._nodes_per_slice)
            self.nodes += int(state[kernel.NODES]) - before
        return int(state[kernel.VALUE])

    def game_value(self, stones: Stones, should_stop: ShouldStop = never) -> int | None:
        """Return 1 if the player to move wins, 0 for a draw, -1 for a loss, None if stopped."""
        for value in (1, 0):
            found = self.bound(stones, value, should_stop)
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
    """Return the score of a win with the next stone, or 0 if the board is full."""
    return CELLS_IN_ALL - stones.taken.bit_count()


def lowest_score(stones: Stones) -> int:
    """Return the score of a loss by the opponent's next stone, or 0 if there is none."""
    return min(stones.taken.bit_count() - (CELLS_IN_ALL - 1), 0)
