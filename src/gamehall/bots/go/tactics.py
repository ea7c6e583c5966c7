"""Tactics around a point: eyes, liberties, ladders, and the urgent moves that follow from them.

A move is judged without being played, except that ladders are read on a spare board.

To save stones in atari, to catch a chain of two liberties in a ladder, and to take the vital point
of a small eye are what MoGo, Fuego, Pachi and Michi look for around the last move, too.
"""

import numpy as np

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    CAPTURED,
    COLOUR,
    EDGE,
    EMPTY,
    EMPTY_COUNT,
    EMPTY_POINTS,
    FIELD,
    FOUND,
    HEAD,
    LAST,
    LIBERTY_COUNT,
    NEXT,
    PASS,
    STONES,
    STRIDE,
    WORDS,
    Board,
    Cells,
    copy,
    is_legal,
    liberty,
    liberty_after,
    play,
)

MANY_LIBERTIES = 4


@compiled
def is_eye(cells: Cells, point: int, colour: int) -> bool:
    """Return True if an empty point is probably an eye of this colour.

    Counting the diagonals for that is folklore among programs with random playouts.
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
def liberties_after(board: Board, point: int, colour: int) -> int:
    """Return the liberties that a stone at this point would have, at most MANY_LIBERTIES.

    Of captured stones, only those next to the point are counted.
    """
    cells, liberties = board.cells, board.liberties
    stride, words = cells[STRIDE], cells[WORDS]
    empty = 0
    for step in (-stride, -1, 1, stride):
        if cells[COLOUR + point + step] == EMPTY:
            empty += 1
    if empty == MANY_LIBERTIES:
        return MANY_LIBERTIES
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
                here == EMPTY or cells[LIBERTY_COUNT + cells[HEAD + beside]] == 1
            ):
                found |= np.int64(1) << (beside & 63)
        if point >> 6 == word:
            found &= ~(np.int64(1) << (point & 63))
        while found != 0:
            count += 1
            if count == MANY_LIBERTIES:
                return MANY_LIBERTIES
            found &= found - 1
    return count


@compiled
def is_self_atari(board: Board, point: int, colour: int) -> bool:
    """Return True if a stone at this point would have at most one liberty."""
    cells = board.cells
    stride = cells[STRIDE]
    empty = 0
    for step in (-stride, -1, 1, stride):
        here = cells[COLOUR + point + step]
        if here == EMPTY:
            empty += 1
        elif here == colour and cells[LIBERTY_COUNT + cells[HEAD + point + step]] > 2:
            return False
    return empty < 2 and liberties_after(board, point, colour) < 2


@compiled
def stones_after(cells: Cells, point: int, colour: int) -> int:
    """Return an upper bound for the size of the chain of a stone at this point."""
    stride = cells[STRIDE]
    count = 1
    for step in (-stride, -1, 1, stride):
        if cells[COLOUR + point + step] == colour:
            count += cells[STONES + cells[HEAD + point + step]]
    return count


MAX_DEPTH = 40
"""How many moves of each player a ladder is read."""


@compiled
def escape_fails(board: Board, stone: int, escape: int) -> bool:
    """Return True if the chain of a stone is caught after it escapes to a point.

    Changes the board. The players only run, chase, and capture stones in atari.
    """
    cells = board.cells
    colour = cells[COLOUR + stone]
    other = 3 - colour
    for _ in range(MAX_DEPTH):
        if not is_legal(cells, escape, colour):
            return True
        play(board, escape, colour)
        head = cells[HEAD + stone]
        liberty_count = cells[LIBERTY_COUNT + head]
        if liberty_count < 2:
            return True
        if liberty_count > 2 or can_capture(cells, head):
            return False
        one = liberty(board, head)
        two = liberty_after(board, head, one)
        # The chaser plays where the runner would gain more liberties.
        gain_one = _gain(cells, one)
        gain_two = _gain(cells, two)
        if gain_one < gain_two or (gain_one == gain_two and not is_legal(cells, one, other)):
            one, two = two, one
        if not is_legal(cells, one, other):
            return False
        play(board, one, other)
        if cells[LIBERTY_COUNT + cells[HEAD + one]] == 1 or can_capture(cells, cells[HEAD + stone]):
            return False
        escape = two
    return True


@compiled
def is_caught(
    board: Board,
    head: int,
    escape: int,
    spare: Board,
) -> bool:
    """Return True if a chain in atari is caught even if it escapes to a point."""
    cells = board.cells
    colour = cells[COLOUR + head]
    liberty_count = liberties_after(board, escape, colour)
    if liberty_count != 2:
        return liberty_count < 2
    copy(board, spare)
    return escape_fails(spare, head, escape)


@compiled
def is_caught_by(
    board: Board,
    head: int,
    atari: int,
    escape: int,
    spare: Board,
) -> bool:
    """Return True if an atari on one of two liberties catches a chain; `escape` is the other."""
    cells = board.cells
    colour = cells[COLOUR + head]
    # The stone that gives atari takes one of the liberties counted here.
    liberty_count = liberties_after(board, escape, colour) - 1
    if liberty_count > 2 or not is_legal(cells, atari, 3 - colour) or can_capture(cells, head):
        return False
    if liberties_after(board, atari, 3 - colour) < 2:
        return False
    if liberty_count < 2:
        return True
    copy(board, spare)
    play(spare, atari, 3 - colour)
    return escape_fails(spare, head, escape)


@compiled
def can_capture(cells: Cells, head: int) -> bool:
    """Return True if an opposing chain next to this one is in atari."""
    stride = cells[STRIDE]
    other = 3 - cells[COLOUR + head]
    stone = head
    while True:
        for step in (-stride, -1, 1, stride):
            beside = stone + step
            if cells[COLOUR + beside] == other and cells[LIBERTY_COUNT + cells[HEAD + beside]] == 1:
                return True
        stone = cells[NEXT + stone]
        if stone == head:
            return False


@compiled
def _gain(cells: Cells, point: int) -> int:
    """Return the number of empty points next to a point."""
    stride = cells[STRIDE]
    count = 0
    for step in (-stride, -1, 1, stride):
        if cells[COLOUR + point + step] == EMPTY:
            count += 1
    return count


@compiled
def add_escapes(board: Board, spare: Board, head: int, count: int) -> int:
    """Add the moves that save a chain in atari to the moves found: captures, and the escape.

    Return the new number of moves found.
    """
    cells = board.cells
    stride = cells[STRIDE]
    colour = cells[COLOUR + head]
    stone = head
    while True:
        for step in (-stride, -1, 1, stride):
            beside = stone + step
            if (
                cells[COLOUR + beside] == 3 - colour
                and cells[LIBERTY_COUNT + cells[HEAD + beside]] == 1
            ):
                # The same capture is found again from each stone beside it. FOUND has twice FIELD
                # places, so there is room for this one and the few found after it.
                cells[FOUND + count] = liberty(board, cells[HEAD + beside])
                if count < FIELD:
                    count += 1
        stone = cells[NEXT + stone]
        if stone == head:
            break
    escape = liberty(board, head)
    if not is_caught(board, head, escape, spare):
        cells[FOUND + count] = escape
        count += 1
    return count


@compiled
def atari_moves(board: Board, spare: Board, colour: int) -> int:
    """Find the moves that answer an atari around the last move. Return their number."""
    cells = board.cells
    last = cells[LAST]
    stride = cells[STRIDE]
    count = 0
    if cells[COLOUR + last] == 3 - colour and cells[LIBERTY_COUNT + cells[HEAD + last]] == 1:
        cells[FOUND] = liberty(board, cells[HEAD + last])
        count = 1
    for step in (-stride, -1, 1, stride):
        beside = last + step
        if cells[COLOUR + beside] == colour and cells[LIBERTY_COUNT + cells[HEAD + beside]] == 1:
            count = add_escapes(board, spare, cells[HEAD + beside], count)
    return count


@compiled
def add_attacks(board: Board, spare: Board, head: int, count: int) -> int:
    """Add the moves that catch a chain of two liberties to the moves found.

    Return the new number of moves found.
    """
    cells = board.cells
    one = liberty(board, head)
    two = liberty_after(board, head, one)
    if is_caught_by(board, head, one, two, spare):
        cells[FOUND + count] = one
        count += 1
    if is_caught_by(board, head, two, one, spare):
        cells[FOUND + count] = two
        count += 1
    return count


@compiled
def add_defences(board: Board, spare: Board, head: int, count: int) -> int:
    """Add the moves that keep a chain of two liberties from being caught to the moves found.

    Return the new number of moves found.
    """
    cells = board.cells
    colour = cells[COLOUR + head]
    one = liberty(board, head)
    two = liberty_after(board, head, one)
    if is_caught_by(board, head, one, two, spare) or is_caught_by(board, head, two, one, spare):
        if liberties_after(board, one, colour) > 2:
            cells[FOUND + count] = one
            count += 1
        if liberties_after(board, two, colour) > 2:
            cells[FOUND + count] = two
            count += 1
    return count


@compiled
def vital_point(cells: Cells) -> int:
    """Return the point where a stone prevents two eyes in the space just captured, or PASS."""
    captured = cells[CAPTURED]
    if captured < 3 or captured > 6:
        return PASS
    stride = cells[STRIDE]
    end = cells[EMPTY_COUNT]
    most, vital = 0, PASS
    for index in range(end - captured, end):
        point = cells[EMPTY_POINTS + index]
        joined = 0
        for step in (-stride, -1, 1, stride):
            if cells[COLOUR + point + step] == EMPTY:
                joined += 1
        if joined > most:
            most, vital = joined, point
    needed = 2 if captured == 3 else 3 if captured < 6 else 4
    if most < needed:
        return PASS
    return vital
