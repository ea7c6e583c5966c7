"""The bot that searches Santorini: it asks the kernel deeper and deeper while there is time."""

from typing import NamedTuple

import numpy as np

from gamehall.bots.bot import Bot, BotError, Budget, Clock, IsOver, never
from gamehall.bots.santorini import kernel
from gamehall.bots.santorini.board import (
    BOARD_WIDTH,
    MOST_TURNS,
    Numbers,
    board_of,
    neighbours_of,
    rings_of,
    turn_of,
)
from gamehall.bots.santorini.evaluation import evaluate
from gamehall.core import Position, Seat, SeededRandom
from gamehall.games.santorini import Move, Place, SantoriniPosition, Turn
from gamehall.games.santorini.position import WORKERS_IN_ALL

DEEPEST = 60
NODES_PER_SLICE = 20_000
"""Between two looks at the clock: some 10 milliseconds."""
TABLE_BITS = 19
"""The table takes 32 bytes for each of so many times doubled places: 16 MB."""

SMALLEST_BOARD = 5


class FoundTurn(NamedTuple):
    """The best turn, its value to the player to move, and how deep that was looked for."""

    turn: Turn
    value: int
    depth: int


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
    ) -> FoundTurn:
        """Return the best turn that is found in time. Not checked: that all workers are placed.

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
    ) -> FoundTurn | None:
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
            return FoundTurn(turn_of(position, turn), int(state[kernel.VALUE]), depth)
        if root[kernel.TRIED] == kernel.FRESH or turn == kernel.NO_TURN:
            return None
        # The best turn of the level before was tried first, so only a better one can stand here.
        return FoundTurn(turn_of(position, turn), int(root[kernel.BEST]), depth)

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


PLACEMENT_DEPTH = 3
"""How deep it is looked at what comes of the last placement."""


class StrongBot(Bot[Move]):
    """Looks ahead as deep as time permits, on both boards and in all orders of placing."""

    def __init__(self, seed: int, clock: Clock, seconds_per_move: float = 1.0) -> None:
        self._shuffler = SeededRandom(seed)
        self._clock = clock
        self._seconds = seconds_per_move
        self.searcher = Searcher()
        """What searches; its count of nodes is of interest to measurements."""

    def choose(self, position: Position[Move], seat: Seat, seconds_left: float | None) -> Move:
        if not isinstance(position, SantoriniPosition):
            raise BotError("this bot plays Santorini only")
        budget = Budget(self._clock, self._seconds, seconds_left)
        if position.is_placing:
            return self._placement(position, seat, budget)
        return self.searcher.search(position, lambda: budget.is_spent).turn

    def _placement(self, position: SantoriniPosition, seat: Seat, budget: Budget) -> Move:
        """Return the cell where a worker stands best; of equal ones, any.

        The last worker is placed by what follows, best looking cells first, while there is time.
        """
        cells: list[Place] = [move for move in position.legal_moves() if isinstance(move, Place)]
        worths = {cell: evaluate(position.after(cell), seat) for cell in cells}
        placed = sum(len(own) for own in position.workers)
        if placed < WORKERS_IN_ALL - 1:
            best = max(worths.values())
            return self._shuffler.pick([cell for cell in cells if worths[cell] == best])
        values: dict[Place, int] = {}
        for cell in sorted(cells, key=lambda cell: -worths[cell]):
            if values and budget.is_spent:
                break
            after = position.after(cell)
            value = self.searcher.search(after, deepest=PLACEMENT_DEPTH).value
            values[cell] = value if after.to_move is seat else -value
        best = max(values.values())
        return self._shuffler.pick([cell for cell in values if values[cell] == best])
