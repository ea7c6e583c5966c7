"""A second, naive implementation of the 42-spot game of seed 003 (TR-01 to TR-05).

It exists to disagree with the real game when that one is wrong, so it shares nothing with it and
prefers the obvious to the quick: after every move all windows of the whole board are looked at.
"""

COLUMNS = 7
ROWS = 6

EMPTY = 0
RED = 1
BLUE = 2

STILL_PLAYING = 0
CATS_GAME = 3

GRAVITIES = ("drop", "strict", "free", "column")

# One step along each kind of line, as (columns to the right, rows down).
ACROSS = (1, 0)
DOWN = (0, 1)
DOWN_AND_RIGHT = (1, 1)
DOWN_AND_LEFT = (-1, 1)


def on_board(column: int, row: int) -> bool:
    """Whether there is such a cell."""
    return 0 <= column < COLUMNS and 0 <= row < ROWS


class NaiveGame:
    """One playing of the game, changed in place by `play`.

    grid[row][column] is 0 (empty), 1 (Red) or 2 (Blue); row 0 is the top, column 0 the left.
    turn is 1 or 2, also after the end: then it is the one who would have been next (T-Q27).
    won is 0 (playing), 1 (Red), 2 (Blue) or 3 (cat's game).

    Columns and rows count from 0. Rematches, seats and cancelled games (won = 4) are not played
    here.
    """

    def __init__(self, line_length: int = 4, gravity: str = "drop") -> None:
        """An empty board with Red to begin; ValueError for options that do not exist."""
        if not 3 <= line_length <= 7:
            raise ValueError(f"line_length must be 3 to 7, not {line_length}")
        if gravity not in GRAVITIES:
            raise ValueError(f"gravity must be one of {', '.join(GRAVITIES)}, not {gravity!r}")
        self.line_length = line_length
        self.gravity = gravity
        self.grid: list[list[int]] = [[EMPTY] * COLUMNS for _ in range(ROWS)]
        self.turn: int = RED
        self.won: int = STILL_PLAYING

    def resting_cells(self) -> list[tuple[int, int]]:
        """All (column, row) where the next piece may come to rest, by column, then by row.

        Empty once the game is over.
        """
        if self.won != STILL_PLAYING:
            return []
        cells = []
        for column in range(COLUMNS):
            for row in range(ROWS):
                if self.grid[row][column] != EMPTY:
                    continue
                if self.gravity == "free" or row == self._landing_row(column):
                    cells.append((column, row))
        return cells

    def names(self, column: int, row: int) -> tuple[int, int] | None:
        """The (column, row) where a PLAY naming this cell comes to rest, None if it is refused.

        Any two integers may be asked about. Every PLAY is refused once the game is over.
        """
        if self.won != STILL_PLAYING:
            return None
        if not on_board(column, row):
            return None
        if self.gravity == "column":
            # The row is not looked at; what counts is whether there is room.
            free = [row for row in range(ROWS) if self.grid[row][column] == EMPTY]
            return (column, free[-1]) if free else None
        if self.grid[row][column] != EMPTY:
            return None
        if self.gravity == "free":
            return (column, row)
        landing_row = self._landing_row(column)
        if self.gravity == "strict" and row != landing_row:
            return None
        return (column, landing_row)

    def play(self, column: int, row: int) -> bool:
        """Lets the player at turn PLAY the named cell; False, and no change, if it is refused."""
        cell = self.names(column, row)
        if cell is None:
            return False
        resting_column, resting_row = cell
        mover = self.turn
        self.grid[resting_row][resting_column] = mover
        # TR-05: the line is looked for first, so a winning move into the last spot is a win.
        if self._has_line(mover):
            self.won = mover
        elif self._is_full():
            self.won = CATS_GAME
        self.turn = BLUE if mover == RED else RED
        return True

    def spots(self) -> bytes:
        """The 42 bytes of UPDT: spots 1 to 42, top row first, each row from the left (TR-02)."""
        values = []
        for row in range(ROWS):
            for column in range(COLUMNS):
                values.append(self.grid[row][column])
        return bytes(values)

    def _landing_row(self, column: int) -> int:
        """The lowest free row of a column that is not full."""
        for row in (5, 4, 3, 2, 1, 0):
            if self.grid[row][column] == EMPTY:
                return row
        raise ValueError(f"column {column} is full; ask only about columns with a free cell")

    def _is_full(self) -> bool:
        """Whether no empty cell is left."""
        return all(value != EMPTY for row in self.grid for value in row)

    def _has_line(self, player: int) -> bool:
        """Whether some window of line_length cells, in any direction, is all this player's."""
        for row in range(ROWS):
            for column in range(COLUMNS):
                for step in (ACROSS, DOWN, DOWN_AND_RIGHT, DOWN_AND_LEFT):
                    if self._is_line(player, column, row, step):
                        return True
        return False

    def _is_line(self, player: int, column: int, row: int, step: tuple[int, int]) -> bool:
        """Whether the window that starts here lies on the board and is all this player's."""
        right, down = step
        for distance in range(self.line_length):
            x = column + distance * right
            y = row + distance * down
            if not on_board(x, y) or self.grid[y][x] != player:
                return False
        return True
