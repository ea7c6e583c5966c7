"""How many ways there are to play so many moves: the usual measure of how quick rules are."""

from gamehall.bots.compiled import compiled
from gamehall.bots.connect_four.bits import BOARD, COLUMN, COLUMN_BITS, LOWEST, has_four
from gamehall.games.connect_four import COLUMNS


@compiled
def perft(depth: int, own: int, taken: int) -> int:
    """The number of sequences of `depth` moves; a game that is won goes no further.

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
