"""The compiled search of Santorini. It can be interrupted at any node and continued later.

It is an alpha-beta search to a given depth with the evaluation of evaluation.py. To be quick:

* a step that wins is made at once, and turns that let the opponent win with the next step are not
  searched: if there is a threat to block, only the turns that block it are;
* a table stores values and best turns by a hash key of the board;
* the best turn of the table is tried first, then the killer turns of the same ply, then other turns
  by the number of their cutoffs (history heuristic) and by how far they climb;
* all turns but the first are searched with an empty window, and again if they turn out better.

The state of a search is an array of frames: the nodes on the path from the root, one row for each.

All of that is well known from chess programs: the table (Greenblatt and others, 1967), killer moves
(Akl and Newborn, 1977), the count of refutations (Jonathan Schaeffer's history heuristic, 1983) and
empty windows (Pearl's Scout, 1980; Alexander Reinefeld's NegaScout, 1983).
"""

from gamehall.bots.compiled import bit_count, compiled
from gamehall.bots.santorini.board import (
    ANYWHERE,
    BOARD_WIDTH,
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
    height_at,
    list_turns,
    occupied_in,
    play_turn,
    reachable_cells,
    winning_steps,
)
from gamehall.bots.santorini.evaluation import (
    VALUE_OF_CLIMB,
    VALUE_OF_HEIGHT,
    VALUE_OF_RING,
    VALUE_OF_STEP,
    VALUE_OF_THREAT,
)


@compiled
def value_of_workers(
    board: Numbers, neighbours: Numbers, edge_distances: Numbers, workers: int, occupied: int
) -> int:
    """Return the value of both workers of a player (OWN_A or OTHER_A)."""
    value = 0
    for place in range(workers, workers + 2):
        cell = board[place]
        height = height_at(board, cell)
        reach = reachable_cells(board, neighbours, cell, occupied)
        value += VALUE_OF_HEIGHT[height] + VALUE_OF_RING[edge_distances[cell]]
        value += VALUE_OF_STEP * bit_count(reach)
        if height == 0:
            value += VALUE_OF_CLIMB[0] * bit_count(reach & board[ONE])
        elif height == 1:
            value += VALUE_OF_CLIMB[1] * bit_count(reach & board[TWO])
        value += VALUE_OF_THREAT * bit_count(reach & board[THREE])
    return value


@compiled
def evaluate_board(board: Numbers, neighbours: Numbers, edge_distances: Numbers) -> int:
    """Return the value of the own workers, less that of the opponent's."""
    occupied = occupied_in(board)
    own = value_of_workers(board, neighbours, edge_distances, OWN_A, occupied)
    return own - value_of_workers(board, neighbours, edge_distances, OTHER_A, occupied)


(
    ALPHA,
    BETA,
    DEPTH,
    TRIED,
    COUNT,
    KEY,
    BEST,
    BEST_TURN,
    IS_SCOUT,
    ORIGINAL_ALPHA,
    KILLER_A,
    KILLER_B,
) = range(BOARD_WIDTH, BOARD_WIDTH + 12)
"""The columns of a frame after its board: the window, the depth left, the number of turns tried and
of all turns, the key in the table, the best value and turn so far, whether the last turn was tried
with an empty window, the original alpha, and the two killer turns of this ply."""
FRAME_WIDTH = BOARD_WIDTH + 12
FRESH = -1
"""In place of the number of turns tried: the node has not been visited."""

PLY, VALUE, NODES = range(3)
"""The columns of the state: the current frame, below 0 at the end; the last value found; the number
of nodes visited."""

WIN = 100_000
"""The value of a win, less 1 for each turn until then."""
DECIDED = WIN // 2
"""Values beyond this are wins, and those below its negative are losses."""
NEEDS_SEARCH = 1_000_000
"""In place of a value: the turns must be searched."""
NO_TURN = -1
EXACT, AT_LEAST, AT_MOST = range(3)

# Odd numbers that mix well: the three of SplitMix64 without their highest bit, the one of
# Sebastiano Vigna's xorshift64*, and two from Pierre L'Ecuyer's tables of generators (1999).
MULTIPLIERS = (
    0x1E3779B97F4A7C15,
    0x3F58476D1CE4E5B9,
    0x14D049BB133111EB,
    0x2545F4914F6CDD1D,
    0x369DEA0F31A53F85,
    0x27BB2EE687B0B0FD,
)
HISTORY_SIZE = 1 << 13
MAX_HISTORY = 1 << 20


@compiled
def key_of(board: Numbers) -> int:
    """Return a hash key of the board. Collisions are possible, but very rare."""
    own = 1 << board[OWN_A] | 1 << board[OWN_B]
    other = 1 << board[OTHER_A] | 1 << board[OTHER_B]
    key = own * MULTIPLIERS[4] ^ other * MULTIPLIERS[5]
    key ^= key >> 29
    for level in range(4):
        key = (key ^ board[level]) * MULTIPLIERS[level]
        key ^= key >> 31
    return int(key)


@compiled
def weigh_turns(
    frame: Numbers,
    turns: Numbers,
    weights: Numbers,
    history: Numbers,
    hint: int,
) -> None:
    """Weigh the turns. Those with the largest weights are tried first."""
    for at in range(frame[COUNT]):
        turn = turns[at]
        if turn == hint:
            weights[at] = 1 << 40
        elif turn in (frame[KILLER_A], frame[KILLER_B]):
            weights[at] = 1 << 30
        else:
            origin, to = frame[OWN_A + (turn >> WORKER_SHIFT)], turn >> TO_SHIFT & 63
            climb = height_at(frame, to) - height_at(frame, origin)
            weights[at] = history[turn] + (climb + 3 << 8)


@compiled
def expand(
    frame: Numbers,
    ply: int,
    neighbours: Numbers,
    edge_distances: Numbers,
    table: Numbers,
    history: Numbers,
    turns: Numbers,
    weights: Numbers,
) -> int:
    """Return the value of a node, or list its turns and return NEEDS_SEARCH."""
    occupied = occupied_in(frame)
    frame[BEST], frame[BEST_TURN], frame[ORIGINAL_ALPHA] = -NEEDS_SEARCH, NO_TURN, frame[ALPHA]
    wins = winning_steps(frame, neighbours, OWN_A, occupied)
    if wins:
        if ply == 0:
            frame[COUNT] = list_turns(frame, neighbours, 0, turns)
            frame[BEST_TURN] = turns[0]
        return WIN - (ply + 1)
    blocked = winning_steps(frame, neighbours, OTHER_A, occupied)
    # A turn loses that builds a third level next to an opponent's worker on the second.
    builds = ANYWHERE
    for place in range(OTHER_A, OTHER_B + 1):
        if frame[TWO] >> frame[place] & 1:
            builds &= ~(neighbours[frame[place]] & frame[TWO] & ~frame[THREE])
    if blocked:
        builds = blocked if blocked & blocked - 1 == 0 else 0
    frame[COUNT] = list_turns(frame, neighbours, builds, turns)
    if frame[COUNT] == 0:
        frame[COUNT] = list_turns(frame, neighbours, ANYWHERE, turns)
        if frame[COUNT] == 0:
            return ply - WIN
        frame[BEST_TURN] = turns[0]
        return ply + 2 - WIN
    if frame[DEPTH] <= 0:
        return evaluate_board(frame, neighbours, edge_distances)
    hint, key = NO_TURN, key_of(frame)
    entry = table[key & len(table) - 1]
    if entry[0] == key:
        value, depth, bound, hint = entry[1], entry[2] >> 2, entry[2] & 3, entry[3]
        if value > DECIDED:
            value -= ply
        elif value < -DECIDED:
            value += ply
        if depth >= frame[DEPTH] and ply > 0:
            if bound == EXACT or (bound == AT_LEAST and value >= frame[BETA]):
                return int(value)
            if bound == AT_MOST and value <= frame[ALPHA]:
                return int(value)
    frame[KEY] = key
    weigh_turns(frame, turns, weights, history, hint)
    return NEEDS_SEARCH


@compiled
def pick_next(frame: Numbers, turns: Numbers, weights: Numbers, tried: int) -> int:
    """Return the turn to try next, and move it to the end of those tried."""
    best = tried
    for at in range(tried + 1, frame[COUNT]):
        if weights[at] > weights[best]:
            best = at
    turns[tried], turns[best] = turns[best], turns[tried]
    weights[tried], weights[best] = weights[best], weights[tried]
    return int(turns[tried])


@compiled
def store_result(frame: Numbers, ply: int, table: Numbers, history: Numbers) -> int:
    """Store the result of a node in the table and the history, and return its value."""
    value = frame[BEST]
    if value >= frame[BETA]:
        turn = frame[BEST_TURN]
        if turn != frame[KILLER_A]:
            frame[KILLER_B], frame[KILLER_A] = frame[KILLER_A], turn
        history[turn] = min(history[turn] + frame[DEPTH] * frame[DEPTH], MAX_HISTORY)
    bound = EXACT
    if value >= frame[BETA]:
        bound = AT_LEAST
    elif value <= frame[ORIGINAL_ALPHA]:
        bound = AT_MOST
    kept = value
    if value > DECIDED:
        kept += ply
    elif value < -DECIDED:
        kept -= ply
    entry = table[frame[KEY] & len(table) - 1]
    entry[0], entry[1], entry[2] = frame[KEY], kept, frame[DEPTH] << 2 | bound
    entry[3] = frame[BEST_TURN]
    return int(value)


@compiled
def search(
    frames: Numbers,
    state: Numbers,
    turns: Numbers,
    weights: Numbers,
    neighbours: Numbers,
    edge_distances: Numbers,
    table: Numbers,
    history: Numbers,
    max_nodes: int,
) -> bool:
    """Continue a search for at most `max_nodes` nodes. Return True if it is complete.

    Then `state[VALUE]` is the value of the first frame, which contains the best turn.
    """
    ply, value, nodes = state[PLY], state[VALUE], 0
    while ply >= 0:
        frame, child = frames[ply], frames[ply + 1]
        tried = frame[TRIED]
        if tried == FRESH:
            if nodes == max_nodes:
                break
            nodes += 1
            value = expand(
                frame, ply, neighbours, edge_distances, table, history, turns[ply], weights[ply]
            )
            if value != NEEDS_SEARCH:
                ply -= 1
                continue
            tried = 0
        else:
            value = -value
            if frame[IS_SCOUT] and frame[ALPHA] < value < frame[BETA]:
                # The turn is better than the best so far. Search it again for its exact value.
                frame[IS_SCOUT] = 0
                child[ALPHA], child[BETA] = -frame[BETA], -frame[ALPHA]
                child[TRIED] = FRESH
                ply += 1
                continue
            if value > frame[BEST]:
                frame[BEST], frame[BEST_TURN] = value, turns[ply, tried - 1]
                frame[ALPHA] = max(frame[ALPHA], value)
            if value >= frame[BETA] or tried == frame[COUNT]:
                value = store_result(frame, ply, table, history)
                ply -= 1
                continue
        play_turn(frame, pick_next(frame, turns[ply], weights[ply], tried), child)
        frame[IS_SCOUT] = 1 if tried > 0 else 0
        child[ALPHA] = -frame[ALPHA] - 1 if tried > 0 else -frame[BETA]
        child[BETA] = -frame[ALPHA]
        child[DEPTH] = frame[DEPTH] - 1
        child[TRIED] = FRESH
        frame[TRIED] = tried + 1
        ply += 1
    state[PLY], state[VALUE] = ply, value
    state[NODES] += nodes
    return bool(ply < 0)
