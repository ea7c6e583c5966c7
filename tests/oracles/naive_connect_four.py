"""A naive implementation of Connect Four (TR-01 to TR-05), to compare with the real one.

It shares no code with the real game and prefers simple code to fast code: after every move it
checks every possible line on the board.
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
    return 0 <= column < COLUMNS and 0 <= row < ROWS


class NaiveConnectFour:
    """A game, which `play` changes in place.

    grid[row][column] is 0 (empty), 1 (Red) or 2 (Blue); row 0 is the top, column 0 the left.
    turn is 1 or 2; after the end it is the player who would have been next (T-Q27).
    won is 0 (playing), 1 (Red), 2 (Blue) or 3 (cat's game).
    """

    def __init__(self, line_length: int = 4, gravity: str = "drop") -> None:
        """Create an empty board with Red to move. Raises ValueError for unknown options."""
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
        """Return the cells (column, row) where the next piece can land, by column, then by row.

        After the end there are none.
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
        """Return where a PLAY that names this cell lands, or None if it is refused.

        The arguments may be any integers. After the end every PLAY is refused.
        """
        if self.won != STILL_PLAYING:
            return None
        if not on_board(column, row):
            return None
        if self.gravity == "column":
            # The row is ignored; the column must not be full.
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
        """PLAY the named cell for the player to move. Return False if it is refused."""
        cell = self.names(column, row)
        if cell is None:
            return False
        resting_column, resting_row = cell
        mover = self.turn
        self.grid[resting_row][resting_column] = mover
        # Check for a line first: a line with the last piece is a win, not a draw (TR-05).
        if self._has_line(mover):
            self.won = mover
        elif self._is_full():
            self.won = CATS_GAME
        self.turn = BLUE if mover == RED else RED
        return True

    def spots(self) -> bytes:
        """Return the 42 bytes of UPDT, row by row from the top, each from the left (TR-02)."""
        return bytes(value for row in self.grid for value in row)

    def _landing_row(self, column: int) -> int:
        """Return the lowest free row of a column that is not full."""
        for row in (5, 4, 3, 2, 1, 0):
            if self.grid[row][column] == EMPTY:
                return row
        raise ValueError(f"column {column} is full; ask only about columns with a free cell")

    def _is_full(self) -> bool:
        return all(value != EMPTY for row in self.grid for value in row)

    def _has_line(self, player: int) -> bool:
        """Return True if the player has line_length pieces in a row in any direction."""
        for row in range(ROWS):
            for column in range(COLUMNS):
                for step in (ACROSS, DOWN, DOWN_AND_RIGHT, DOWN_AND_LEFT):
                    if self._is_line(player, column, row, step):
                        return True
        return False

    def _is_line(self, player: int, column: int, row: int, step: tuple[int, int]) -> bool:
        """Return True if the line that starts here is on the board and all the player's."""
        right, down = step
        for distance in range(self.line_length):
            x = column + distance * right
            y = row + distance * down
            if not on_board(x, y) or self.grid[y][x] != player:
                return False
        return True
