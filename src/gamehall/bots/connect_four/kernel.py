"""The search of the solver, compiled as one: it can be stopped anywhere and goes on from there.

A score is who wins, and how soon: 0 is a draw; a win scores how many stones the winner has left,
the winning one included; a loss is that of the other, negative. The search says whether the score
of a position lies above or below a window. It is alpha-beta, depth first, and these make it quick:

* a move after which the opponent wins at once is never tried, and a move that leaves the opponent
  nothing else is not searched but known;
* where a single move is left, nothing is looked up and nothing is sorted;
* moves that threaten most come first, then those nearest to the middle;
* a table keeps bounds of scores. Before the moves are tried, the table is asked about all of them;
* early in the game a position and its mirror image are one.

The path from the root is a row of frames, one for each stone: the whole state of a search.
"""

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
from gamehall.bots.connect_four.bits import (
    BOARD,
    CELLS_IN_ALL,
    COLUMN,
    COLUMN_BITS,
    LOWEST,
    mirrored,
    number_of,
    winning_cells,
)

Numbers = npt.NDArray[np.int64]

OWN, TAKEN, ALPHA, BETA, TRIED, COUNT, KEY, MOVES = range(8)
"""What a frame holds: the stones, the window, how many moves of how many were tried, the key in the
table, and the moves, the best first."""
FRAME_WIDTH = 16
FRESH = -1
"""Instead of a number of tried moves: the position was not looked at yet."""
NO_KEY = -1
"""Instead of a key: not worth to be kept."""

PLY, VALUE, NODES, STONES = range(4)
"""What the state holds: the frame that is looked at, below 0 at the end; the last known value; how
many positions were looked at; how many stones there are in the first frame."""

OPEN = 99
"""Instead of a value: it takes a search."""
LOWEST_SCORE, HIGHEST_SCORE = -32, 31
"""Bounds that say nothing."""

MIRROR_BELOW_STONES = 20
ASK_TABLE_BELOW_STONES = 32
SPREAD = 0x1E3779B97F4A7C15
MIDDLE_FIRST = (3, 2, 4, 1, 5, 0, 6)


@compiled
def key_of(own: int, taken: int, stones: int) -> int:
    """A number for the position that no other has; early in the game its mirror image has it."""
    key = own + taken
    if stones < MIRROR_BELOW_STONES:
        key = min(key, mirrored(own) + mirrored(taken))
    # Not even the empty board may have 0, which is what an empty place of the table holds.
    return key + LOWEST


@compiled
def place_of(key: int, table: Numbers) -> int:
    """Where in the table a key belongs. The size of the table is a power of 2."""
    return key * SPREAD >> 20 & table.size - 1


@compiled
def keep(table: Numbers, key: int, value: int, is_lower: bool) -> None:
    """Note that the score of a position is at least, or at most, that."""
    place = place_of(key, table)
    lower, upper = LOWEST_SCORE, HIGHEST_SCORE
    entry = table[place]
    if entry >> 12 == key:
        lower, upper = (entry >> 6 & 63) + LOWEST_SCORE, (entry & 63) + LOWEST_SCORE
    if is_lower:
        lower = max(lower, value)
    else:
        upper = min(upper, value)
    table[place] = key << 12 | lower - LOWEST_SCORE << 6 | upper - LOWEST_SCORE


@compiled
def leaves_nothing(own: int, taken: int) -> bool:
    """Whether the other, who is to move, loses by the next move of the one with these stones."""
    threats = winning_cells(own, taken)
    possible = taken + LOWEST & BOARD
    forced = possible & threats
    if forced:
        possible = forced
    return forced & forced - 1 != 0 or possible & ~(threats >> 1) == 0


@compiled
def expand(frame: Numbers, stones: int, table: Numbers) -> int:
    """The value of a position if it takes no search; otherwise OPEN, and its moves are listed.

    Not checked: that the player to move cannot win at once.
    """
    own, taken, alpha, beta = frame[OWN], frame[TAKEN], frame[ALPHA], frame[BETA]
    other = own ^ taken
    threats = winning_cells(other, taken)
    possible = taken + LOWEST & BOARD
    forced = possible & threats
    if forced:
        possible = forced
    possible &= ~(threats >> 1)
    if forced & forced - 1 != 0 or possible == 0:
        return -((CELLS_IN_ALL - stones) // 2)
    if stones >= CELLS_IN_ALL - 2:
        return 0
    # Neither can the other win with the next stone, nor we with this one.
    alpha = max(alpha, -((CELLS_IN_ALL - 2 - stones) // 2))
    beta = min(beta, (CELLS_IN_ALL - 1 - stones) // 2)
    if alpha >= beta:
        return int(alpha)
    frame[ALPHA], frame[BETA] = alpha, beta
    if possible & possible - 1 == 0:
        frame[KEY], frame[COUNT], frame[MOVES] = NO_KEY, 1, possible
        return OPEN
    key = key_of(own, taken, stones)
    entry = table[place_of(key, table)]
    if entry >> 12 == key:
        lower, upper = (entry >> 6 & 63) + LOWEST_SCORE, (entry & 63) + LOWEST_SCORE
        if lower >= beta:
            return int(lower)
        if upper <= alpha:
            return int(upper)
        frame[ALPHA], frame[BETA] = max(alpha, lower), min(beta, upper)
    count = 0
    for column in MIDDLE_FIRST:
        move = possible & COLUMN << COLUMN_BITS * column
        if not move:
            continue
        if leaves_nothing(own | move, taken | move):
            return (CELLS_IN_ALL - 1 - stones) // 2
        weight = number_of(winning_cells(own | move, taken | move))
        # The weight is kept above the cells of the move until all are sorted.
        at = count
        while at > 0 and frame[MOVES + at - 1] >> 50 < weight:
            frame[MOVES + at] = frame[MOVES + at - 1]
            at -= 1
        frame[MOVES + at] = weight << 50 | move
        count += 1
    for at in range(count):
        frame[MOVES + at] &= BOARD
    if stones < ASK_TABLE_BELOW_STONES:
        for at in range(count):
            after = taken | frame[MOVES + at]
            entry = table[place_of(key_of(other, after, stones + 1), table)]
            upper = (entry & 63) + LOWEST_SCORE
            if entry >> 12 == key_of(other, after, stones + 1) and -upper >= beta:
                keep(table, key, -upper, True)
                return int(-upper)
    frame[KEY], frame[COUNT] = key, count
    return OPEN


@compiled
def search(frames: Numbers, state: Numbers, table: Numbers, most_nodes: int) -> bool:
    """Search on, for so many positions at most; whether it has come to the end.

    Then `state[VALUE]` is the score, or a bound of it that lies outside the window.
    """
    ply, value, nodes = state[PLY], state[VALUE], 0
    while ply >= 0:
        frame = frames[ply]
        tried = frame[TRIED]
        if tried == FRESH:
            if nodes == most_nodes:
                break
            nodes += 1
            value = expand(frame, state[STONES] + ply, table)
            if value != OPEN:
                ply -= 1
                continue
            tried = 0
        else:
            value = -value
            is_lower = value >= frame[BETA]
            if is_lower or tried == frame[COUNT]:
                value = max(value, frame[ALPHA])
                if frame[KEY] != NO_KEY:
                    keep(table, frame[KEY], value, is_lower)
                ply -= 1
                continue
            frame[ALPHA] = max(frame[ALPHA], value)
        child = frames[ply + 1]
        child[OWN] = frame[OWN] ^ frame[TAKEN]
        child[TAKEN] = frame[TAKEN] | frame[MOVES + tried]
        child[ALPHA], child[BETA] = -frame[BETA], -frame[ALPHA]
        child[TRIED] = FRESH
        frame[TRIED] = tried + 1
        ply += 1
    state[PLY], state[VALUE] = ply, value
    state[NODES] += nodes
    return bool(ply < 0)
