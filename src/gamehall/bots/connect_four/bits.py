"""Boards of Connect Four for the solver: a column is seven bits, the lowest cell first.

Bit `column * 7 + height` is a cell; the seventh bit of a column is never filled, so no line runs
over the edge. Two numbers describe a position: the stones of the player to move, and all stones.

This layout, finding a line by shifting, and the sum of the two numbers as a key that no other
position has are those of John Tromp's Fhourstones benchmark.
"""

from typing import NamedTuple

from gamehall.bots.compiled import compiled
from gamehall.core import Seat
from gamehall.games.connect_four import COLUMNS, ROWS, Cell, ConnectFourPosition

COLUMN_BITS = ROWS + 1
CELLS_IN_ALL = COLUMNS * ROWS
LOWEST = sum(1 << COLUMN_BITS * column for column in range(COLUMNS))
"""The lowest cell of every column. Added to all stones, it carries up to the first free cells."""
BOARD = LOWEST * ((1 << ROWS) - 1)
COLUMN = (1 << ROWS) - 1
"""The cells of the first column; shifted, those of another."""
SEVEN_BITS = (1 << COLUMN_BITS) - 1

PAIRS, FOURS, BYTES = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
ONES = 0x0101010101010101


class Stones(NamedTuple):
    """The stones of the player to move, and those of both."""

    own: int
    taken: int


def stones_of(position: ConnectFourPosition) -> Stones:
    """Return a position of the readable game, seen from the side of the player to move."""
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


def landing(taken: int, column: int) -> int:
    """Return the cell in which a stone in that column comes to rest, 0 if the column is full."""
    return taken + LOWEST & COLUMN << COLUMN_BITS * column & ~taken


def cell_of(bit: int) -> Cell:
    """Return the cell of the readable game that this bit is."""
    column, height = divmod(bit.bit_length() - 1, COLUMN_BITS)
    return Cell(column, ROWS - 1 - height)


@compiled
def number_of(cells: int) -> int:
    """How many cells are in a set: counted in pairs of bits, then fours, then bytes (folklore)."""
    pairs = cells - (cells >> 1 & PAIRS)
    fours = (pairs & FOURS) + (pairs >> 2 & FOURS)
    return ((fours + (fours >> 4) & BYTES) * ONES) >> 56


@compiled
def reachable_cells(taken: int) -> int:
    """Return the lowest free cell of each column that is not full."""
    return taken + LOWEST & BOARD


@compiled
def winning_cells(own: int, taken: int) -> int:
    """The free cells that would complete a line of four, whether or not they can be reached now."""
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
    """Return the same cells with left and right exchanged."""
    return (
        (cells & SEVEN_BITS) << 42
        | (cells & SEVEN_BITS << 7) << 28
        | (cells & SEVEN_BITS << 14) << 14
        | cells & SEVEN_BITS << 21
        | cells >> 14 & SEVEN_BITS << 14
        | cells >> 28 & SEVEN_BITS << 7
        | cells >> 42 & SEVEN_BITS
    )


@compiled
def perft(depth: int, own: int, taken: int) -> int:
    """Return the number of sequences of `depth` moves; a game that is won goes no further.

    own, taken: where to begin, 0 and 0 for the empty board (see bits.py).
    """
    if depth == 0:
        return 1
    found = 0
    possible = taken + LOWEST & BOARD
    for column in range(COLUMNS):
        move = possible & COLUMN << COLUMN_BITS * column
        if move:
            if depth == 1:
                found += 1
            elif not has_four(own | move):
                found += perft(depth - 1, own ^ taken, taken | move)
    return found
