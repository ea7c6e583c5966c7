"""Boards of Connect Four as bit sets, for the solver.

Cell `height` of a column, counted from below, is bit `column * 7 + height`. The seventh bit of a
column is never set, so no line crosses the edge. A position is two numbers: the stones of the
player to move, and all stones.

This layout, finding a line by shifting, and the sum of the two numbers as a unique key are those of
John Tromp's Fhourstones benchmark.
"""

from typing import NamedTuple

from gamehall.bots.compiled import compiled
from gamehall.core import Seat
from gamehall.games.connect_four import COLUMNS, ROWS, Cell, ConnectFourPosition

COLUMN_BITS = ROWS + 1
CELLS_IN_ALL = COLUMNS * ROWS
LOWEST = sum(1 << COLUMN_BITS * column for column in range(COLUMNS))
"""The lowest cell of every column. Added to all stones, it carries to the first free cells."""
BOARD = LOWEST * ((1 << ROWS) - 1)
COLUMN = (1 << ROWS) - 1
"""The cells of the first column."""
SEVEN_BITS = (1 << COLUMN_BITS) - 1


class Stones(NamedTuple):
    """The stones of the player to move, and those of both."""

    own: int
    taken: int


def stones_of(position: ConnectFourPosition) -> Stones:
    """Convert a position of the game."""
    own = taken = 0
    mine = 1 if position.next_seat is Seat.FIRST else 2
    for column in range(COLUMNS):
        for row in range(ROWS):
            owner = position.spots[row * COLUMNS + column]
            bit = 1 << column * COLUMN_BITS + ROWS - 1 - row
            if owner:
                taken |= bit
            if owner == mine:
                own |= bit
    return Stones(own, taken)


def landing_cell(taken: int, column: int) -> int:
    """Return the lowest free cell of a column, 0 if the column is full."""
    return taken + LOWEST & COLUMN << COLUMN_BITS * column & ~taken


def cell_of(bit: int) -> Cell:
    """Convert a bit to a cell of the game."""
    column, height = divmod(bit.bit_length() - 1, COLUMN_BITS)
    return Cell(column, ROWS - 1 - height)


@compiled
def reachable_cells(taken: int) -> int:
    """Return the lowest free cell of each column that is not full."""
    return taken + LOWEST & BOARD


@compiled
def winning_cells(own: int, taken: int) -> int:
    """Return the free cells that would complete a line of four, reachable or not."""
    found = own << 1 & own << 2 & own << 3
    for step in (6, 7, 8):
        before, after = own << step, own >> step
        # Two stones on one side of the cell, and a third on the other side or beyond the two.
        found |= before & own << 2 * step & (after | own << 3 * step)
        found |= after & own >> 2 * step & (before | own >> 3 * step)
    return found & (BOARD ^ taken)


@compiled
def has_four(own: int) -> bool:
    """Return True if there is a line of four."""
    found = 0
    for step in (1, 6, 7, 8):
        pairs = own & own >> step
        found |= pairs & pairs >> 2 * step
    return found != 0


@compiled
def mirrored(cells: int) -> int:
    """Return the mirror image, with left and right exchanged."""
    return (
        (cells & SEVEN_BITS) << 42
        | (cells & SEVEN_BITS << 7) << 28
        | (cells & SEVEN_BITS << 14) << 14
        | cells & SEVEN_BITS << 21
        | cells >> 14 & SEVEN_BITS << 14
        | cells >> 28 & SEVEN_BITS << 7
        | cells >> 42 & SEVEN_BITS
    )
