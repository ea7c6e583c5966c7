"""A mutable board: chains, their exact liberties, and the list of empty points.

A point is an index into rows that are one longer than the board is wide, with an extra row above
and below. So every point on the board has four neighbours and four diagonals, some of them EDGE.
Point 0 is never on the board, and stands for a pass.

Only moves that are legal under simple ko and without suicide may be played. Area scoring counts
every stone on the board as alive.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from numba.cpython.unsafe import numbers

from gamehall.bots.compiled import compiled

Cells: TypeAlias = npt.NDArray[np.int64]


# The caches of compiled functions refer to this class by name: do not rename it.
class Board(NamedTuple):
    """The state of the board in two arrays, which change with every move."""

    cells: Cells
    """Fields with a number for every point (COLOUR to FOUND), then single numbers (GLOBALS)."""
    liberties: npt.NDArray[np.int64]
    """The liberties of each chain as a bit set, at its head."""


trailing_zeros = cast("Callable[[int], int]", numbers.trailing_zeros)

MAX_SIZE = 19
"""The number of lines of the largest board."""

EMPTY, BLACK, WHITE, EDGE = 0, 1, 2, 3
"""The contents of a point. The opponent of `colour` is `3 - colour`."""
PASS = 0

FIELD = 424
"""The length of a field: at least the number of points of the largest board, with its edge."""

COLOUR = 0 * FIELD
HEAD = 1 * FIELD
"""The representative stone of the chain of a stone."""
NEXT = 2 * FIELD
"""The next stone of the same chain, in a ring."""
LIBERTY_COUNT = 3 * FIELD
"""At a head, the number of liberties."""
STONES = 4 * FIELD
"""At a head, the number of stones."""
EMPTY_POINTS = 5 * FIELD
"""The list of empty points, in any order, except that the last captured points are at the end."""
EMPTY_INDEX = 6 * FIELD
"""The index of an empty point in that list."""
MARK, STACK, BONUS = 7 * FIELD, 8 * FIELD, 9 * FIELD
"""Scratch space for functions that walk over the board."""
FOUND = 10 * FIELD
"""The result of functions that look for moves. Twice as long as the other fields."""

GLOBALS = 12 * FIELD
STRIDE = GLOBALS
"""The distance from a point to the one below it."""
WORDS = GLOBALS + 1
"""The number of 64-bit words of a set of points."""
EMPTY_COUNT = GLOBALS + 2
KO = GLOBALS + 3
"""The point where simple ko forbids the next stone, or 0."""
LAST = GLOBALS + 4
"""The last move: a point, or PASS."""
BEFORE_LAST = GLOBALS + 5
CAPTURED = GLOBALS + 6
"""The number of stones that the last move has captured."""
PLACED_LEAD = GLOBALS + 7
"""The number of stones that black has played so far, less that of white."""
STONE_LEAD = GLOBALS + 8
"""The number of black stones on the board, less that of white ones."""
LENGTH = GLOBALS + 9

MAX_WORDS = 7
"""WORDS on the largest board."""


def new_board() -> Board:
    """Return the arrays for a board of any size. Call `set_up` before use."""
    cells = np.zeros(LENGTH, dtype=np.int64)
    return Board(cells, np.zeros(MAX_WORDS * FIELD, dtype=np.int64))


@compiled
def set_up(board: Board, size: int) -> None:
    """Clear the board and give it this many lines."""
    cells = board.cells
    stride = size + 1
    for index in range(LENGTH):
        cells[index] = 0
    for point in range(FIELD):
        cells[COLOUR + point] = EDGE
    cells[STRIDE] = stride
    cells[WORDS] = ((size + 2) * stride) // 64 + 1
    count = 0
    for row in range(1, size + 1):
        for column in range(1, size + 1):
            point = row * stride + column
            cells[COLOUR + point] = EMPTY
            cells[EMPTY_POINTS + count] = point
            cells[EMPTY_INDEX + point] = count
            count += 1
    cells[EMPTY_COUNT] = count


@compiled
def copy(board: Board, target: Board) -> None:
    """Copy the board to the target."""
    cells, liberties = board.cells, board.liberties
    stride, words = cells[STRIDE], cells[WORDS]
    end = (stride + 1) * stride + 1
    for field in range(COLOUR, MARK, FIELD):
        for point in range(field, field + end):
            target.cells[point] = cells[point]
    for index in range(GLOBALS, LENGTH):
        target.cells[index] = cells[index]
    for index in range(end * words):
        target.liberties[index] = liberties[index]


@compiled
def is_legal(cells: Cells, point: int, colour: int) -> bool:
    """Return True if a stone on this empty point is neither suicide nor forbidden by simple ko."""
    if point == cells[KO]:
        return False
    stride = cells[STRIDE]
    for step in (-stride, -1, 1, stride):
        beside = point + step
        found = cells[COLOUR + beside]
        if found == EMPTY:
            return True
        if found == colour:
            if cells[LIBERTY_COUNT + cells[HEAD + beside]] > 1:
                return True
        elif found != EDGE and cells[LIBERTY_COUNT + cells[HEAD + beside]] == 1:
            return True
    return False


@compiled
def play(board: Board, point: int, colour: int) -> None:
    """Play a stone on an empty point. Not checked: that this is legal."""
    cells, liberties = board.cells, board.liberties
    stride, words = cells[STRIDE], cells[WORDS]
    other = 3 - colour
    _remove_empty_point(cells, point)
    base = point * words
    for word in range(words):
        liberties[base + word] = 0
    cells[COLOUR + point] = colour
    cells[HEAD + point] = point
    cells[NEXT + point] = point
    cells[STONES + point] = 1
    liberty_count = 0
    for step in (-stride, -1, 1, stride):
        beside = point + step
        if cells[COLOUR + beside] == EMPTY:
            liberties[base + (beside >> 6)] |= np.int64(1) << (beside & 63)
            liberty_count += 1
    cells[LIBERTY_COUNT + point] = liberty_count
    captured = captured_at = 0
    at, bit = point >> 6, np.int64(1) << (point & 63)
    for step in (-stride, -1, 1, stride):
        beside = point + step
        found = cells[COLOUR + beside]
        if found != colour and found != other:
            continue
        head = cells[HEAD + beside]
        word = head * words + at
        if liberties[word] & bit != 0:
            liberties[word] ^= bit
            cells[LIBERTY_COUNT + head] -= 1
        if found == other:
            if cells[LIBERTY_COUNT + head] == 0:
                captured += cells[STONES + head]
                captured_at = beside
                _capture(board, head, colour)
        elif head != cells[HEAD + point]:
            _merge(board, cells[HEAD + point], head)
    head = cells[HEAD + point]
    is_ko = captured == 1 and cells[STONES + head] == 1 and cells[LIBERTY_COUNT + head] == 1
    cells[KO] = captured_at if is_ko else 0
    cells[CAPTURED] = captured
    cells[BEFORE_LAST] = cells[LAST]
    cells[LAST] = point
    cells[PLACED_LEAD] += 3 - 2 * colour
    cells[STONE_LEAD] += (3 - 2 * colour) * (1 + captured)


@compiled
def play_pass(cells: Cells) -> None:
    cells[KO] = 0
    cells[CAPTURED] = 0
    cells[BEFORE_LAST] = cells[LAST]
    cells[LAST] = PASS


@compiled
def liberty(board: Board, head: int) -> int:
    """Return the first liberty of a chain, which is the only one if it is in atari."""
    cells, liberties = board.cells, board.liberties
    words = cells[WORDS]
    base = head * words
    word = 0
    while liberties[base + word] == 0:
        word += 1
    point: int = word * 64 + trailing_zeros(liberties[base + word])
    return point


@compiled
def liberty_after(board: Board, head: int, after: int) -> int:
    """Return the next liberty of a chain after a point, or 0."""
    cells, liberties = board.cells, board.liberties
    words = cells[WORDS]
    base = head * words
    word = (after + 1) >> 6
    found = liberties[base + word] & (np.int64(-1) << ((after + 1) & 63))
    while found == 0:
        word += 1
        if word >= words:
            return 0
        found = liberties[base + word]
    point: int = word * 64 + trailing_zeros(found)
    return point


@compiled
def _remove_empty_point(cells: Cells, point: int) -> None:
    # The last point of the list takes its place.
    last = cells[EMPTY_COUNT] - 1
    index, moved = cells[EMPTY_INDEX + point], cells[EMPTY_POINTS + last]
    cells[EMPTY_POINTS + index] = moved
    cells[EMPTY_INDEX + moved] = index
    cells[EMPTY_COUNT] = last


@compiled
def _capture(board: Board, head: int, capturer: int) -> None:
    """Remove a chain, and add its points to the liberties of the capturer's chains beside it."""
    cells, liberties = board.cells, board.liberties
    stride, words = cells[STRIDE], cells[WORDS]
    count = cells[EMPTY_COUNT]
    stone = head
    while True:
        cells[COLOUR + stone] = EMPTY
        cells[EMPTY_POINTS + count] = stone
        cells[EMPTY_INDEX + stone] = count
        count += 1
        at, bit = stone >> 6, np.int64(1) << (stone & 63)
        for step in (-stride, -1, 1, stride):
            beside = stone + step
            if cells[COLOUR + beside] == capturer:
                other = cells[HEAD + beside]
                word = other * words + at
                if liberties[word] & bit == 0:
                    liberties[word] |= bit
                    cells[LIBERTY_COUNT + other] += 1
        stone = cells[NEXT + stone]
        if stone == head:
            break
    cells[EMPTY_COUNT] = count


@compiled
def _merge(board: Board, one: int, other: int) -> None:
    """Merge two chains. The head of the larger one becomes the head of the new chain."""
    cells, liberties = board.cells, board.liberties
    words = cells[WORDS]
    if cells[STONES + one] < cells[STONES + other]:
        one, other = other, one
    liberty_count = cells[LIBERTY_COUNT + one]
    for word in range(words):
        old = liberties[one * words + word]
        gained = liberties[other * words + word] & ~old
        liberties[one * words + word] = old | gained
        while gained != 0:
            gained &= gained - 1
            liberty_count += 1
    cells[LIBERTY_COUNT + one] = liberty_count
    cells[STONES + one] += cells[STONES + other]
    stone = other
    while True:
        cells[HEAD + stone] = one
        stone = cells[NEXT + stone]
        if stone == other:
            break
    cells[NEXT + one], cells[NEXT + other] = cells[NEXT + other], cells[NEXT + one]


@compiled
def area_lead(cells: Cells) -> int:
    """Return the points of black less those of white: stones, and regions next to one colour."""
    stride, empty_count = cells[STRIDE], cells[EMPTY_COUNT]
    lead = 0
    for index in range(empty_count):
        cells[MARK + cells[EMPTY_POINTS + index]] = 0
    for index in range(empty_count):
        start = cells[EMPTY_POINTS + index]
        if cells[MARK + start] != 0:
            continue
        cells[MARK + start] = 1
        cells[STACK] = start
        height, area, touched = 1, 0, 0
        while height > 0:
            height -= 1
            point = cells[STACK + height]
            area += 1
            for step in (-stride, -1, 1, stride):
                beside = point + step
                found = cells[COLOUR + beside]
                if found == EMPTY:
                    if cells[MARK + beside] == 0:
                        cells[MARK + beside] = 1
                        cells[STACK + height] = beside
                        height += 1
                elif found != EDGE:
                    touched |= found
        if touched == 1:
            lead += area
        elif touched == 2:
            lead -= area
    for point in range(stride, (stride + 1) * stride):
        found = cells[COLOUR + point]
        if found == 1:
            lead += 1
        elif found == 2:
            lead -= 1
    return lead
