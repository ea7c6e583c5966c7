"""The cells of the board, and sets of cells as bitboards.

In a bitboard, a cell is bit `row * 8 + column`: eight bits per row for seven columns. The eighth
column stays empty so that a shifted line cannot wrap into the next row. So a few shifts find all
lines at once.
"""

from typing import NamedTuple

COLUMNS = 7
ROWS = 6


class Cell(NamedTuple):
    """A cell of the board: column 0 is the left edge, row 0 the top edge, row 5 the bottom.

    As a move it is the cell where the piece stays.
    """

    column: int
    row: int

    @property
    def spot(self) -> int:
        """Return the index of the cell, row by row from the top left."""
        return self.row * COLUMNS + self.column


COLUMNS_OF_CELLS = tuple(
    tuple(Cell(column, row) for row in range(ROWS)) for column in range(COLUMNS)
)
"""Every cell, indexed by column and row."""

CELLS = tuple(cell for column in COLUMNS_OF_CELLS for cell in column)
"""Every cell, column by column from the left, each from the top."""


ROW_BITS = 8
STEPS = (1, ROW_BITS, ROW_BITS - 1, ROW_BITS + 1)
"""Shifts from a cell to its neighbour: right, down, down and left, down and right."""


def bit(cell: Cell) -> int:
    """Return the bitboard of this cell alone."""
    return 1 << cell.row * ROW_BITS + cell.column


STONES = {cell: bit(cell) for cell in CELLS}
"""The bitboard of each cell on the board."""

PLACES = {cell: (cell, bit(cell), cell.spot) for cell in CELLS}
"""For each cell on the board: itself, its bitboard, and its index."""

FLOOR = sum(bit(Cell(column, ROWS)) for column in range(COLUMNS))
"""The row below the board, which supports the lowest pieces."""

FULL_COLUMNS = tuple(
    sum(bit(Cell(column, row)) for row in range(ROWS)) for column in range(COLUMNS)
)
FULL_BOARD = sum(FULL_COLUMNS)


def landing_row(taken: int, column: int) -> int:
    """Return the lowest free row of the column, given the taken cells; -1 if it is full."""
    # The bottom row has the highest bits, so the lowest free cell is the highest free bit.
    return (FULL_COLUMNS[column] & ~taken).bit_length() - 1 >> 3


def _doublings(step: int, length: int) -> tuple[int, int, int]:
    """Return the shifts that reduce a bitboard to the cells where a run of `length` begins.

    Each shift doubles the length of the runs found so far, except that the last ones stop at
    `length`.
    """
    shifts, known = [], 1
    for _ in range(3):
        more = min(known, length - known)
        shifts.append(step * more)
        known += more
    one, two, three = shifts
    return one, two, three


RUNS = {length: [_doublings(step, length) for step in STEPS] for length in range(1, 9)}
"""For each line length, the shifts that find its runs in each of the four directions."""


def has_line(stones: int, length: int) -> bool:
    """Return True if the stones include an unbroken line of `length` in any direction."""
    for one, two, three in RUNS[length]:
        runs = stones & stones >> one
        runs &= runs >> two
        if runs & runs >> three:
            return True
    return False


def lines(stones: int, length: int) -> int:
    """Return the cells of all unbroken lines of `length` or more stones; 0 if there are none."""
    found = 0
    for step, shifts in zip(STEPS, RUNS[length], strict=True):
        starts = stones
        for shift in shifts:
            starts &= starts >> shift
        for distance in range(length):
            found |= starts << step * distance
    return found
