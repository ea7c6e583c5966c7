"""The compiled search of the solver. It can be interrupted at any node and continued later.

Score. A game won with stone number n, of 42, scores 43 - n for the winner and the negative of that
for the loser: the number of free cells, plus 1. A draw scores 0. So the sign says who wins, and
quick wins are far from 0. Scores are those of the player to move.

Goal. A search finds out whether the score reaches a goal. It returns a bound: a bound of at least
the goal is a lower bound of the score, any other is an upper bound. A goal above 0 is reached by a
win in time, a goal of 0 or less by not losing too soon. For the opponent, the goal is 1 - goal.

Nodes. Forced moves are not nodes: while there is a single move that does not lose at once, it is
played, and only a position with a choice becomes a node. The threats of a move are computed once,
when the move is listed, and passed on to the position after it.

Where the ideas come from:

* A search with one goal instead of a window is the test in Pearl's Scout (Judea Pearl,
  "Asymptotic Properties of Minimax Trees and Game-Searching Procedures", 1980); with a table it is
  the memory-enhanced test of Plaat, Schaeffer, Pijls and de Bruin ("Best-First Fixed-Depth Minimax
  Algorithms", 1996).
* That scores are bounded by the stones left to play, that moves which lose at once are left out,
  and that moves which make more threats come first, follow Pascal Pons' description of a Connect
  Four solver ("Solving Connect 4: how to build a perfect AI").
* `cannot_win` uses two rules of Victor Allis ("A Knowledge-Based
  Approach of Connect-Four", 1988): Claimeven, to answer on top of each stone, which James D. Allen
  calls follow-up ("Expert Play in Connect-Four", 1990), and Baseinverse, to answer a stone at the
  foot of one column at the foot of another. To use them for all columns at once is our own.
* Transposition tables go back to Greenblatt, Eastlake and Crocker ("The Greenblatt Chess Program",
  1967). To look up all moves in the table before one is tried is the enhanced transposition cutoff
  of Schaeffer and Plaat ("New Advances in Alpha-Beta Searching", 1996).

The state of a search is an array of frames: the nodes on the path from the root, one row for each.
"""

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import bit_count, compiled
from gamehall.bots.connect_four.bits import (
    BOARD,
    CELLS_IN_ALL,
    COLUMN,
    COLUMN_BITS,
    LOWEST,
    has_four,
    mirrored,
    reachable_cells,
    winning_cells,
)

Numbers = npt.NDArray[np.int64]

OWN, TAKEN, DANGERS, STONES, GOAL, BOUND, KEY, MOVES_LEFT = range(8)
"""The first columns of a frame: the stones of the player to move and of both, the cells that would
complete a line of the opponent, the number of stones, the goal, the best bound of the moves tried
so far, the key in the table, and the number of moves left to try."""
CELLS, THREATS, WEIGHTS = 8, 15, 22
"""The first column of three lists of the moves left to try: the cell, the cells that would complete
a line after the move, and the weight. The move with the largest weight is tried first."""
FRAME_WIDTH = 32
FRAMES = CELLS_IN_ALL + 1
NEW = -1
"""In place of the number of moves left: the node has not been visited."""

PLY, VALUE, NODES, FIRST_STONES = range(4)
"""The columns of the state: the current frame, below 0 at the end; the last bound found; the number
of nodes visited; the number of stones in the position at the root."""

NEEDS_SEARCH = 99
"""In place of a bound: the moves must be searched."""
WORST, BEST = -63, 63
"""Trivial bounds. In the table, both are stored as 0."""

PAIR_FEET = LOWEST * 0b010101
"""The lower cell of each pair, if every column is divided into pairs from the top."""
MIRROR_BELOW_STONES = 20
PROBE_BELOW_STONES = 32
MULTIPLIER = 0x1E3779B97F4A7C15
"""Spreads keys over the table: 2**64 over the golden ratio, as Knuth advises ("The Art of Computer
Programming", volume 3, 6.4), truncated to fit a signed number."""
MIDDLE_FIRST = (3, 2, 4, 1, 5, 0, 6)


@compiled
def safe_cells(taken: int, dangers: int) -> int:
    """Return the cells in which a stone does not lose to the opponent's next stone.

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
    """Return True if a simple strategy of the opponent surely prevents a win of the player to move.

    The number of free cells must be even. The opponent answers each stone with one on top of it,
    or, if the stone was the next one in a column with an odd number of free cells, with one in
    another such column. There is always another, since the number of such columns is even. So the
    player to move only gets the lower cells of pairs, and the cells that are reachable now. Without
    a line of four among them, there is no win.
    """
    return not has_four(own | PAIR_FEET & ~taken | reachable_cells(taken))


@compiled
def is_hopeless(own: int, taken: int, stones: int) -> bool:
    """Return True if the player to move surely does not win. False proves nothing."""
    if stones & 1:
        return not has_four(own | BOARD ^ taken)
    return cannot_win(own, taken)


@compiled
def key_of(own: int, taken: int, stones: int) -> int:
    """Return the unique key of a position. Early in the game, its mirror image has the same key."""
    key = own + taken
    if stones < MIRROR_BELOW_STONES:
        key = min(key, mirrored(own) + mirrored(taken))
    return key


@compiled
def slot_of(key: int, table: Numbers) -> int:
    """Return the first of the two slots for a key. The size of the table must be a power of 2."""
    return key * MULTIPLIER >> 37 & table.size - 2


@compiled
def entry_of(table: Numbers, key: int) -> int:
    """Return the entry of a position: its key, and 7 bits for each bound, which are 0 if unknown.

    An empty slot is an entry without bounds for the empty board, whose key is 0.
    """
    slot = slot_of(key, table)
    for entry in (table[slot], table[slot + 1]):
        if entry >> 14 == key:
            return int(entry)
    return key << 14


@compiled
def lower_of(entry: int) -> int:
    return WORST + (entry >> 7 & 127)


@compiled
def upper_of(entry: int) -> int:
    return BEST - (entry & 127)


@compiled
def store_bound(table: Numbers, key: int, bound: int, is_lower: bool) -> None:
    """Store a bound in the first slot. Another position there moves to the second slot."""
    entry = entry_of(table, key)
    lower, upper = lower_of(entry), upper_of(entry)
    if is_lower:
        lower = max(lower, bound)
    else:
        upper = min(upper, bound)
    slot = slot_of(key, table)
    if table[slot] >> 14 != key:
        table[slot + 1] = table[slot]
    table[slot] = key << 14 | lower - WORST << 7 | BEST - upper


@compiled
def play_forced(frames: Numbers, ply: int) -> int:
    """Play while there is a single safe move. Return a bound if that decides it, or NEEDS_SEARCH.

    Not checked: that the player to move cannot complete a line with the next stone. Safe moves keep
    this true.
    """
    own, taken, dangers = frames[ply, OWN], frames[ply, TAKEN], frames[ply, DANGERS]
    stones, goal = frames[ply, STONES], frames[ply, GOAL]
    bound = NEEDS_SEARCH
    while bound == NEEDS_SEARCH:
        cells = safe_cells(taken, dangers)
        # After a safe move, the player to move wins with the next but one stone at the earliest,
        # and loses with the stone after that.
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
    """List the safe moves in the frame. Return a bound if one of them surely reaches the goal."""
    own, taken, stones = frames[ply, OWN], frames[ply, TAKEN], frames[ply, STONES]
    other = own ^ taken
    cells = safe_cells(taken, frames[ply, DANGERS])
    # To reach such a goal, it is enough that the opponent cannot win. `cannot_win` needs an even
    # number of free cells after the move.
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
        frames[ply, WEIGHTS + count] = bit_count(threats) + bit_count(lasting)
        count += 1
    frames[ply, MOVES_LEFT] = count
    return NEEDS_SEARCH


@compiled
def probe_moves(frames: Numbers, ply: int, table: Numbers) -> int:
    """Return a bound if by the table one of the moves reaches the goal, else NEEDS_SEARCH."""
    own, taken, stones = frames[ply, OWN], frames[ply, TAKEN], frames[ply, STONES]
    for move in range(frames[ply, MOVES_LEFT]):
        key = key_of(own ^ taken, taken | frames[ply, CELLS + move], stones + 1)
        bound = -upper_of(entry_of(table, key))
        if bound >= frames[ply, GOAL]:
            return bound
    return NEEDS_SEARCH


@compiled
def open_frame(frames: Numbers, ply: int, table: Numbers) -> int:
    """Visit a node. Return a bound that decides it, or NEEDS_SEARCH.

    Forced moves are played in the frame, and the bound is for the player to move after them.
    """
    bound = play_forced(frames, ply)
    if bound != NEEDS_SEARCH:
        return bound
    own, taken, stones = frames[ply, OWN], frames[ply, TAKEN], frames[ply, STONES]
    goal = frames[ply, GOAL]
    if goal > 0:
        if is_hopeless(own, taken, stones):
            return 0
    elif not has_four(own ^ BOARD):
        # The opponent has no open line left.
        return 0
    key = key_of(own, taken, stones)
    entry = entry_of(table, key)
    if lower_of(entry) >= goal:
        return lower_of(entry)
    if upper_of(entry) < goal:
        return upper_of(entry)
    bound = list_moves(frames, ply)
    if bound == NEEDS_SEARCH and stones < PROBE_BELOW_STONES:
        bound = probe_moves(frames, ply, table)
        if bound != NEEDS_SEARCH:
            store_bound(table, key, bound, True)
    frames[ply, KEY], frames[ply, BOUND] = key, WORST
    return bound


@compiled
def make_move(frames: Numbers, ply: int) -> None:
    """Remove the move with the largest weight, and write the next frame."""
    move, left = 0, frames[ply, MOVES_LEFT] - 1
    for other in range(1, left + 1):
        if frames[ply, WEIGHTS + other] > frames[ply, WEIGHTS + move]:
            move = other
    child = ply + 1
    frames[child, OWN] = frames[ply, OWN] ^ frames[ply, TAKEN]
    frames[child, TAKEN] = frames[ply, TAKEN] | frames[ply, CELLS + move]
    frames[child, DANGERS] = frames[ply, THREATS + move]
    frames[child, STONES] = frames[ply, STONES] + 1
    frames[child, GOAL] = 1 - frames[ply, GOAL]
    frames[child, MOVES_LEFT] = NEW
    for at in range(move, left):
        frames[ply, CELLS + at] = frames[ply, CELLS + at + 1]
        frames[ply, THREATS + at] = frames[ply, THREATS + at + 1]
        frames[ply, WEIGHTS + at] = frames[ply, WEIGHTS + at + 1]
    frames[ply, MOVES_LEFT] = left


@compiled
def search(frames: Numbers, state: Numbers, table: Numbers, max_nodes: int) -> bool:
    """Continue a search for at most `max_nodes` nodes. Return True if it is complete.

    Then `state[VALUE]` is the bound. To start a search, fill the first frame up to GOAL, set its
    MOVES_LEFT to NEW, and the state to zeros except for FIRST_STONES.
    """
    ply, value, nodes = state[PLY], state[VALUE], 0
    while ply >= 0:
        if frames[ply, MOVES_LEFT] == NEW:
            if nodes == max_nodes:
                break
            nodes += 1
            value = open_frame(frames, ply, table)
            is_answered = value != NEEDS_SEARCH
        else:
            # Because of forced moves, the player to move may be the same in both frames.
            if frames[ply + 1, STONES] - frames[ply, STONES] & 1:
                value = -value
            value = max(value, frames[ply, BOUND])
            frames[ply, BOUND] = value
            is_reached = value >= frames[ply, GOAL]
            is_answered = is_reached or frames[ply, MOVES_LEFT] == 0
            if is_answered:
                store_bound(table, frames[ply, KEY], value, is_reached)
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
