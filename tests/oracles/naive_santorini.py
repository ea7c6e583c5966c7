"""A second, naive implementation of Santorini without gods (SR-01 to SR-11).

It exists to disagree with the real game when that one is wrong, so it shares nothing with it and
prefers the obvious to the quick: every question is answered by looking at all cells of the board.
"""

NOBODY = 0
PLAYERS = (1, 2)

WORKERS_EACH = 2
WINNING_HEIGHT = 3
DOME = 4

# A cell is (row, column); row 0 is the north edge, column 0 the west edge.
Cell = tuple[int, int]

# A turn is (worker 0 or 1, cell moved to, cell built on); a winning move builds nothing: None.
Turn = tuple[int, Cell, Cell | None]


def are_neighbours(one: Cell, other: Cell) -> bool:
    """Whether the cells touch along a side or at a corner; no cell is its own neighbour."""
    if one == other:
        return False
    return abs(one[0] - other[0]) <= 1 and abs(one[1] - other[1]) <= 1


class NaiveSantorini:
    """One playing of the game, changed in place by `place` and `play`.

    heights[row][column] is 0 to 4, 4 being a dome.
    workers[player] holds the cells of that player's workers in the order of their placement.
    turn is the player who places or moves next, None once the game is won.
    won is 0 (nobody yet), 1 or 2. There is no draw (SR-11).
    placing is True until all four workers stand, and stays False from then on.

    A test may write a position straight into these; whether the player at turn has already lost
    is then not looked at before the next `place` or `play`.
    """

    def __init__(
        self, size: int = 5, placement_order: str = "1212", first_to_move: int = 1
    ) -> None:
        """An empty board before the first placement; ValueError for options that do not exist."""
        if size < 2:
            raise ValueError(f"size must be at least 2 to hold four workers, not {size}")
        if sorted(placement_order) != ["1", "1", "2", "2"]:
            raise ValueError(f"placement_order must be two 1s and two 2s, not {placement_order!r}")
        if first_to_move not in PLAYERS:
            raise ValueError(f"first_to_move must be 1 or 2, not {first_to_move}")
        self.size = size
        self.placement_order = placement_order
        self.first_to_move = first_to_move
        self.heights: list[list[int]] = [[0] * size for _ in range(size)]
        self.workers: dict[int, list[Cell]] = {1: [], 2: []}
        self.turn: int | None = int(placement_order[0])
        self.won: int = NOBODY
        self.placing: bool = True

    def placements(self) -> list[Cell]:
        """All cells where the player at turn may place its next worker, row by row (SR-02).

        Empty once all workers stand.
        """
        if not self.placing:
            return []
        return [cell for cell in self._all_cells() if cell not in self._occupied()]

    def place(self, row: int, column: int) -> bool:
        """Places a worker of the player at turn; False, and no change, if that is illegal."""
        if self.turn is None or (row, column) not in self.placements():
            return False
        self.workers[self.turn].append((row, column))
        placed = len(self._occupied())
        if placed < len(self.placement_order):
            self.turn = int(self.placement_order[placed])
        else:
            self.placing = False
            self._begin_turn(self.first_to_move)
        return True

    def turns(self) -> list[Turn]:
        """All legal turns of the player at turn, by worker, then cell moved to, then cell built on.

        Empty during the placements and once the game is over.
        """
        if self.placing or self.turn is None:
            return []
        found: list[Turn] = []
        for worker in range(WORKERS_EACH):
            for to in self._all_cells():
                if not self._may_move(self.turn, worker, to):
                    continue
                # SR-04: the move wins at once, nothing is built.
                if self._height(to) == WINNING_HEIGHT:
                    found.append((worker, to, None))
                    continue
                for build in self._all_cells():
                    if self._may_build(self.turn, worker, to, build):
                        found.append((worker, to, build))
        return found

    def play(self, worker: int, to: Cell, build: Cell | None) -> bool:
        """Plays a turn for the player at turn; False, and no change, if it is illegal."""
        if self.turn is None or (worker, to, build) not in self.turns():
            return False
        mover = self.turn
        self.workers[mover][worker] = to
        if build is None:
            self._end(winner=mover)
            return True
        row, column = build
        self.heights[row][column] += 1
        self._begin_turn(self._opponent(mover))
        return True

    def _begin_turn(self, player: int) -> None:
        """Gives the turn to a player, who loses at once if neither worker can move (SR-07)."""
        for worker in range(WORKERS_EACH):
            for to in self._all_cells():
                if self._may_move(player, worker, to):
                    self.turn = player
                    return
        self._end(winner=self._opponent(player))

    def _end(self, winner: int) -> None:
        """Ends the game."""
        self.won = winner
        self.turn = None

    def _may_move(self, player: int, worker: int, to: Cell) -> bool:
        """Whether the worker may move to this cell of the board (SR-03)."""
        start = self.workers[player][worker]
        if not are_neighbours(start, to):
            return False
        if to in self._occupied():
            return False
        if self._height(to) == DOME:
            return False
        return self._height(to) <= self._height(start) + 1

    def _may_build(self, player: int, worker: int, to: Cell, build: Cell) -> bool:
        """Whether the worker, once moved, may build on this cell of the board (SR-05, SR-06)."""
        occupied_after_the_move = self._occupied()
        occupied_after_the_move.remove(self.workers[player][worker])
        occupied_after_the_move.append(to)
        if not are_neighbours(to, build):
            return False
        if build in occupied_after_the_move:
            return False
        return self._height(build) < DOME

    def _all_cells(self) -> list[Cell]:
        """Every cell of the board, row by row from the north, each row from the west."""
        cells = []
        for row in range(self.size):
            for column in range(self.size):
                cells.append((row, column))
        return cells

    def _occupied(self) -> list[Cell]:
        """The cells of all workers of both players, in a fresh list."""
        return self.workers[1] + self.workers[2]

    def _height(self, cell: Cell) -> int:
        """The height of a cell of the board."""
        row, column = cell
        return self.heights[row][column]

    def _opponent(self, player: int) -> int:
        """The other player."""
        return 2 if player == 1 else 1
