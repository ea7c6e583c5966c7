"""Boards of Santorini as the kernels have them: a row of numbers.

Cells are numbered as in the game, row by row from the north. A set of cells is a number with a bit
for each. The first four numbers are the cells that are at least one, two and three high, and those
with a dome; then come the cells of the workers of the player to move, and of the other's.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from gamehall.core import Seat
from gamehall.games.santorini import Cell, SantoriniPosition, Turn
from gamehall.games.santorini.board import geometry

Numbers = npt.NDArray[np.int64]

ONE, TWO, THREE, DOME, OWN_A, OWN_B, OTHER_A, OTHER_B = range(8)
BOARD_WIDTH = 8

NO_BUILD = 63
"""Instead of the cell that is built on: the step has won."""
TO_SHIFT, WORKER_SHIFT = 6, 12
"""A turn is a number: which own worker, the cell it steps to, and the cell it builds on."""


@cache
def neighbours_of(size: int) -> Numbers:
    """By number of the cell: the cells around it, as a set. Not to be written to."""
    table = np.array(geometry(size).neighbours, np.int64)
    table.flags.writeable = False
    return table


@cache
def rings_of(size: int) -> Numbers:
    """By number of the cell: its distance from the edge. Not to be written to."""
    last = size - 1
    table = np.array(
        [min(row, column, last - row, last - column) for row, column in geometry(size).cells],
        np.int64,
    )
    table.flags.writeable = False
    return table


def board_of(position: SantoriniPosition) -> Numbers:
    """A position, all of whose workers are placed, seen from the side of the player to move."""
    seat = position.to_move or Seat.FIRST
    own = position.workers[0 if seat is Seat.FIRST else 1]
    other = position.workers[1 if seat is Seat.FIRST else 0]
    return np.array([*position.heights.levels, *own, *other], np.int64)


def turn_of(position: SantoriniPosition, code: int) -> Turn:
    """The turn of the readable game that this number is."""
    cells = geometry(position.size).cells
    worker = int(board_of(position)[OWN_A + (code >> WORKER_SHIFT)])
    return Turn(cells[worker], cells[code >> TO_SHIFT & 63], _built(cells, code & 63))


def _built(cells: tuple[Cell, ...], number: int) -> Cell | None:
    return None if number == NO_BUILD else cells[number]
