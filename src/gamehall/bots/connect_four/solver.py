"""Asking the kernel about positions, as long as there is time."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gamehall.bots.connect_four import kernel
from gamehall.bots.connect_four.bits import BOARD, CELLS_IN_ALL, LOWEST, Stones, winning_cells

NODES_PER_SLICE = 100_000
"""Between two looks at the clock: some 10 milliseconds."""
TABLE_BITS = 22
"""The table takes 8 bytes for each of so many times doubled places: 32 MB."""

IsOver: TypeAlias = Callable[[], bool]
"""Whether it is time to stop."""


def never() -> bool:
    """There is all the time in the world."""
    return False


class Solver:
    """A table of what is known of positions, and a search that adds to it."""

    def __init__(self, table_bits: int = TABLE_BITS) -> None:
        self._table = np.zeros(1 << table_bits, np.int64)
        self._frames = np.zeros((CELLS_IN_ALL + 2, kernel.FRAME_WIDTH), np.int64)
        self.nodes = 0
        """How many positions were looked at so far."""
        # Compiled now, since that may take longer than there is for a move.
        self._frames[0, kernel.TRIED] = kernel.FRESH
        kernel.search(self._frames, np.zeros(4, np.int64), self._table, 0)

    def is_at_least(self, stones: Stones, score: int, is_over: IsOver) -> bool | None:
        """Whether the position has this score or a better one; None if time was up first."""
        found = self._search(stones, score - 1, score, is_over)
        return None if found is None else found >= score

    def score(self, stones: Stones, is_over: IsOver = never) -> int | None:
        """The score of the position (see kernel.py); None if time was up first."""
        low, high = lowest_score(stones), highest_score(stones)
        if stones.taken == BOARD:
            return 0
        while low < high:
            # Near 0 first: who wins at all is known sooner than when.
            middle = (low + high + 1) // 2
            if middle <= 0 and low // 2 < middle:
                middle = -(-low // 2)
            elif middle > 0 and high // 2 > middle:
                middle = high // 2
            middle = max(middle, low + 1)
            found = self._search(stones, middle - 1, middle, is_over)
            if found is None:
                return None
            if found >= middle:
                low = found
            else:
                high = found
        return low

    def game_value(self, stones: Stones, is_over: IsOver = never) -> int | None:
        """1 if the player to move wins, 0 for a draw, -1 for a loss; None if time was up first."""
        for value in (1, 0):
            answer = self.is_at_least(stones, value, is_over)
            if answer is None:
                return None
            if answer:
                return value
        return -1

    def _search(self, stones: Stones, alpha: int, beta: int, is_over: IsOver) -> int | None:
        own, taken = stones
        if wins_at_once(stones):
            return highest_score(stones)
        state = np.zeros(4, np.int64)
        state[kernel.STONES] = taken.bit_count()
        self._frames[0, : kernel.COUNT] = own, taken, alpha, beta, kernel.FRESH
        is_done = False
        while not is_done:
            if is_over():
                return None
            before = int(state[kernel.NODES])
            is_done = kernel.search(self._frames, state, self._table, NODES_PER_SLICE)
            self.nodes += int(state[kernel.NODES]) - before
        return int(state[kernel.VALUE])


def wins_at_once(stones: Stones) -> bool:
    """Whether the player to move can complete a line with the next stone."""
    own, taken = stones
    return winning_cells(own, taken) & taken + LOWEST & BOARD != 0


def highest_score(stones: Stones) -> int:
    """The score of a win with the next stone."""
    return (CELLS_IN_ALL + 1 - stones.taken.bit_count()) // 2


def lowest_score(stones: Stones) -> int:
    """The score of a loss by the opponent's next stone."""
    return -((CELLS_IN_ALL - stones.taken.bit_count()) // 2)
