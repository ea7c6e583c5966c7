"""Shapes of three by three points in whose middle a stone is worth a look.

Stones are in contact there, where moves are urgent more often than elsewhere. That is an idea of
MoGo (Sylvain Gelly, Yizao Wang, Remi Munos, Olivier Teytaud: "Modification of UCT with Patterns in
Monte-Carlo Go", 2006). The shapes are those of Michi by Petr Baudis (2015), which has them from his
program Pachi; there they were modelled after MoGo's, with changes: the last cut before the edge
shapes is not in MoGo, and those along the edge differ.

In a shape `X` and `O` are the two colours, either way round; `.` is empty, `x` is anything on the
board but X, `o` is anything on the board but O, `#` is beyond the edge, `?` is anything.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import BLACK, COLOUR, EDGE, EMPTY, STRIDE, WHITE, Cells

SHAPES = (
    # Hane: round the head of the other's stones.
    ("XOX", ". .", "???"),
    ("XO.", ". .", "?.?"),
    ("XO?", "X .", "x.?"),
    (".O.", "X .", "..."),
    # Cuts, and what prevents them.
    ("XO?", "O o", "?o?"),
    ("XO?", "O X", "???"),
    ("?X?", "O O", "ooo"),
    ("OX?", "o O", "???"),
    # Along the edge.
    ("X.?", "O ?", "###"),
    ("OX?", "X O", "###"),
    ("?X?", "x O", "###"),
    ("?XO", "x x", "###"),
    ("?OX", "X O", "###"),
)

MEANINGS = {
    "X": (BLACK,),
    "O": (WHITE,),
    ".": (EMPTY,),
    "x": (WHITE, EMPTY),
    "o": (BLACK, EMPTY),
    "#": (EDGE,),
    "?": (EMPTY, BLACK, WHITE, EDGE),
}


def matching_codes() -> npt.NDArray[np.bool_]:
    """For each code of what is around a point: whether it is one of the shapes."""
    table = np.zeros(1 << 16, dtype=np.bool_)
    for shape in SHAPES:
        for around in _variants("".join(shape).replace(" ", "")):
            for code in _codes(around):
                table[code] = True
    return table


def _variants(around: str) -> Iterator[str]:
    """The shape turned, mirrored, and with colours exchanged; row by row without the middle."""
    for _ in range(4):
        around = "".join(around[i] for i in (5, 3, 0, 6, 1, 7, 4, 2))
        for mirrored in (around, "".join(around[i] for i in (2, 1, 0, 4, 3, 7, 6, 5))):
            yield mirrored
            yield mirrored.translate(str.maketrans("XOxo", "OXox"))


def _codes(around: str) -> list[int]:
    codes = [0]
    for letter in around:
        codes = [code << 2 | meaning for code in codes for meaning in MEANINGS[letter]]
    return codes


@compiled
def code_around(cells: Cells, point: int) -> int:
    """What is on the eight points around a point, two bits for each, row by row."""
    above = COLOUR + point - cells[STRIDE]
    here = COLOUR + point
    below = COLOUR + point + cells[STRIDE]
    code: int = (
        cells[above - 1] << 14
        | cells[above] << 12
        | cells[above + 1] << 10
        | cells[here - 1] << 8
        | cells[here + 1] << 6
        | cells[below - 1] << 4
        | cells[below] << 2
        | cells[below + 1]
    )
    return code
