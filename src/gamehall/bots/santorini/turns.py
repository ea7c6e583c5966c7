"""The rules of Santorini, compiled: where workers can step and build, and what wins."""

from gamehall.bots.compiled import compiled
from gamehall.bots.santorini.board import (
    DOME,
    NO_BUILD,
    ONE,
    OTHER_A,
    OTHER_B,
    OWN_A,
    OWN_B,
    THREE,
    TO_SHIFT,
    TWO,
    WORKER_SHIFT,
    Numbers,
)

ANYWHERE = (1 << 36) - 1
"""All cells of the largest board."""
MOST_TURNS = 128
"""Two workers with eight steps and eight builds each."""

# To count bits in pairs, fours and bytes is folklore.
PAIRS, FOURS, BYTES = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
ONES = 0x0101010101010101


@compiled
def number_of(cells: int) -> int:
    """How many cells are in a set."""
    pairs = cells - (cells >> 1 & PAIRS)
    fours = (pairs & FOURS) + (pairs >> 2 & FOURS)
    return ((fours + (fours >> 4) & BYTES) * ONES) >> 56


@compiled
def lowest_in(cells: int) -> int:
    """The lowest cell of a set. Not checked: that it is not empty."""
    return number_of((cells & -cells) - 1)


@compiled
def height_at(board: Numbers, cell: int) -> int:
    """How high a cell is built."""
    return int(
        (board[ONE] >> cell & 1)
        + (board[TWO] >> cell & 1)
        + (board[THREE] >> cell & 1)
        + (board[DOME] >> cell & 1)
    )


@compiled
def occupied_in(board: Numbers) -> int:
    """The cells with workers."""
    own = 1 << board[OWN_A] | 1 << board[OWN_B]
    return int(own | 1 << board[OTHER_A] | 1 << board[OTHER_B])


@compiled
def reach_of(board: Numbers, neighbours: Numbers, worker: int, occupied: int) -> int:
    """Where the worker on this cell can step."""
    if board[TWO] >> worker & 1:
        too_high = board[DOME]
    elif board[ONE] >> worker & 1:
        too_high = board[THREE]
    else:
        too_high = board[TWO]
    return int(neighbours[worker] & ~occupied & ~too_high)


@compiled
def winning_steps(board: Numbers, neighbours: Numbers, workers: int, occupied: int) -> int:
    """The cells on which a worker wins with its next step.

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
