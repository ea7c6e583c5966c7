"""Cells of the board, which are also the moves."""

from typing import NamedTuple

COLUMNS = 7
ROWS = 6


class Cell(NamedTuple):
    """A spot of the board: column 0 is the left edge, row 0 the top edge, row 5 the bottom.

    As a move it is the cell in which the piece comes to rest.
    """

    column: int
    row: int

    @property
    def on_board(self) -> bool:
        """Whether there is such a spot."""
        return 0 <= self.column < COLUMNS and 0 <= self.row < ROWS


CELLS = tuple(Cell(column, row) for column in range(COLUMNS) for row in range(ROWS))
"""Every spot, column by column from the left, each from the top."""
