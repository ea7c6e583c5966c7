"""Tactics around a point: eyes, liberties, ladders, and the urgent moves that follow from them.

A stone is judged without being played, except that ladders are read out on a spare board.

To save what is in atari, to catch what has two liberties by a ladder, and to take the vital point
of a small eye are what MoGo, Fuego, Pachi and Michi look for around the last move too.
"""

import numpy as np

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BREATHS,
    CAPTURED,
    COLOUR,
    EDGE,
    EMPTY,
    FIELD,
    FOUND,
    FREE,
    FREE_COUNT,
    HEAD,
    LAST,
    NEXT,
    PASS,
    STONES,
    STRIDE,
    WORDS,
    Cells,
    PlayoutBoard,
    copy,
    is_legal,
    liberty,
    liberty_after,
    play,
)

MANY = 4


@compiled
def is_eye(cells: Cells, point: int, colour: int) -> bool:
    """Return True if an empty point looks like an eye of this colour, which it had better not fill.

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
def breaths_after(board: PlayoutBoard, point: int, colour: int) -> int:
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
def is_self_atari(board: PlayoutBoard, point: int, colour: int) -> bool:
    """Return True if the chain of a stone at this point would have a single liberty, or none."""
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
    """Return how many stones the chain of a stone at this point would have, or a few more."""
    stride = cells[STRIDE]
    count = 1
    for step in (-stride, -1, 1, stride):
        if cells[COLOUR + point + step] == colour:
            count += cells[STONES + cells[HEAD + point + step]]
    return count


DEEPEST = 40
"""How many stones of both are looked ahead."""


@compiled
def runs_in_vain(board: PlayoutBoard, stone: int, flight: int) -> bool:
    """Return True if the chain of a stone is caught though it runs to a point. Changes the board.

    Not looked at: whatever else either may do than run, chase, and take what is in atari.
    """
    cells = board.cells
    colour = cells[COLOUR + stone]
    other = 3 - colour
    for _ in range(DEEPEST):
        if not is_legal(cells, flight, colour):
            return True
        play(board, flight, colour)
        head = cells[HEAD + stone]
        breaths = cells[BREATHS + head]
        if breaths < 2:
            return True
        if breaths > 2 or has_prey(cells, head):
            return False
        one = liberty(board, head)
        two = liberty_after(board, head, one)
        # The chaser stands where the runner would gain more.
        gain_one = _gain(cells, one)
        gain_two = _gain(cells, two)
        if gain_one < gain_two or (gain_one == gain_two and not is_legal(cells, one, other)):
            one, two = two, one
        if not is_legal(cells, one, other):
            return False
        play(board, one, other)
        if cells[BREATHS + cells[HEAD + one]] == 1 or has_prey(cells, cells[HEAD + stone]):
            return False
        flight = two
    return True


@compiled
def is_caught(
    board: PlayoutBoard,
    head: int,
    flight: int,
    spare: PlayoutBoard,
) -> bool:
    """Return True if a chain in atari does not get away by running to a point."""
    cells = board.cells
    colour = cells[COLOUR + head]
    breaths = breaths_after(board, flight, colour)
    if breaths != 2:
        return breaths < 2
    copy(board, spare)
    return runs_in_vain(spare, head, flight)


@compiled
def is_caught_by(
    board: PlayoutBoard,
    head: int,
    atari: int,
    flight: int,
    spare: PlayoutBoard,
) -> bool:
    """Return True if a stone on one of two liberties catches a chain; `flight` is the other."""
    cells = board.cells
    colour = cells[COLOUR + head]
    # The stone that gives atari stands on what is counted here as a liberty.
    breaths = breaths_after(board, flight, colour) - 1
    if breaths > 2 or not is_legal(cells, atari, 3 - colour) or has_prey(cells, head):
        return False
    if breaths_after(board, atari, 3 - colour) < 2:
        return False
    if breaths < 2:
        return True
    copy(board, spare)
    play(spare, atari, 3 - colour)
    return runs_in_vain(spare, head, flight)


@compiled
def has_prey(cells: Cells, head: int) -> bool:
    """Return True if a chain of the other colour beside this one is in atari."""
    stride = cells[STRIDE]
    other = 3 - cells[COLOUR + head]
    stone = head
    while True:
        for step in (-stride, -1, 1, stride):
            beside = stone + step
            if cells[COLOUR + beside] == other and cells[BREATHS + cells[HEAD + beside]] == 1:
                return True
        stone = cells[NEXT + stone]
        if stone == head:
            return False


@compiled
def _gain(cells: Cells, point: int) -> int:
    """Return how many empty points are beside a point."""
    stride = cells[STRIDE]
    count = 0
    for step in (-stride, -1, 1, stride):
        if cells[COLOUR + point + step] == EMPTY:
            count += 1
    return count


@compiled
def add_escapes(board: PlayoutBoard, spare: PlayoutBoard, head: int, count: int) -> int:
    """Add the moves that save a chain in atari to the moves found.

    Return how many there are then: captures of what stands beside it, and the flight.
    """
    cells = board.cells
    stride = cells[STRIDE]
    colour = cells[COLOUR + head]
    stone = head
    while True:
        for step in (-stride, -1, 1, stride):
            beside = stone + step
            if cells[COLOUR + beside] == 3 - colour and cells[BREATHS + cells[HEAD + beside]] == 1:
                cells[FOUND + count] = liberty(board, cells[HEAD + beside])
                if count < FIELD:
                    count += 1
        stone = cells[NEXT + stone]
        if stone == head:
            break
    flight = liberty(board, head)
    if not is_caught(board, head, flight, spare):
        cells[FOUND + count] = flight
        count += 1
    return count


@compiled
def atari_moves(board: PlayoutBoard, spare: PlayoutBoard, colour: int) -> int:
    """Find what to do about stones in atari where the last stone was put. Return how many."""
    cells = board.cells
    last = cells[LAST]
    stride = cells[STRIDE]
    count = 0
    if cells[COLOUR + last] == 3 - colour and cells[BREATHS + cells[HEAD + last]] == 1:
        cells[FOUND] = liberty(board, cells[HEAD + last])
        count = 1
    for step in (-stride, -1, 1, stride):
        beside = last + step
        if cells[COLOUR + beside] == colour and cells[BREATHS + cells[HEAD + beside]] == 1:
            count = add_escapes(board, spare, cells[HEAD + beside], count)
    return count


@compiled
def add_chases(board: PlayoutBoard, spare: PlayoutBoard, head: int, count: int) -> int:
    """Add the moves that catch a chain of two liberties to the moves found.

    Return how many there are then.
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
def add_rescues(board: PlayoutBoard, spare: PlayoutBoard, head: int, count: int) -> int:
    """Add the moves that keep a chain of two liberties from being caught to the moves found.

    Return how many there are then.
    """
    cells = board.cells
    colour = cells[COLOUR + head]
    one = liberty(board, head)
    two = liberty_after(board, head, one)
    if is_caught_by(board, head, one, two, spare) or is_caught_by(board, head, two, one, spare):
        if breaths_after(board, one, colour) > 2:
            cells[FOUND + count] = one
            count += 1
        if breaths_after(board, two, colour) > 2:
            cells[FOUND + count] = two
            count += 1
    return count


@compiled
def vital_point(cells: Cells) -> int:
    """Where a stone keeps the other from two eyes, where it has just taken stones off, or PASS."""
    captured = cells[CAPTURED]
    if captured < 3 or captured > 6:
        return PASS
    stride = cells[STRIDE]
    end = cells[FREE_COUNT]
    most, vital = 0, PASS
    for index in range(end - captured, end):
        point = cells[FREE + index]
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
