"""A naive implementation of Santorini without gods (SR-01 to SR-11), to compare with the real one.

It shares no code with the real game and prefers simple code to fast code: a board is a height for
each cell. Only the neighbours of each cell are computed in advance.
"""

from functools import cache

NOBODY = 0
PLAYERS = (1, 2)

WINNING_HEIGHT = 3
DOME = 4

# A cell is (row, column); row 0 is the north edge, column 0 the west edge.
Cell = tuple[int, int]

# A turn is (cell of the worker, cell moved to, cell built on); a winning move builds nothing: None.
Turn = tuple[Cell, Cell, Cell | None]


def all_cells(size: int) -> list[Cell]:
    """Return all cells, row by row from the north, each from the west."""
    return [(row, column) for row in range(size) for column in range(size)]


def are_neighbours(one: Cell, other: Cell) -> bool:
    """Return True if two different cells touch along a side or at a corner."""
    if one == other:
        return False
    return abs(one[0] - other[0]) <= 1 and abs(one[1] - other[1]) <= 1


@cache
def neighbours_on(size: int) -> dict[Cell, list[Cell]]:
    """Return the neighbours of every cell. The result is shared, so it must not be changed."""
    cells = all_cells(size)
    return {cell: [other for other in cells if are_neighbours(cell, other)] for cell in cells}


class NaiveSantorini:
    """A game, which `place` and `play` change in place.

    heights[cell] is 0 to 4, where 4 is a dome.
    workers[player] has the cells of the player's workers in the order of their placement.
    turn is the player who places or moves next, None after the end.
    won is 0 (not yet), 1 or 2. There is no draw (SR-11).
    placing is True until all four workers are placed.

    `placements` and `turns` return the legal moves. `place` and `play` do not check legality, so
    that a test does not compute the legal moves twice.
    """

    def __init__(
        self, size: int = 5, placement_order: str = "1212", first_to_move: int = 1
    ) -> None:
        """Create an empty board. Raises ValueError for unknown options."""
        if size < 2:
            raise ValueError(f"size must be at least 2 to hold four workers, not {size}")
        if sorted(placement_order) != ["1", "1", "2", "2"]:
            raise ValueError(f"placement_order must be two 1s and two 2s, not {placement_order!r}")
        if first_to_move not in PLAYERS:
            raise ValueError(f"first_to_move must be 1 or 2, not {first_to_move}")
        self.neighbours = neighbours_on(size)
        self.placement_order = placement_order
        self.first_to_move = first_to_move
        self.heights: dict[Cell, int] = dict.fromkeys(all_cells(size), 0)
        self.workers: dict[int, list[Cell]] = {1: [], 2: []}
        self.turn: int | None = int(placement_order[0])
        self.won: int = NOBODY
        self.placing: bool = True

    def placements(self) -> list[Cell]:
        """Return the cells where the player to move may place its next worker (SR-02).

        After the placements there are none.
        """
        if not self.placing:
            return []
        return [cell for cell in self.heights if cell not in self._occupied()]

    def place(self, cell: Cell) -> None:
        """Place a worker of the player to move. Not checked: that this is legal."""
        assert self.turn is not None
        self.workers[self.turn].append(cell)
        placed = len(self._occupied())
        if placed < len(self.placement_order):
            self.turn = int(self.placement_order[placed])
        else:
            self.placing = False
            self._begin_turn(self.first_to_move)

    def turns(self) -> list[Turn]:
        """Return the legal turns, each once. During the placements and after the end none are."""
        if self.placing or self.turn is None:
            return []
        found: list[Turn] = []
        for start in self.workers[self.turn]:
            for to in self._moves(start):
                if self.heights[to] == WINNING_HEIGHT:
                    # The move wins at once, without a build (SR-04).
                    found.append((start, to, None))
                else:
                    for build in self._builds(start, to):
                        found.append((start, to, build))
        return found

    def play(self, start: Cell, to: Cell, build: Cell | None) -> None:
        """Play a turn for the player to move. Not checked: that it is legal."""
        assert self.turn is not None
        mover, opponent = self.turn, self._opponent(self.turn)
        own = self.workers[mover]
        own[own.index(start)] = to
        if build is None:
            self._end(winner=mover)
        else:
            self.heights[build] += 1
            self._begin_turn(opponent)

    def _begin_turn(self, player: int) -> None:
        """Give the turn to a player, who loses at once if neither worker can move (SR-07)."""
        if any(self._moves(start) for start in self.workers[player]):
            self.turn = player
        else:
            self._end(winner=self._opponent(player))

    def _end(self, winner: int) -> None:
        self.won = winner
        self.turn = None

    def _moves(self, start: Cell) -> list[Cell]:
        """Return the cells to which the worker on `start` may move (SR-03, SR-06)."""
        occupied = self._occupied()
        highest = self.heights[start] + 1
        return [
            to
            for to in self.neighbours[start]
            if to not in occupied and self.heights[to] <= highest and self.heights[to] != DOME
        ]

    def _builds(self, start: Cell, to: Cell) -> list[Cell]:
        """Return the cells on which the worker may build after its move (SR-05, SR-06).

        These include the cell that it has left.
        """
        occupied_by_others = [cell for cell in self._occupied() if cell != start]
        return [
            build
            for build in self.neighbours[to]
            if build not in occupied_by_others and self.heights[build] != DOME
        ]

    def _occupied(self) -> list[Cell]:
        return self.workers[1] + self.workers[2]

    def _opponent(self, player: int) -> int:
        return 2 if player == 1 else 1
