"""The search of the solver, compiled as a whole. It can stop at any position and continue later.

Score. A game won with stone number n, of 42, scores 43 - n for the winner and the negative of that
for the loser: the cells that stay free, and one. A draw scores 0. So the sign says who wins, and
the sooner, the further from 0. Scores are those of the player to move.

Question. A search answers one question: does the player to move reach this score, the goal? The
answer is a bound: at least the goal, and then the score is at least that; or below the goal, and
then it is at most that. What reaches a goal above 0 is a win in time; a goal of 0 or less is
reached by not losing too soon. For the opponent, the goal is 1 - goal.

Nodes. Forced moves are no nodes: while there is a single move that does not lose at once, it is
played, and only a position with a choice becomes a node. What a move threatens is worked out once,
when it is listed, and handed to the position that it leads to.

Where the ideas come from:

* One question with one goal instead of a window is the test in Pearl's Scout (Judea Pearl,
  "Asymptotic Properties of Minimax Trees and Game-Searching Procedures", 1980); with a table it is
  the memory-enhanced test of Plaat, Schaeffer, Pijls and de Bruin ("Best-First Fixed-Depth Minimax
  Algorithms", 1996).
* That scores are bounded by the stones left to play, that moves which lose at once are left out,
  and that moves which make more threats come first, follow Pascal Pons' description of a Connect
  Four solver ("Solving Connect 4: how to build a perfect AI").
* `cannot_win` holds the first player off with two rules of Victor Allis ("A Knowledge-Based
  Approach of Connect-Four", 1988): Claimeven, to answer on top of each stone, which James D. Allen
  calls follow-up ("Expert Play in Connect-Four", 1990), and Baseinverse, to answer a stone at the
  foot of one column at the foot of another. To use them for all columns at once is our own.
* Transposition tables go back to Greenblatt, Eastlake and Crocker ("The Greenblatt Chess Program",
  1967). Asking the table about all moves before one is tried is the enhanced transposition cutoff
  of Schaeffer and Plaat ("New Advances in Alpha-Beta Searching", 1996).

The path from the root is an array of frames, one row for each node, which is the whole state.
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
    has_four,
    mirrored,
    number_of,
    reachable_cells,
    winning_cells,
)

Numbers = npt.NDArray[np.int64]

OWN, TAKEN, DANGERS, STONES, GOAL, BOUND, KEY, LEFT = range(8)
"""The first columns of a frame: the stones of the player to move and of both, the cells that would
complete a line of the opponent, how many stones there are, the goal, the best bound of the moves
tried so far, the key in the table, and how many moves are left to try."""
CELLS, THREATS, WEIGHTS = 8, 15, 22
"""Where in a frame the moves that are left start: the cell of each, the cells in which it threatens
to complete a line, and its weight. The heaviest is tried first."""
FRAME_WIDTH = 32
FRAMES = CELLS_IN_ALL + 1
UNOPENED = -1
"""In place of the number of moves left: the position has not been looked at."""

PLY, VALUE, NODES, FIRST_STONES = range(4)
"""The columns of the state: the frame in work, below 0 at the end; the last bound found; how many
positions were looked at; how many stones there were in the position that was asked about."""

BRANCHES = 99
"""In place of a bound: the moves must be searched."""
WORST, BEST = -63, 63
"""Bounds that say nothing; in the table both are written as 0."""

PAIR_FEET = LOWEST * 0b010101
"""The lower cell of each pair, if every column is divided into pairs from the top."""
MIRROR_BELOW_STONES = 20
ASK_TABLE_BELOW_STONES = 32
MULTIPLIER = 0x1E3779B97F4A7C15
"""Spreads keys over the table: 2**64 over the golden ratio, as Knuth advises ("The Art of Computer
Programming", volume 3, 6.4), cut to fit a signed number."""
MIDDLE_FIRST = (3, 2, 4, 1, 5, 0, 6)


@compiled
def safe_cells(taken: int, dangers: int) -> int:
    """The cells in which a stone does not lose to the opponent's next one; 0 if there is none.

    Not checked: that the board is not full.
    """
    cells = reachable_cells(taken)
    # A stone right below a dangerous cell would let the opponent reach it.
    safe = cells & ~(dangers >> 1)
    urgent = cells & dangers
    if urgent == 0:
        return safe
    # One stone blocks one cell only.
    return safe & urgent if urgent & urgent - 1 == 0 else 0


@compiled
def cannot_win(own: int, taken: int) -> bool:
    """Return True if the player to move, with an even number of cells free, is surely held off.

    The opponent answers each stone on top of it, or at the foot of another column with an odd
    number of free cells if the stone was at the foot of such a column: those are even in number, as
    the free cells are, so that there is always another. The player to move then gets no cells but
    the lower ones of pairs and those that can be reached now. Without a line there, no win.
    """
    return not has_four(own | PAIR_FEET & ~taken | reachable_cells(taken))


@compiled
def is_hopeless(own: int, taken: int, stones: int) -> bool:
    """Return True if the player to move surely does not win. False says nothing."""
    if stones & 1:
        return not has_four(own | BOARD ^ taken)
    return cannot_win(own, taken)


@compiled
def key_of(own: int, taken: int, stones: int) -> int:
    """Return a number that no other position has; early in the game its mirror image shares it."""
    key = own + taken
    if stones < MIRROR_BELOW_STONES:
        key = min(key, mirrored(own) + mirrored(taken))
    return key


@compiled
def place_of(key: int, table: Numbers) -> int:
    """Return the first of the two places for a key. The size of the table must be a power of 2."""
    return key * MULTIPLIER >> 37 & table.size - 2


@compiled
def entry_of(table: Numbers, key: int) -> int:
    """Return the entry of a position: its key and 7 bits for each bound; without bounds if unknown.

    An empty place reads as an entry without bounds of the empty board, whose key is 0.
    """
    place = place_of(key, table)
    for entry in (table[place], table[place + 1]):
        if entry >> 14 == key:
            return int(entry)
    return key << 14


@compiled
def lower_of(entry: int) -> int:
    """Return the lower bound of the score in an entry."""
    return WORST + (entry >> 7 & 127)


@compiled
def upper_of(entry: int) -> int:
    """Return the upper bound of the score in an entry."""
    return BEST - (entry & 127)


@compiled
def keep(table: Numbers, key: int, bound: int, is_lower: bool) -> None:
    """Store a bound. Of the two positions in a pair of places, the one stored last stays."""
    entry = entry_of(table, key)
    lower, upper = lower_of(entry), upper_of(entry)
    if is_lower:
        lower = max(lower, bound)
    else:
        upper = min(upper, bound)
    place = place_of(key, table)
    if table[place] >> 14 != key:
        table[place + 1] = table[place]
    table[place] = key << 14 | lower - WORST << 7 | BEST - upper


@compiled
def play_forced(frames: Numbers, ply: int) -> int:
    """Play on while there is a single safe move. Return a bound if that ends it, or BRANCHES.

    Not checked: that the player to move cannot complete a line with the next stone. Since only safe
    moves are played, that stays true.
    """
    own, taken, dangers = frames[ply, OWN], frames[ply, TAKEN], frames[ply, DANGERS]
    stones, goal = frames[ply, STONES], frames[ply, GOAL]
    bound = BRANCHES
    while bound == BRANCHES:
        cells = safe_cells(taken, dangers)
        # With a safe move, we win two stones after the next at best, and lose one after that.
        free = CELLS_IN_ALL - stones
        soonest_win, soonest_loss = max(free - 2, 0), min(3 - free, 0)
        if cells == 0:
            bound = 1 - free
        elif goal > soonest_win:
            bound = soonest_win
        elif goal <= soonest_loss:
            bound = soonest_loss
        elif cells & cells - 1:
            break
        else:
            own, taken = own ^ taken, taken | cells
            dangers = winning_cells(own ^ taken, taken)
            goal = 1 - goal
            stones += 1
    frames[ply, OWN], frames[ply, TAKEN], frames[ply, DANGERS] = own, taken, dangers
    frames[ply, STONES], frames[ply, GOAL] = stones, goal
    return bound


@compiled
def list_moves(frames: Numbers, ply: int) -> int:
    """Write down the safe moves. Return a bound if one of them surely reaches the goal."""
    own, taken, stones = frames[ply, OWN], frames[ply, TAKEN], frames[ply, STONES]
    other = own ^ taken
    cells = safe_cells(taken, frames[ply, DANGERS])
    # We must not lose: then it is enough to hold the opponent off, who needs an even board.
    may_hold = frames[ply, GOAL] <= 0 and stones & 1 == 1
    count = 0
    for column in MIDDLE_FIRST:
        cell = cells & COLUMN << COLUMN_BITS * column
        if not cell:
            continue
        after = taken | cell
        threats = winning_cells(own | cell, after)
        if safe_cells(after, threats) == 0:
            return int(CELLS_IN_ALL - 2 - stones)
        if may_hold and cannot_win(other, after):
            return 0
        frames[ply, CELLS + count] = cell
        frames[ply, THREATS + count] = threats
        # A threat that the opponent can block at once counts half.
        lasting = threats & ~reachable_cells(after)
        frames[ply, WEIGHTS + count] = number_of(threats) + number_of(lasting)
        count += 1
    frames[ply, LEFT] = count
    return BRANCHES


@compiled
def ask_about_moves(frames: Numbers, ply: int, table: Numbers) -> int:
    """Return a bound if the table knows of one of the moves that it reaches the goal."""
    own, taken, stones = frames[ply, OWN], frames[ply, TAKEN], frames[ply, STONES]
    for move in range(frames[ply, LEFT]):
        key = key_of(own ^ taken, taken | frames[ply, CELLS + move], stones + 1)
        bound = -upper_of(entry_of(table, key))
        if bound >= frames[ply, GOAL]:
            return bound
    return BRANCHES


@compiled
def open_frame(frames: Numbers, ply: int, table: Numbers) -> int:
    """Look at a position. Return a bound that answers its question, or BRANCHES.

    The bound is for the player to move in the frame as it is then: forced moves have been played.
    """
    bound = play_forced(frames, ply)
    if bound != BRANCHES:
        return bound
    own, taken, stones = frames[ply, OWN], frames[ply, TAKEN], frames[ply, STONES]
    goal = frames[ply, GOAL]
    if goal > 0:
        if is_hopeless(own, taken, stones):
            return 0
    elif not has_four(own ^ BOARD):
        # There is no line left without one of our stones.
        return 0
    key = key_of(own, taken, stones)
    entry = entry_of(table, key)
    if lower_of(entry) >= goal:
        return lower_of(entry)
    if upper_of(entry) < goal:
        return upper_of(entry)
    bound = list_moves(frames, ply)
    if bound == BRANCHES and stones < ASK_TABLE_BELOW_STONES:
        bound = ask_about_moves(frames, ply, table)
        if bound != BRANCHES:
            keep(table, key, bound, True)
    frames[ply, KEY], frames[ply, BOUND] = key, WORST
    return bound


@compiled
def make_move(frames: Numbers, ply: int) -> None:
    """Take the heaviest move off the list, and write the position after it to the next frame."""
    move, left = 0, frames[ply, LEFT] - 1
    for other in range(1, left + 1):
        if frames[ply, WEIGHTS + other] > frames[ply, WEIGHTS + move]:
            move = other
    child = ply + 1
    frames[child, OWN] = frames[ply, OWN] ^ frames[ply, TAKEN]
    frames[child, TAKEN] = frames[ply, TAKEN] | frames[ply, CELLS + move]
    frames[child, DANGERS] = frames[ply, THREATS + move]
    frames[child, STONES] = frames[ply, STONES] + 1
    frames[child, GOAL] = 1 - frames[ply, GOAL]
    frames[child, LEFT] = UNOPENED
    for at in range(move, left):
        frames[ply, CELLS + at] = frames[ply, CELLS + at + 1]
        frames[ply, THREATS + at] = frames[ply, THREATS + at + 1]
        frames[ply, WEIGHTS + at] = frames[ply, WEIGHTS + at + 1]
    frames[ply, LEFT] = left


@compiled
def search(frames: Numbers, state: Numbers, table: Numbers, most_nodes: int) -> bool:
    """Search on, for at most so many positions. Return whether the question is answered.

    Then `state[VALUE]` is the bound. To begin, fill the first frame up to GOAL, set its LEFT to
    UNOPENED, and give a state of zeros but for FIRST_STONES.
    """
    ply, value, nodes = state[PLY], state[VALUE], 0
    while ply >= 0:
        if frames[ply, LEFT] == UNOPENED:
            if nodes == most_nodes:
                break
            nodes += 1
            value = open_frame(frames, ply, table)
            is_answered = value != BRANCHES
        else:
            # After forced moves the player to move may be the same in both frames.
            if frames[ply + 1, STONES] - frames[ply, STONES] & 1:
                value = -value
            value = max(value, frames[ply, BOUND])
            frames[ply, BOUND] = value
            is_reached = value >= frames[ply, GOAL]
            is_answered = is_reached or frames[ply, LEFT] == 0
            if is_answered:
                keep(table, frames[ply, KEY], value, is_reached)
        if is_answered:
            ply -= 1
        else:
            make_move(frames, ply)
            ply += 1
    if ply < 0 and frames[0, STONES] - state[FIRST_STONES] & 1:
        value = -value
    state[PLY], state[VALUE] = ply, value
    state[NODES] += nodes
    return bool(ply < 0)
