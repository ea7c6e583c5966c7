"""Whether stones in atari can run away, read out on a spare board."""

from gamehall.bots.compiled import compiled
from gamehall.bots.go.board import (
    BREATHS,
    COLOUR,
    EMPTY,
    HEAD,
    NEXT,
    STRIDE,
    Board,
    Cells,
    copy,
    is_legal,
    liberty,
    liberty_after,
    play,
)
from gamehall.bots.go.tactics import breaths_after

DEEPEST = 40
"""How many stones of both are looked ahead."""


@compiled
def runs_in_vain(board: Board, stone: int, flight: int) -> bool:
    """Whether the chain of a stone is caught though it runs to a point. Changes the board.

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
    board: Board,
    head: int,
    flight: int,
    spare: Board,
) -> bool:
    """Whether a chain in atari does not get away by running to a point."""
    cells = board.cells
    colour = cells[COLOUR + head]
    breaths = breaths_after(board, flight, colour)
    if breaths != 2:
        return breaths < 2
    copy(board, spare)
    return runs_in_vain(spare, head, flight)


@compiled
def is_caught_by(
    board: Board,
    head: int,
    atari: int,
    flight: int,
    spare: Board,
) -> bool:
    """Whether a chain is caught by a stone on one of its two liberties; `flight` is the other."""
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
    """Whether a chain of the other colour beside this one is in atari."""
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
    """How many empty points are beside a point."""
    stride = cells[STRIDE]
    count = 0
    for step in (-stride, -1, 1, stride):
        if cells[COLOUR + point + step] == EMPTY:
            count += 1
    return count
