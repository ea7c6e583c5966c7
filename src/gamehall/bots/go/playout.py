"""Playouts: quick games to the end by rules of thumb, which estimate the value of a position.

The player to move first looks for stones in atari around the last move, then for shapes around it,
and otherwise plays at random. It never fills its own eyes, and rarely plays self-atari. The order
of these steps is MoGo's (Sylvain Gelly, Yizao Wang, Remi Munos, Olivier Teytaud: "Modification of
UCT with Patterns in Monte-Carlo Go", 2006). That each step is sometimes skipped, and self-atari
sometimes allowed, is as in Pachi and Michi by Petr Baudis, and the numbers are close to Michi's.

A shape is three by three points whose empty middle is worth a move, since stones of both colours
are in contact there. That is an idea of MoGo. The shapes are those of Michi (2015), which has them
from Pachi; there they were modelled after MoGo's, with changes: the last cut before the edge shapes
is not in MoGo, and those along the edge differ. A single shape hardly matters: with the colours
exchanged in the last shape but one, the bot was as strong (it lost 488 of 1,000 games on 9 lines,
200 to 400 playouts a move). In a shape, `X` and `O` are the two colours, either way round; `.` is
empty, `x` is anything on the board but X, `o` is anything on the board but O, `#` is beyond the
edge, `?` is anything.

Random numbers come from George Marsaglia's xorshift with 64 bits ("Xorshift RNGs", 2003), whose
state is an array of one number. Seeds are mixed as in SplitMix64 (Guy Steele, Doug Lea, Christine
Flood: "Fast Splittable Pseudorandom Number Generators", 2014), with David Stafford's constants.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BEFORE_LAST,
    BLACK,
    CAPTURED,
    COLOUR,
    EDGE,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_INDEX,
    EMPTY_POINTS,
    FOUND,
    LAST,
    PASS,
    STONE_LEAD,
    STRIDE,
    WHITE,
    Board,
    Cells,
    area_lead,
    is_legal,
    play,
    play_pass,
)
from gamehall.bots.go.tactics import atari_moves, is_eye, is_self_atari, stones_after, vital_point

Rng: TypeAlias = npt.NDArray[np.uint64]


def new_rng(seed: int) -> Rng:
    """Return a random number generator. Similar seeds give unrelated numbers."""
    mixed = (seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) % 2**64
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
    # A state of zero would stay zero for ever.
    return np.array([mixed ^ mixed >> 31 or 1], dtype=np.uint64)


@compiled
def random_below(rng: Rng, limit: int) -> int:
    """Return a random number from 0 to limit - 1."""
    state = rng[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    rng[0] = state
    drawn: int = np.int64(state >> np.uint64(33)) * limit >> 31  # type: ignore[assignment]
    return drawn


SHAPES = (
    # Hane: around the head of the opponent's stones.
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


def shape_table() -> npt.NDArray[np.bool_]:
    """Return a table that tells for each neighbourhood code whether it matches a shape."""
    table = np.zeros(1 << 16, dtype=np.bool_)
    for shape in SHAPES:
        for around in _variants("".join(shape).replace(" ", "")):
            for code in _codes(around):
                table[code] = True
    return table


def _variants(around: str) -> Iterator[str]:
    """Yield the shape turned, mirrored, and with colours exchanged; by rows, without the middle."""
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
def neighbourhood_code(cells: Cells, point: int) -> int:
    """Return the contents of the eight points around a point as a number, two bits for each."""
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


Shapes: TypeAlias = npt.NDArray[np.bool_]

PERCENT_VITAL = 95
PERCENT_ATARI = 95
PERCENT_SHAPE = 95
"""How often a playout looks for a vital point, for stones in atari, and for shapes."""
PERCENT_REJECT_FOUND = 95
PERCENT_REJECT_RANDOM = 60
"""How often a self-atari is rejected, if one of these steps found it, and if not."""
MAX_SACRIFICE = 5
"""A self-atari of more stones is always rejected."""
MAX_MOVES_PER_POINT = 3


@compiled
def play_out(
    board: Board,
    spare: Board,
    colour: int,
    rng: Rng,
    shapes: Shapes,
    moves: Cells,
    length: int,
    mercy: int,
) -> tuple[int, int]:
    """Play until both players pass. Changes the board.

    The moves are written to `moves` from index `length` on. A lead of `mercy` stones ends the
    playout early. Return the lead of black by area (or in stones, if it ended early), and the new
    length.
    """
    cells = board.cells
    size = cells[STRIDE] - 1
    end = min(len(moves), length + MAX_MOVES_PER_POINT * size * size)
    passes = 0
    while passes < 2 and length < end:
        point = choose(board, spare, colour, rng, shapes)
        moves[length] = point
        length += 1
        if point == PASS:
            passes += 1
            play_pass(cells)
        else:
            passes = 0
            play(board, point, colour)
            if abs(cells[STONE_LEAD]) >= mercy:
                return cells[STONE_LEAD], length
        colour = 3 - colour
    return area_lead(cells), length


@compiled
def choose(board: Board, spare: Board, colour: int, rng: Rng, shapes: Shapes) -> int:
    """Return the move of a playout, PASS if there is no sensible one."""
    cells = board.cells
    last = cells[LAST]
    if last != PASS:
        if cells[CAPTURED] > 2 and random_below(rng, 100) < PERCENT_VITAL:
            point = vital_point(cells)
            if point != PASS and is_legal(cells, point, colour):
                return point
        if random_below(rng, 100) < PERCENT_ATARI:
            count = atari_moves(board, spare, colour)
            point = _random_found_move(board, colour, rng, count)
            if point != PASS:
                return point
        if random_below(rng, 100) < PERCENT_SHAPE:
            count = shape_moves(cells, last, shapes, 0)
            if cells[BEFORE_LAST] != PASS:
                count = shape_moves(cells, cells[BEFORE_LAST], shapes, count)
            point = _random_found_move(board, colour, rng, count)
            if point != PASS:
                return point
    return _random_move(board, colour, rng)


@compiled
def shape_moves(cells: Cells, last: int, shapes: Shapes, count: int) -> int:
    """Add the middles of shapes around a point to the moves found. Return their new count."""
    stride = cells[STRIDE]
    for step in (-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1):
        point = last + step
        if cells[COLOUR + point] == EMPTY and shapes[neighbourhood_code(cells, point)]:
            cells[FOUND + count] = point
            count += 1
    return count


@compiled
def _random_found_move(board: Board, colour: int, rng: Rng, count: int) -> int:
    """Return one of the moves found, PASS if all are rejected."""
    # The condition is repeated in `_random_move`: as a function, it would slow playouts by 10 %.
    cells = board.cells
    while count > 0:
        index = random_below(rng, count)
        point: int = cells[FOUND + index]
        if (
            not is_eye(cells, point, colour)
            and is_legal(cells, point, colour)
            and (
                not is_self_atari(board, point, colour)
                or (
                    random_below(rng, 100) >= PERCENT_REJECT_FOUND
                    and stones_after(cells, point, colour) <= MAX_SACRIFICE
                )
            )
        ):
            return point
        count -= 1
        cells[FOUND + index] = cells[FOUND + count]
    return PASS


@compiled
def _random_move(board: Board, colour: int, rng: Rng) -> int:
    """Return one of the empty points, PASS if all are rejected."""
    cells = board.cells
    count = cells[EMPTY_COUNT]
    while count > 0:
        index = random_below(rng, count)
        point: int = cells[EMPTY_POINTS + index]
        if (
            not is_eye(cells, point, colour)
            and is_legal(cells, point, colour)
            and (
                not is_self_atari(board, point, colour)
                or (
                    random_below(rng, 100) >= PERCENT_REJECT_RANDOM
                    and stones_after(cells, point, colour) <= MAX_SACRIFICE
                )
            )
        ):
            return point
        # Swap it behind the points that can still be drawn.
        count -= 1
        last = cells[EMPTY_POINTS + count]
        cells[EMPTY_POINTS + index], cells[EMPTY_POINTS + count] = last, point
        cells[EMPTY_INDEX + last], cells[EMPTY_INDEX + point] = index, count
    return PASS
