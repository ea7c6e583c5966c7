"""Boards and compiled rules of Santorini for the kernel.

A board is an array of eight numbers: the cells that are at least one, two and three levels high,
and those with a dome, as bit sets; then the cells of the workers of the player to move, and of the
opponent. Cells are numbered as in the game, row by row from the north.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import bit_count, compiled
from gamehall.core import Seat
from gamehall.games.santorini import Cell, SantoriniPosition, Turn
from gamehall.games.santorini.board import geometry

Numbers = npt.NDArray[np.int64]

ONE, TWO, THREE, DOME, OWN_A, OWN_B, OTHER_A, OTHER_B = range(8)
BOARD_WIDTH = 8

NO_BUILD = 63
"""In place of the cell to build on: the step wins."""
TO_SHIFT, WORKER_SHIFT = 6, 12
"""A turn is a number: which own worker moves, the cell to step to, and the cell to build on."""


@cache
def neighbours_of(size: int) -> Numbers:
    """Return the neighbours of each cell as a bit set. The array is read-only."""
    table = np.array(geometry(size).neighbours, np.int64)
    table.flags.writeable = False
    return table


@cache
def edge_distances(size: int) -> Numbers:
    """Return the distance of each cell from the edge. The array is read-only."""
    last = size - 1
    table = np.array(
        [min(row, column, last - row, last - column) for row, column in geometry(size).cells],
        np.int64,
    )
    table.flags.writeable = False
    return table


def board_of(position: SantoriniPosition) -> Numbers:
    """Convert a position. Not checked: that all workers are placed."""
    seat = position.to_move or Seat.FIRST
    own = position.workers[0 if seat is Seat.FIRST else 1]
    other = position.workers[1 if seat is Seat.FIRST else 0]
    return np.array([*position.heights.levels, *own, *other], np.int64)


def turn_of(position: SantoriniPosition, code: int) -> Turn:
    """Convert a number to a turn of the game."""
    cells = geometry(position.size).cells
    worker = int(board_of(position)[OWN_A + (code >> WORKER_SHIFT)])
    return Turn(cells[worker], cells[code >> TO_SHIFT & 63], _built(cells, code & 63))


def _built(cells: tuple[Cell, ...], number: int) -> Cell | None:
    return None if number == NO_BUILD else cells[number]


ANYWHERE = (1 << 36) - 1
"""All cells of the largest board."""
MAX_TURNS = 128
"""Two workers with eight steps and eight builds each."""


@compiled
def lowest_in(cells: int) -> int:
    """Return the lowest cell of a set. Not checked: that it is not empty."""
    return bit_count((cells & -cells) - 1)


@compiled
def height_at(board: Numbers, cell: int) -> int:
    """Return how high a cell is built."""
    return int(
        (board[ONE] >> cell & 1)
        + (board[TWO] >> cell & 1)
        + (board[THREE] >> cell & 1)
        + (board[DOME] >> cell & 1)
    )


@compiled
def occupied_in(board: Numbers) -> int:
    """Return the cells with workers as a bit set."""
    own = 1 << board[OWN_A] | 1 << board[OWN_B]
    return int(own | 1 << board[OTHER_A] | 1 << board[OTHER_B])


@compiled
def reachable_cells(board: Numbers, neighbours: Numbers, worker: int, occupied: int) -> int:
    """Return the cells that the worker on this cell can step to."""
    if board[TWO] >> worker & 1:
        too_high = board[DOME]
    elif board[ONE] >> worker & 1:
        too_high = board[THREE]
    else:
        too_high = board[TWO]
    return int(neighbours[worker] & ~occupied & ~too_high)


@compiled
def winning_steps(board: Numbers, neighbours: Numbers, workers: int, occupied: int) -> int:
    """Return the cells on which a worker of a player (OWN_A or OTHER_A) wins with its next step."""
    found = 0
    for place in range(workers, workers + 2):
        if board[TWO] >> board[place] & 1:
            found |= neighbours[board[place]] & board[THREE] & ~board[DOME] & ~occupied
    return found


@compiled
def list_turns(board: Numbers, neighbours: Numbers, builds: int, turns: Numbers) -> int:
    """Write the turns of the player to move to `turns`, and return their number.

    Only turns that build on `builds` are listed, and all steps that win.
    """
    count, occupied = 0, occupied_in(board)
    for worker in range(2):
        origin = board[OWN_A + worker]
        reach = reachable_cells(board, neighbours, origin, occupied)
        others = occupied ^ 1 << origin
        while reach:
            to = lowest_in(reach)
            reach &= reach - 1
            step = worker << WORKER_SHIFT | to << TO_SHIFT
            if board[THREE] >> to & 1:
                turns[count] = step | NO_BUILD
                count += 1
                continue
            sites = neighbours[to] & ~others & ~board[DOME] & builds
            while sites:
                turns[count] = step | lowest_in(sites)
                count += 1
                sites &= sites - 1
    return count


@compiled
def play_turn(board: Numbers, turn: int, after: Numbers) -> None:
    """Write the board after a turn, from the view of the opponent, who is to move."""
    worker, to, site = turn >> WORKER_SHIFT, turn >> TO_SHIFT & 63, turn & 63
    for level in range(4):
        after[level] = board[level]
    after[OTHER_A] = to if worker == 0 else board[OWN_A]
    after[OTHER_B] = to if worker == 1 else board[OWN_B]
    after[OWN_A], after[OWN_B] = board[OTHER_A], board[OTHER_B]
    if site != NO_BUILD:
        after[height_at(board, site)] |= 1 << site
