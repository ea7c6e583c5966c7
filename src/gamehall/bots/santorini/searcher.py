"""Asking the kernel deeper and deeper, as long as there is time."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from gamehall.bots.santorini import kernel
from gamehall.bots.santorini.board import (
    BOARD_WIDTH,
    Numbers,
    board_of,
    neighbours_of,
    rings_of,
    turn_of,
)
from gamehall.bots.santorini.turns import MOST_TURNS
from gamehall.games.santorini import SantoriniPosition, Turn

DEEPEST = 60
NODES_PER_SLICE = 20_000
"""Between two looks at the clock: some 10 milliseconds."""
TABLE_BITS = 19
"""The table takes 32 bytes for each of so many times doubled places: 16 MB."""

SMALLEST_BOARD = 5

IsOver: TypeAlias = Callable[[], bool]
"""Whether it is time to stop."""


class Finding(NamedTuple):
    """The best turn, its value to the player to move, and how deep that was looked for."""

    turn: Turn
    value: int
    depth: int


def never() -> bool:
    """There is all the time in the world."""
    return False


class Searcher:
    """A table of what is known of positions, and a search that adds to it."""

    def __init__(self, table_bits: int = TABLE_BITS) -> None:
        self._table = np.zeros((1 << table_bits, 4), np.int64)
        self._history = np.zeros(kernel.HISTORY_SIZE, np.int64)
        self._frames = np.zeros((DEEPEST + 2, kernel.FRAME_WIDTH), np.int64)
        self._turns = np.zeros((DEEPEST + 2, MOST_TURNS), np.int64)
        self._weights = np.zeros((DEEPEST + 2, MOST_TURNS), np.int64)
        self._size = 0
        self.nodes = 0
        """How many positions were looked at so far."""
        # Compiled now, since that may take longer than there is for a move.
        self._frames[0, kernel.TRIED] = kernel.FRESH
        self._run(np.zeros(3, np.int64), SMALLEST_BOARD, 0)

    def search(
        self, position: SantoriniPosition, is_over: IsOver = never, deepest: int = DEEPEST
    ) -> Finding:
        """The best turn that is found in time. Not checked: that all workers are placed.

        The first level is always finished.
        """
        self._begin(position.size)
        finding = self._search_to(position, 1, never)
        assert finding is not None
        for depth in range(2, deepest + 1):
            if is_over() or abs(finding.value) > kernel.SURELY_DECIDED:
                break
            deeper = self._search_to(position, depth, is_over)
            if deeper is None:
                break
            finding = deeper
        return finding

    def _begin(self, size: int) -> None:
        if size != self._size:
            # Boards of different sizes have the same keys.
            self._table[:] = 0
            self._size = size
        self._history >>= 3
        self._frames[:, kernel.KILLER_A :] = kernel.NO_TURN

    def _search_to(
        self, position: SantoriniPosition, depth: int, is_over: IsOver
    ) -> Finding | None:
        """The best turn at a depth; if time is up first, what was already better, or None."""
        root = self._frames[0]
        root[:BOARD_WIDTH] = board_of(position)
        root[kernel.ALPHA], root[kernel.BETA] = -kernel.WIN, kernel.WIN
        root[kernel.DEPTH], root[kernel.TRIED] = depth, kernel.FRESH
        state = np.zeros(3, np.int64)
        is_done = False
        while not is_done:
            if is_over():
                break
            before = int(state[kernel.NODES])
            is_done = self._run(state, position.size, NODES_PER_SLICE)
            self.nodes += int(state[kernel.NODES]) - before
        turn = int(root[kernel.BEST_TURN])
        if is_done:
            return Finding(turn_of(position, turn), int(state[kernel.VALUE]), depth)
        if root[kernel.TRIED] == kernel.FRESH or turn == kernel.NO_TURN:
            return None
        # The best turn of the level before was tried first, so only a better one can stand here.
        return Finding(turn_of(position, turn), int(root[kernel.BEST]), depth)

    def _run(self, state: Numbers, size: int, most_nodes: int) -> bool:
        return kernel.search(
            self._frames,
            state,
            self._turns,
            self._weights,
            neighbours_of(size),
            rings_of(size),
            self._table,
            self._history,
            most_nodes,
        )
