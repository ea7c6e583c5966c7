"""A game to the end by quick wits: what a position is worth, by and large.

Whoever is to move looks at what the last move threatens, then for shapes around it, and else moves
anywhere, but does not fill its own eyes, and rarely gives stones away.

The order of these steps is MoGo's (Gelly and others, 2006). That each is left out now and then, and
that self-atari is mostly but not always refused, is as in Pachi and Michi by Petr Baudis, and the
numbers are near Michi's.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
from gamehall.bots.go.area import area_lead
from gamehall.bots.go.board import (
    BEFORE_LAST,
    CAPTURED,
    COLOUR,
    EMPTY,
    FOUND,
    FREE,
    FREE_COUNT,
    LAST,
    PASS,
    PLACE,
    STANDING,
    STRIDE,
    Board,
    Cells,
    is_legal,
    play,
    play_pass,
)
from gamehall.bots.go.chance import Chance, below
from gamehall.bots.go.patterns import code_around
from gamehall.bots.go.tactics import is_eye, is_self_atari, stones_after
from gamehall.bots.go.urgent import atari_moves, vital_point

Shapes: TypeAlias = npt.NDArray[np.bool_]

PERCENT_VITAL = 95
PERCENT_ATARI = 95
PERCENT_SHAPE = 95
"""How often it is looked for a vital point, for stones in atari, and for shapes."""
PERCENT_REJECT_FOUND = 95
PERCENT_REJECT_OTHER = 60
"""How often a move that was looked for, and any other, is not made if it is self-atari."""
LARGEST_SACRIFICE = 5
"""More stones than that are never put into atari."""
LONGEST_PER_POINT = 3


@compiled
def play_out(
    board: Board,
    spare: Board,
    colour: int,
    chance: Chance,
    shapes: Shapes,
    moves: Cells,
    length: int,
    mercy: int,
) -> tuple[int, int]:
    """Plays on until nobody has anything to do. Changes the board.

    The moves are added to `moves`, which has so many already. Who has `mercy` more stones than the
    other has won, whatever comes. Gives by how much black leads, as area is counted, and how many
    moves there are then.
    """
    cells = board.cells
    size = cells[STRIDE] - 1
    end = min(len(moves), length + LONGEST_PER_POINT * size * size)
    passes = 0
    while passes < 2 and length < end:
        point = choose(board, spare, colour, chance, shapes)
        moves[length] = point
        length += 1
        if point == PASS:
            passes += 1
            play_pass(cells)
        else:
            passes = 0
            play(board, point, colour)
            if abs(cells[STANDING]) >= mercy:
                return cells[STANDING], length
        colour = 3 - colour
    return area_lead(cells), length


@compiled
def choose(board: Board, spare: Board, colour: int, chance: Chance, shapes: Shapes) -> int:
    """A move, PASS if none makes sense."""
    cells = board.cells
    last = cells[LAST]
    if last != PASS:
        if cells[CAPTURED] > 2 and below(chance, 100) < PERCENT_VITAL:
            point = vital_point(cells)
            if point != PASS and is_legal(cells, point, colour):
                return point
        if below(chance, 100) < PERCENT_ATARI:
            count = atari_moves(board, spare, colour)
            point = _one_found(board, colour, chance, count)
            if point != PASS:
                return point
        if below(chance, 100) < PERCENT_SHAPE:
            count = 0
            count = shape_moves(cells, last, shapes, count)
            if cells[BEFORE_LAST] != PASS:
                count = shape_moves(cells, cells[BEFORE_LAST], shapes, count)
            point = _one_found(board, colour, chance, count)
            if point != PASS:
                return point
    return _any_other(board, colour, chance)


@compiled
def shape_moves(cells: Cells, last: int, shapes: Shapes, count: int) -> int:
    """Adds the middles of shapes around a point to the moves found. Gives how many there are."""
    stride = cells[STRIDE]
    for step in (-stride - 1, -stride, -stride + 1, -1, 1, stride - 1, stride, stride + 1):
        point = last + step
        if cells[COLOUR + point] == EMPTY and shapes[code_around(cells, point)]:
            cells[FOUND + count] = point
            count += 1
    return count


@compiled
def _one_found(board: Board, colour: int, chance: Chance, count: int) -> int:
    """Any of the moves found, PASS if none of them is to be made."""
    cells = board.cells
    while count > 0:
        index = below(chance, count)
        point: int = cells[FOUND + index]
        if (
            not is_eye(cells, point, colour)
            and is_legal(cells, point, colour)
            and (
                not is_self_atari(board, point, colour)
                or (
                    below(chance, 100) >= PERCENT_REJECT_FOUND
                    and stones_after(cells, point, colour) <= LARGEST_SACRIFICE
                )
            )
        ):
            return point
        count -= 1
        cells[FOUND + index] = cells[FOUND + count]
    return PASS


@compiled
def _any_other(board: Board, colour: int, chance: Chance) -> int:
    """Any move that fills no eye and hardly ever gives stones away, PASS if there is none."""
    cells = board.cells
    count = cells[FREE_COUNT]
    while count > 0:
        index = below(chance, count)
        point: int = cells[FREE + index]
        if (
            not is_eye(cells, point, colour)
            and is_legal(cells, point, colour)
            and (
                not is_self_atari(board, point, colour)
                or (
                    below(chance, 100) >= PERCENT_REJECT_OTHER
                    and stones_after(cells, point, colour) <= LARGEST_SACRIFICE
                )
            )
        ):
            return point
        # It goes to the end of the list, and is not drawn again.
        count -= 1
        last = cells[FREE + count]
        cells[FREE + index], cells[FREE + count] = last, point
        cells[PLACE + last], cells[PLACE + point] = index, count
    return PASS
