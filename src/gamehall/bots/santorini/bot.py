"""The Santorini bot: runs the kernel deeper and deeper until the time is up."""

from typing import NamedTuple

import numpy as np

from gamehall.bots.bot import Bot, BotError, Budget, ShouldStop, TimeSource, never
from gamehall.bots.santorini import kernel
from gamehall.bots.santorini.board import (
    BOARD_WIDTH,
    MAX_TURNS,
    Numbers,
    board_of,
    edge_distances,
    neighbours_of,
    turn_of,
)
from gamehall.bots.santorini.evaluation import evaluate
from gamehall.core import Position, Seat, SeededRandom
from gamehall.games.santorini import Move, Place, SantoriniPosition, Turn
from gamehall.games.santorini.position import WORKERS_IN_ALL

MAX_DEPTH = 60
NODES_PER_SLICE = 20_000
"""The clock is read after this many nodes, which take some 10 milliseconds."""
TABLE_BITS = 19
"""The table has 2 ** TABLE_BITS entries of 32 bytes: 16 MB."""

SMALLEST_BOARD = 5


class FoundTurn(NamedTuple):
    """The best turn, its value to the player to move, and the depth of the search."""

    turn: Turn
    value: int
    depth: int


class Searcher:
    """A search with its transposition table, which is kept from one position to the next."""

    def __init__(self, table_bits: int = TABLE_BITS) -> None:
        self._table = np.zeros((1 << table_bits, 4), np.int64)
        self._history = np.zeros(kernel.HISTORY_SIZE, np.int64)
        self._frames = np.zeros((MAX_DEPTH + 2, kernel.FRAME_WIDTH), np.int64)
        self._turns = np.zeros((MAX_DEPTH + 2, MAX_TURNS), np.int64)
        self._weights = np.zeros((MAX_DEPTH + 2, MAX_TURNS), np.int64)
        self._size = 0
        self.nodes = 0
        """The number of positions visited so far."""
        # Compile or load the kernel now: that may take longer than a move.
        self._frames[0, kernel.TRIED] = kernel.FRESH
        self._run(np.zeros(3, np.int64), SMALLEST_BOARD, 0)

    def search(
        self,
        position: SantoriniPosition,
        should_stop: ShouldStop = never,
        max_depth: int = MAX_DEPTH,
    ) -> FoundTurn:
        """Return the best turn found in time. Not checked: that all workers are placed.

        Depth 1 is always completed.
        """
        self._begin(position.size)
        finding = self._search_to(position, 1, never)
        assert finding is not None
        for depth in range(2, max_depth + 1):
            if should_stop() or abs(finding.value) > kernel.DECIDED:
                break
            deeper = self._search_to(position, depth, should_stop)
            if deeper is None:
                break
            finding = deeper
        return finding

    def _begin(self, size: int) -> None:
        if size != self._size:
            # Positions on boards of different sizes may have the same key.
            self._table[:] = 0
            self._size = size
        self._history >>= 3
        self._frames[:, kernel.KILLER_A :] = kernel.NO_TURN

    def _search_to(
        self, position: SantoriniPosition, depth: int, should_stop: ShouldStop
    ) -> FoundTurn | None:
        """Return the best turn at a depth. If the time is up first, the best so far, or None."""
        root = self._frames[0]
        root[:BOARD_WIDTH] = board_of(position)
        root[kernel.ALPHA], root[kernel.BETA] = -kernel.WIN, kernel.WIN
        root[kernel.DEPTH], root[kernel.TRIED] = depth, kernel.FRESH
        state = np.zeros(3, np.int64)
        is_done = False
        while not is_done:
            if should_stop():
                break
            before = int(state[kernel.NODES])
            is_done = self._run(state, position.size, NODES_PER_SLICE)
            self.nodes += int(state[kernel.NODES]) - before
        turn = int(root[kernel.BEST_TURN])
        if is_done:
            return FoundTurn(turn_of(position, turn), int(state[kernel.VALUE]), depth)
        if root[kernel.TRIED] == kernel.FRESH or turn == kernel.NO_TURN:
            return None
        # The best turn of the depth before was tried first, so this one is at least as good.
        return FoundTurn(turn_of(position, turn), int(root[kernel.BEST]), depth)

    def _run(self, state: Numbers, size: int, max_nodes: int) -> bool:
        return kernel.search(
            self._frames,
            state,
            self._turns,
            self._weights,
            neighbours_of(size),
            edge_distances(size),
            self._table,
            self._history,
            max_nodes,
        )


PLACEMENT_DEPTH = 3
"""The depth of the search after each placement of the last worker."""


class StrongBot(Bot[Move]):
    """Plays Santorini by a compiled alpha-beta search."""

    def __init__(self, seed: int, clock: TimeSource, seconds_per_move: float = 1.0) -> None:
        self._rng = SeededRandom(seed)
        self._clock = clock
        self._seconds = seconds_per_move
        self.searcher = Searcher()

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        if not isinstance(position, SantoriniPosition):
            raise BotError("this bot plays Santorini only")
        budget = Budget(self._clock, self._seconds, seconds_left)
        if position.is_placing:
            return self._placement(position, seat, budget)
        return self.searcher.search(position, lambda: budget.is_spent).turn

    def _placement(self, position: SantoriniPosition, seat: Seat, budget: Budget) -> Move:
        """Return the best placement, at random among equals.

        For the last worker, placements are compared by a search, the most promising ones first.
        """
        cells: list[Place] = [move for move in position.legal_moves() if isinstance(move, Place)]
        estimates = {cell: evaluate(position.after(cell), seat) for cell in cells}
        placed = sum(len(own) for own in position.workers)
        if placed < WORKERS_IN_ALL - 1:
            best = max(estimates.values())
            return self._rng.pick([cell for cell in cells if estimates[cell] == best])
        values: dict[Place, int] = {}
        for cell in sorted(cells, key=lambda cell: -estimates[cell]):
            if values and budget.is_spent:
                break
            after = position.after(cell)
            value = self.searcher.search(after, max_depth=PLACEMENT_DEPTH).value
            values[cell] = value if after.to_move is seat else -value
        best = max(values.values())
        return self._rng.pick([cell for cell in values if values[cell] == best])
