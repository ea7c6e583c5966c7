"""Moves that cannot wait: around stones in atari or nearly so, and in the eyes of the other."""

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BREATHS,
    CAPTURED,
    COLOUR,
    EMPTY,
    FIELD,
    FOUND,
    FREE,
    FREE_COUNT,
    HEAD,
    LAST,
    NEXT,
    PASS,
    STRIDE,
    Board,
    Cells,
    liberty,
    liberty_after,
)
from gamehall.bots.go.ladders import is_caught, is_caught_by
from gamehall.bots.go.tactics import breaths_after


@compiled
def add_escapes(board: Board, spare: Board, head: int, count: int) -> int:
    """Adds the moves that save a chain in atari to the moves found.

    Gives how many there are then: captures of what stands beside it, and the flight.
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
def atari_moves(board: Board, spare: Board, colour: int) -> int:
    """Finds what to do about stones in atari where the last stone was put. Gives how many."""
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
def add_chases(board: Board, spare: Board, head: int, count: int) -> int:
    """Adds the moves that catch a chain of two liberties to the moves found.

    Gives how many there are then.
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
def add_rescues(board: Board, spare: Board, head: int, count: int) -> int:
    """Adds the moves that keep a chain of two liberties from being caught to the moves found.

    Gives how many there are then.
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
