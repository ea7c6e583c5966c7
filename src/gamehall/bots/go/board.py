"""A board that changes in place: chains, their exact liberties, and the list of empty points.

A point is an index into rows that are one longer than the board is wide, with one more row above
and below: so every point has four neighbours and four diagonals, and what lies beyond is EDGE.
Point 0 is never on the board, and stands for a pass.

Only what is legal under simple ko and without suicide may be played here. The area that is counted
at the end takes every stone on the board as alive.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from numba.cpython.unsafe import numbers

from gamehall.bots.compiled import compiled

Cells: TypeAlias = npt.NDArray[np.int64]


class PlayoutBoard(NamedTuple):
    """The stones, as two arrays that change with every move."""

    cells: Cells
    """One field after the other, each with a number for every point, then those of the whole."""
    liberties: npt.NDArray[np.int64]
    """For each chain a set of points as bits, at its head."""


trailing_zeros = cast("Callable[[int], int]", numbers.trailing_zeros)

LARGEST = 19
"""How many lines a board can have."""

EMPTY, BLACK, WHITE, EDGE = 0, 1, 2, 3
"""What is on a point. The other colour than `colour` is 3 - colour."""
PASS = 0

FIELD = 424
"""The length of a field: no less than the points of the largest board."""

COLOUR = 0 * FIELD
HEAD = 1 * FIELD
"""The point by which a stone's chain is known."""
NEXT = 2 * FIELD
"""The next stone of the same chain, in a ring."""
BREATHS = 3 * FIELD
"""At a head: how many liberties."""
STONES = 4 * FIELD
"""At a head: how many stones."""
FREE = 5 * FIELD
"""The list of empty points, in any order. What was captured last stands at its end."""
PLACE = 6 * FIELD
"""Where an empty point stands in that list."""
MARK = 7 * FIELD
"""For whoever walks over the board, like the two that follow: nothing that lasts."""
STACK = 8 * FIELD
BONUS = 9 * FIELD
FOUND = 10 * FIELD
"""Moves that somebody looks for. There is room for two in every point."""

WHOLE = 12 * FIELD
STRIDE = WHOLE
"""From a point to the one below it."""
WORDS = WHOLE + 1
"""How many words a set of points takes."""
FREE_COUNT = WHOLE + 2
KO = WHOLE + 3
"""The point where simple ko forbids the next stone, 0 if there is none."""
LAST = WHOLE + 4
"""Where the last stone was put, PASS if it was none."""
BEFORE_LAST = WHOLE + 5
CAPTURED = WHOLE + 6
"""How many stones the last move has taken off."""
LEAD = WHOLE + 7
"""How many more stones black has put onto the board than white."""
STANDING = WHOLE + 8
"""How many more stones black has there than white."""
LENGTH = WHOLE + 9

MOST_WORDS = 7
"""Of a set of points on the largest board."""


def new_board() -> PlayoutBoard:
    """Room for a board of whatever size; `set_up` makes it one."""
    cells = np.zeros(LENGTH, dtype=np.int64)
    return PlayoutBoard(cells, np.zeros(MOST_WORDS * FIELD, dtype=np.int64))


@compiled
def set_up(board: PlayoutBoard, size: int) -> None:
    """Make it an empty board with this many lines."""
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
            cells[FREE + count] = point
            cells[PLACE + point] = count
            count += 1
    cells[FREE_COUNT] = count


@compiled
def copy(board: PlayoutBoard, target: PlayoutBoard) -> None:
    """Make the target a board like the other."""
    cells, liberties = board.cells, board.liberties
    stride, words = cells[STRIDE], cells[WORDS]
    end = (stride + 1) * stride + 1
    for field in range(COLOUR, MARK, FIELD):
        for point in range(field, field + end):
            target.cells[point] = cells[point]
    for index in range(WHOLE, LENGTH):
        target.cells[index] = cells[index]
    for index in range(end * words):
        target.liberties[index] = liberties[index]


@compiled
def is_legal(cells: Cells, point: int, colour: int) -> bool:
    """Return True if a stone may be put onto an empty point: no suicide, no simple ko."""
    if point == cells[KO]:
        return False
    stride = cells[STRIDE]
    for step in (-stride, -1, 1, stride):
        beside = point + step
        found = cells[COLOUR + beside]
        if found == EMPTY:
            return True
        if found == colour:
            if cells[BREATHS + cells[HEAD + beside]] > 1:
                return True
        elif found != EDGE and cells[BREATHS + cells[HEAD + beside]] == 1:
            return True
    return False


@compiled
def play(board: PlayoutBoard, point: int, colour: int) -> None:
    """Put a stone onto an empty point. Not checked: that this is legal."""
    cells, liberties = board.cells, board.liberties
    stride, words = cells[STRIDE], cells[WORDS]
    other = 3 - colour
    _take_from_free(cells, point)
    base = point * words
    for word in range(words):
        liberties[base + word] = 0
    cells[COLOUR + point] = colour
    cells[HEAD + point] = point
    cells[NEXT + point] = point
    cells[STONES + point] = 1
    breaths = 0
    for step in (-stride, -1, 1, stride):
        beside = point + step
        if cells[COLOUR + beside] == EMPTY:
            liberties[base + (beside >> 6)] |= np.int64(1) << (beside & 63)
            breaths += 1
    cells[BREATHS + point] = breaths
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
            cells[BREATHS + head] -= 1
        if found == other:
            if cells[BREATHS + head] == 0:
                captured += cells[STONES + head]
                captured_at = beside
                _take_off(board, head, colour)
        elif head != cells[HEAD + point]:
            _join(board, cells[HEAD + point], head)
    head = cells[HEAD + point]
    is_ko = captured == 1 and cells[STONES + head] == 1 and cells[BREATHS + head] == 1
    cells[KO] = captured_at if is_ko else 0
    cells[CAPTURED] = captured
    cells[BEFORE_LAST] = cells[LAST]
    cells[LAST] = point
    cells[LEAD] += 3 - 2 * colour
    cells[STANDING] += (3 - 2 * colour) * (1 + captured)


@compiled
def play_pass(cells: Cells) -> None:
    """No stone, and no ko any more."""
    cells[KO] = 0
    cells[CAPTURED] = 0
    cells[BEFORE_LAST] = cells[LAST]
    cells[LAST] = PASS


@compiled
def liberty(board: PlayoutBoard, head: int) -> int:
    """Return the first liberty of a chain: the only one if it is in atari."""
    cells, liberties = board.cells, board.liberties
    words = cells[WORDS]
    base = head * words
    word = 0
    while liberties[base + word] == 0:
        word += 1
    point: int = word * 64 + trailing_zeros(liberties[base + word])
    return point


@compiled
def liberty_after(board: PlayoutBoard, head: int, after: int) -> int:
    """Return the first liberty of a chain that comes after a point, 0 if there is none."""
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
def _take_from_free(cells: Cells, point: int) -> None:
    last = cells[FREE_COUNT] - 1
    place, moved = cells[PLACE + point], cells[FREE + last]
    cells[FREE + place] = moved
    cells[PLACE + moved] = place
    cells[FREE_COUNT] = last


@compiled
def _take_off(board: PlayoutBoard, head: int, beside_colour: int) -> None:
    """Take a chain off, and give its points to the chains of the other colour beside it."""
    cells, liberties = board.cells, board.liberties
    stride, words = cells[STRIDE], cells[WORDS]
    count = cells[FREE_COUNT]
    stone = head
    while True:
        cells[COLOUR + stone] = EMPTY
        cells[FREE + count] = stone
        cells[PLACE + stone] = count
        count += 1
        at, bit = stone >> 6, np.int64(1) << (stone & 63)
        for step in (-stride, -1, 1, stride):
            beside = stone + step
            if cells[COLOUR + beside] == beside_colour:
                other = cells[HEAD + beside]
                word = other * words + at
                if liberties[word] & bit == 0:
                    liberties[word] |= bit
                    cells[BREATHS + other] += 1
        stone = cells[NEXT + stone]
        if stone == head:
            break
    cells[FREE_COUNT] = count


@compiled
def _join(board: PlayoutBoard, one: int, other: int) -> None:
    """Make two chains one, whose head is that of the larger."""
    cells, liberties = board.cells, board.liberties
    words = cells[WORDS]
    if cells[STONES + one] < cells[STONES + other]:
        one, other = other, one
    breaths = cells[BREATHS + one]
    for word in range(words):
        old = liberties[one * words + word]
        gained = liberties[other * words + word] & ~old
        liberties[one * words + word] = old | gained
        while gained != 0:
            gained &= gained - 1
            breaths += 1
    cells[BREATHS + one] = breaths
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
    """How many points more black has than white: stones, and empty points that only it touches."""
    stride, free_count = cells[STRIDE], cells[FREE_COUNT]
    lead = 0
    for index in range(free_count):
        cells[MARK + cells[FREE + index]] = 0
    for index in range(free_count):
        start = cells[FREE + index]
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
