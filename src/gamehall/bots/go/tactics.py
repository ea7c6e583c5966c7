"""What a stone would come to, judged without putting it down."""

import numpy as np

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BREATHS,
    COLOUR,
    EDGE,
    EMPTY,
    HEAD,
    STONES,
    STRIDE,
    WORDS,
    Board,
    Cells,
)

MANY = 4


@compiled
def is_eye(cells: Cells, point: int, colour: int) -> bool:
    """Whether an empty point looks like an eye of this colour, which it had better not fill.

    The count of diagonals is folklore among programs that play out at random.
    """
    stride = cells[STRIDE]
    for step in (-stride, -1, 1, stride):
        found = cells[COLOUR + point + step]
        if found != colour and found != EDGE:
            return False
    others = edges = 0
    for step in (-stride - 1, -stride + 1, stride - 1, stride + 1):
        found = cells[COLOUR + point + step]
        if found == 3 - colour:
            others += 1
        elif found == EDGE:
            edges = 1
    return others + edges < 2


@compiled
def breaths_after(board: Board, point: int, colour: int) -> int:
    """How many liberties the chain of a stone at this point would have; MANY stands for more too.

    Of what it captures only the points beside it are counted.
    """
    cells, liberties = board.cells, board.liberties
    stride, words = cells[STRIDE], cells[WORDS]
    empty = 0
    for step in (-stride, -1, 1, stride):
        if cells[COLOUR + point + step] == EMPTY:
            empty += 1
    if empty == MANY:
        return MANY
    count = 0
    for word in range(words):
        found = np.int64(0)
        for step in (-stride, -1, 1, stride):
            beside = point + step
            here = cells[COLOUR + beside]
            if here == EDGE:
                continue
            if here == colour:
                found |= liberties[cells[HEAD + beside] * words + word]
            elif beside >> 6 == word and (
                here == EMPTY or cells[BREATHS + cells[HEAD + beside]] == 1
            ):
                found |= np.int64(1) << (beside & 63)
        if point >> 6 == word:
            found &= ~(np.int64(1) << (point & 63))
        while found != 0:
            count += 1
            if count == MANY:
                return MANY
            found &= found - 1
    return count


@compiled
def is_self_atari(board: Board, point: int, colour: int) -> bool:
    """Whether the chain of a stone at this point would have a single liberty, or none."""
    cells = board.cells
    stride = cells[STRIDE]
    empty = 0
    for step in (-stride, -1, 1, stride):
        here = cells[COLOUR + point + step]
        if here == EMPTY:
            empty += 1
        elif here == colour and cells[BREATHS + cells[HEAD + point + step]] > 2:
            return False
    return empty < 2 and breaths_after(board, point, colour) < 2


@compiled
def stones_after(cells: Cells, point: int, colour: int) -> int:
    """How many stones the chain of a stone at this point would have, or a few more."""
    stride = cells[STRIDE]
    count = 1
    for step in (-stride, -1, 1, stride):
        if cells[COLOUR + point + step] == colour:
            count += cells[STONES + cells[HEAD + point + step]]
    return count
