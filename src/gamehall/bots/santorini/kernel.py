"""The search of Santorini, compiled as one: it can be stopped anywhere and continues from there.

It is alpha-beta to a given depth, with the same evaluation as evaluation.py, and these make it
quick:

* a player who can win with the next step does; one who must block is only shown the turns that do;
  and no turn is looked at that lets the opponent win with the next step;
* a table keeps values and best turns by a key of the whole board;
* the best turn of the table is tried first, then what refuted turns beside this one, then what has
  refuted most elsewhere, then what climbs;
* all turns but the first are tried with an empty window, and once more if they turn out better.

The path from the root is a row of frames, one for each turn, which are the whole state of a search.

All of that is well known from chess programs: the table (Greenblatt and others, 1967), killer moves
(Akl and Newborn, 1977), the count of refutations (Jonathan Schaeffer's history heuristic, 1983) and
empty windows (Pearl's Scout, 1980; Alexander Reinefeld's NegaScout, 1983).
"""

from gamehall.bots.compiled import compiled
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
    number_of,
    occupied_in,
    play_turn,
    reach_of,
    winning_steps,
)
from gamehall.bots.santorini.evaluation import (
    WORTH_OF_CLIMB,
    WORTH_OF_HEIGHT,
    WORTH_OF_RING,
    WORTH_OF_STEP,
    WORTH_OF_THREAT,
)


@compiled
def worth_of_workers(
    board: Numbers, neighbours: Numbers, rings: Numbers, workers: int, occupied: int
) -> int:
    """Return what both workers of a player are worth together.

    workers: where in the board they are, OWN_A or OTHER_A.
    """
    worth = 0
    for place in range(workers, workers + 2):
        cell = board[place]
        height = height_at(board, cell)
        reach = reach_of(board, neighbours, cell, occupied)
        worth += WORTH_OF_HEIGHT[height] + WORTH_OF_RING[rings[cell]]
        worth += WORTH_OF_STEP * number_of(reach)
        if height == 0:
            worth += WORTH_OF_CLIMB[0] * number_of(reach & board[ONE])
        elif height == 1:
            worth += WORTH_OF_CLIMB[1] * number_of(reach & board[TWO])
        worth += WORTH_OF_THREAT * number_of(reach & board[THREE])
    return worth


@compiled
def judge(board: Numbers, neighbours: Numbers, rings: Numbers) -> int:
    """Return how much better the own workers stand than those of the other."""
    occupied = occupied_in(board)
    own = worth_of_workers(board, neighbours, rings, OWN_A, occupied)
    return own - worth_of_workers(board, neighbours, rings, OTHER_A, occupied)


ALPHA, BETA, DEPTH, TRIED, COUNT, KEY, BEST, BEST_TURN, IS_SCOUT, FLOOR, KILLER_A, KILLER_B = range(
    BOARD_WIDTH, BOARD_WIDTH + 12
)
"""What a frame holds behind its board: the window, how deep to go, how many turns of how many were
tried, the key in the table, the best so far, whether the last turn was tried with an empty window,
where the window began, and two turns that have refuted others at this ply."""
FRAME_WIDTH = BOARD_WIDTH + 12
FRESH = -1
"""Instead of a number of tried turns: the position was not looked at yet."""

PLY, VALUE, NODES = range(3)
"""What the state holds: the frame that is looked at, below 0 at the end; the last known value; how
many positions were looked at."""

WIN = 100_000
"""What it is worth to have won; each turn on the way takes 1 off."""
SURELY_DECIDED = WIN // 2
OPEN = 1_000_000
"""Instead of a value: it takes a search."""
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
MOST_HISTORY = 1 << 20


@compiled
def key_of(board: Numbers) -> int:
    """Return a number for the board that hardly another has."""
    own = 1 << board[OWN_A] | 1 << board[OWN_B]
    other = 1 << board[OTHER_A] | 1 << board[OTHER_B]
    key = own * MULTIPLIERS[4] ^ other * MULTIPLIERS[5]
    key ^= key >> 29
    for level in range(4):
        key = (key ^ board[level]) * MULTIPLIERS[level]
        key ^= key >> 31
    return int(key)


@compiled
def weigh(
    frame: Numbers,
    turns: Numbers,
    weights: Numbers,
    history: Numbers,
    hint: int,
) -> None:
    """Give each turn the weight by which it is tried sooner or later."""
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
    rings: Numbers,
    table: Numbers,
    history: Numbers,
    turns: Numbers,
    weights: Numbers,
) -> int:
    """The value of a position if it takes no search; otherwise OPEN, and its turns are listed."""
    occupied = occupied_in(frame)
    frame[BEST], frame[BEST_TURN], frame[FLOOR] = -OPEN, NO_TURN, frame[ALPHA]
    wins = winning_steps(frame, neighbours, OWN_A, occupied)
    if wins:
        if ply == 0:
            frame[COUNT] = list_turns(frame, neighbours, 0, turns)
            frame[BEST_TURN] = turns[0]
        return WIN - (ply + 1)
    blocked = winning_steps(frame, neighbours, OTHER_A, occupied)
    # To build to the third level where the other stands ready on the second is to lose.
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
        return judge(frame, neighbours, rings)
    hint, key = NO_TURN, key_of(frame)
    entry = table[key & len(table) - 1]
    if entry[0] == key:
        value, depth, bound, hint = entry[1], entry[2] >> 2, entry[2] & 3, entry[3]
        if value > SURELY_DECIDED:
            value -= ply
        elif value < -SURELY_DECIDED:
            value += ply
        if depth >= frame[DEPTH] and ply > 0:
            if bound == EXACT or (bound == AT_LEAST and value >= frame[BETA]):
                return int(value)
            if bound == AT_MOST and value <= frame[ALPHA]:
                return int(value)
    frame[KEY] = key
    weigh(frame, turns, weights, history, hint)
    return OPEN


@compiled
def pick_next(frame: Numbers, turns: Numbers, weights: Numbers, tried: int) -> int:
    """Return the turn to try next, which is put behind those that were tried."""
    best = tried
    for at in range(tried + 1, frame[COUNT]):
        if weights[at] > weights[best]:
            best = at
    turns[tried], turns[best] = turns[best], turns[tried]
    weights[tried], weights[best] = weights[best], weights[tried]
    return int(turns[tried])


@compiled
def settle(frame: Numbers, ply: int, table: Numbers, history: Numbers) -> int:
    """Keep what was found, and give the value."""
    value = frame[BEST]
    if value >= frame[BETA]:
        turn = frame[BEST_TURN]
        if turn != frame[KILLER_A]:
            frame[KILLER_B], frame[KILLER_A] = frame[KILLER_A], turn
        history[turn] = min(history[turn] + frame[DEPTH] * frame[DEPTH], MOST_HISTORY)
    bound = EXACT
    if value >= frame[BETA]:
        bound = AT_LEAST
    elif value <= frame[FLOOR]:
        bound = AT_MOST
    kept = value
    if value > SURELY_DECIDED:
        kept += ply
    elif value < -SURELY_DECIDED:
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
    rings: Numbers,
    table: Numbers,
    history: Numbers,
    most_nodes: int,
) -> bool:
    """Search on, for so many positions at most; whether it has come to the end.

    Then `state[VALUE]` is the value of the first frame, and its best turn is there.
    """
    ply, value, nodes = state[PLY], state[VALUE], 0
    while ply >= 0:
        frame, child = frames[ply], frames[ply + 1]
        tried = frame[TRIED]
        if tried == FRESH:
            if nodes == most_nodes:
                break
            nodes += 1
            value = expand(frame, ply, neighbours, rings, table, history, turns[ply], weights[ply])
            if value != OPEN:
                ply -= 1
                continue
            tried = 0
        else:
            value = -value
            if frame[IS_SCOUT] and frame[ALPHA] < value < frame[BETA]:
                # Better than thought: once more, to know by how much.
                frame[IS_SCOUT] = 0
                child[ALPHA], child[BETA] = -frame[BETA], -frame[ALPHA]
                child[TRIED] = FRESH
                ply += 1
                continue
            if value > frame[BEST]:
                frame[BEST], frame[BEST_TURN] = value, turns[ply, tried - 1]
                frame[ALPHA] = max(frame[ALPHA], value)
            if value >= frame[BETA] or tried == frame[COUNT]:
                value = settle(frame, ply, table, history)
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
