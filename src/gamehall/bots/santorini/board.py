"""Boards and rules of Santorini for the kernels, compiled: a board is a row of numbers.

Cells are numbered as in the game, row by row from the north. A set of cells is a number with a bit
for each. The first four numbers are the cells that are at least one, two and three high, and those
with a dome; then come the cells of the workers of the player to move, and of the other's.

`playouts` plays whole games at random, the usual measure of how quick rules are.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
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
    """Return, by number of the cell, the cells around it as a set. Do not write to it."""
    table = np.array(geometry(size).neighbours, np.int64)
    table.flags.writeable = False
    return table


@cache
def rings_of(size: int) -> Numbers:
    """Return, by number of the cell, its distance from the edge. Do not write to it."""
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
    """Return the turn of the readable game that this number is."""
    cells = geometry(position.size).cells
    worker = int(board_of(position)[OWN_A + (code >> WORKER_SHIFT)])
    return Turn(cells[worker], cells[code >> TO_SHIFT & 63], _built(cells, code & 63))


def _built(cells: tuple[Cell, ...], number: int) -> Cell | None:
    return None if number == NO_BUILD else cells[number]


ANYWHERE = (1 << 36) - 1
"""All cells of the largest board."""
MOST_TURNS = 128
"""Two workers with eight steps and eight builds each."""

# To count bits in pairs, fours and bytes is folklore.
PAIRS, FOURS, BYTES = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
ONES = 0x0101010101010101


@compiled
def number_of(cells: int) -> int:
    """Return how many cells are in a set."""
    pairs = cells - (cells >> 1 & PAIRS)
    fours = (pairs & FOURS) + (pairs >> 2 & FOURS)
    return ((fours + (fours >> 4) & BYTES) * ONES) >> 56


@compiled
def lowest_in(cells: int) -> int:
    """Return the lowest cell of a set. Not checked: that it is not empty."""
    return number_of((cells & -cells) - 1)


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
    """Return the cells with workers."""
    own = 1 << board[OWN_A] | 1 << board[OWN_B]
    return int(own | 1 << board[OTHER_A] | 1 << board[OTHER_B])


@compiled
def reach_of(board: Numbers, neighbours: Numbers, worker: int, occupied: int) -> int:
    """Return where the worker on this cell can step."""
    if board[TWO] >> worker & 1:
        too_high = board[DOME]
    elif board[ONE] >> worker & 1:
        too_high = board[THREE]
    else:
        too_high = board[TWO]
    return int(neighbours[worker] & ~occupied & ~too_high)


@compiled
def winning_steps(board: Numbers, neighbours: Numbers, workers: int, occupied: int) -> int:
    """Return the cells on which a worker wins with its next step.

    workers: where in the board they are, OWN_A or OTHER_A.
    """
    found = 0
    for place in range(workers, workers + 2):
        if board[TWO] >> board[place] & 1:
            found |= neighbours[board[place]] & board[THREE] & ~board[DOME] & ~occupied
    return found


@compiled
def list_turns(board: Numbers, neighbours: Numbers, builds: int, turns: Numbers) -> int:
    """Write down the turns of the player to move, and give their number.

    builds: the cells that may be built on, ANYWHERE for all. A step that wins is always listed.
    """
    count, occupied = 0, occupied_in(board)
    for worker in range(2):
        origin = board[OWN_A + worker]
        reach = reach_of(board, neighbours, origin, occupied)
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
    """Write the board after a turn, seen from the side of the other, who is to move then."""
    worker, to, site = turn >> WORKER_SHIFT, turn >> TO_SHIFT & 63, turn & 63
    for level in range(4):
        after[level] = board[level]
    after[OTHER_A] = to if worker == 0 else board[OWN_A]
    after[OTHER_B] = to if worker == 1 else board[OWN_B]
    after[OWN_A], after[OWN_B] = board[OTHER_A], board[OTHER_B]
    if site != NO_BUILD:
        after[height_at(board, site)] |= 1 << site


MULTIPLIER = 0x2545F4914F6CDD1D
LOW_BITS = (1 << 31) - 1
NO_STEP, WON = -1, -2
"""Instead of a turn: the player cannot move; the player has won."""


@compiled
def draw(chance: Numbers, below: int) -> int:
    """Return a number from 0 up to one below the given one, each as likely as the other.

    The generator is George Marsaglia's xorshift (2003) with the multiplier of Vigna's xorshift64*.
    """
    state = chance[0]
    state ^= state << 13
    state ^= state >> 7 & (1 << 57) - 1
    state ^= state << 17
    chance[0] = state
    return int(((state * MULTIPLIER >> 32 & LOW_BITS) * below) >> 31)


@compiled
def nth_of(cells: int, number: int) -> int:
    """Return the cell of a set before which there are so many others."""
    for _ in range(number):
        cells &= cells - 1
    return lowest_in(cells)


@compiled
def random_turn(board: Numbers, neighbours: Numbers, chance: Numbers) -> int:
    """Return any step of either worker, then any build; or NO_STEP, or WON."""
    occupied = occupied_in(board)
    steps_a = reach_of(board, neighbours, board[OWN_A], occupied)
    steps_b = reach_of(board, neighbours, board[OWN_B], occupied)
    number_a, number_b = number_of(steps_a), number_of(steps_b)
    if number_a + number_b == 0:
        return NO_STEP
    choice = draw(chance, number_a + number_b)
    worker = 0 if choice < number_a else 1
    to = nth_of(steps_a, choice) if worker == 0 else nth_of(steps_b, choice - number_a)
    if board[THREE] >> to & 1:
        return WON
    sites = neighbours[to] & ~(occupied ^ 1 << board[OWN_A + worker]) & ~board[DOME]
    site = nth_of(sites, draw(chance, number_of(sites)))
    return worker << WORKER_SHIFT | to << TO_SHIFT | site


@compiled
def playouts(count: int, seed: int, neighbours: Numbers) -> tuple[int, int]:
    """Play so many games from the empty board at random: any cell, any step, then any build.

    Return the number of moves, placements included, and how many games the first player won. The
    players place in turn, and the first begins. seed: not 0.
    """
    chance = np.array([seed], np.int64)
    board, after = np.zeros(BOARD_WIDTH, np.int64), np.zeros(BOARD_WIDTH, np.int64)
    moves = first_wins = 0
    cells = len(neighbours)
    for _ in range(count):
        for level in range(ONE, DOME + 1):
            board[level] = 0
        taken = 0
        for place in range(OWN_A, BOARD_WIDTH):
            cell = draw(chance, cells)
            while taken >> cell & 1:
                cell = draw(chance, cells)
            taken |= 1 << cell
            board[place] = cell
        moves += BOARD_WIDTH - OWN_A
        is_first = True
        turn = random_turn(board, neighbours, chance)
        while turn >= 0:
            moves += 1
            play_turn(board, turn, after)
            board, after = after, board
            is_first = not is_first
            turn = random_turn(board, neighbours, chance)
        if turn == WON:
            moves += 1
        if (turn == WON) == is_first:
            first_wins += 1
    return moves, first_wins
