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
    def spot(self) -> int:
        """Its place when the cells are counted row by row from the top, beginning with 0."""
        return self.row * COLUMNS + self.column


COLUMNS_OF_CELLS = tuple(
    tuple(Cell(column, row) for row in range(ROWS)) for column in range(COLUMNS)
)
"""Every spot, by column and row."""

CELLS = tuple(cell for column in COLUMNS_OF_CELLS for cell in column)
"""Every spot, column by column from the left, each from the top."""
