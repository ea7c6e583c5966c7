"""Sets of cells as integers, so that a line is found by a handful of shifts.

A cell is bit `row * 8 + column`: eight bits a row for seven columns. The eighth column is never
filled, so a shifted line cannot run over the edge into the next row.
"""

from gamehall.games.connect_four.moves import CELLS, COLUMNS, ROWS, Cell

ROW_BITS = 8
STEPS = (1, ROW_BITS, ROW_BITS - 1, ROW_BITS + 1)
"""From a cell to its neighbour: right, down, down and left, down and right."""


def bit(cell: Cell) -> int:
    """The set that holds only this cell."""
    return 1 << cell.row * ROW_BITS + cell.column


STONES = {cell: bit(cell) for cell in CELLS}
"""The set of each cell on the board, and of no other."""

PLACES = {cell: (cell, bit(cell), cell.spot) for cell in CELLS}
"""For each cell on the board: itself, the set that holds only it, and its spot."""

FLOOR = sum(bit(Cell(column, ROWS)) for column in range(COLUMNS))
"""The row below the board, on which the lowest pieces rest."""

FULL_COLUMNS = tuple(
    sum(bit(Cell(column, row)) for row in range(ROWS)) for column in range(COLUMNS)
)
FULL_BOARD = sum(FULL_COLUMNS)


def landing_row(taken: int, column: int) -> int:
    """The lowest free row of the column, given the set of taken cells; -1 if it is full.

    Row 5 is the bottom and has the highest bits, hence the highest free bit of the column.
    """
    return (FULL_COLUMNS[column] & ~taken).bit_length() - 1 >> 3


def _doublings(step: int, length: int) -> tuple[int, int, int]:
    """The shifts that leave, of a set of stones, the cells where a run of `length` begins.

    Each shift doubles the length of the runs found so far; the last may do less, or nothing.
    """
    shifts, known = [], 1
    for _ in range(3):
        more = min(known, length - known)
        shifts.append(step * more)
        known += more
    one, two, three = shifts
    return one, two, three


RUNS = {length: [_doublings(step, length) for step in STEPS] for length in range(1, 9)}
"""For each length of a line, the shifts that find its runs in each of the four directions."""


def has_line(stones: int, length: int) -> bool:
    """Whether there is an unbroken line of at least `length` stones, in any of four directions."""
    for one, two, three in RUNS[length]:
        runs = stones & stones >> one
        runs &= runs >> two
        if runs & runs >> three:
            return True
    return False


def lines(stones: int, length: int) -> int:
    """The cells that belong to an unbroken line of at least `length` stones; 0 if there is none."""
    found = 0
    for step, shifts in zip(STEPS, RUNS[length], strict=True):
        starts = stones
        for shift in shifts:
            starts &= starts >> shift
        for distance in range(length):
            found |= starts << step * distance
    return found
