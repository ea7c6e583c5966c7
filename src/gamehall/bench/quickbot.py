"""Santorini without thinking, in the bytes of document 001: any legal answer, upwards if possible.

Worked out from the rules with none of the server's code, so that it can also tell whether a
server is right. Answers are cheap: the bots of a whole tournament share one core.
"""

import zlib
from typing import NamedTuple, TypeAlias

SIZE = 5
SUMMIT, DOME = 3, 4
PLACEMENTS = 4
"""A game begins with so many; then come turns."""

DIFFERENT_GAMES = 12
"""In so many games of one player after the other the same prompt gets another answer."""

Board: TypeAlias = list[int | str]
"""Cells row by row, each as in 001: a height, or a height and the worker that stands on it."""

EMPTY: Board = [0] * (SIZE * SIZE)

NORTH_SOUTH = {-1: b'"NORTH"', 0: b'"PUT"', 1: b'"SOUTH"'}
EAST_WEST = {-1: b'"WEST"', 0: b'"PUT"', 1: b'"EAST"'}


class Step(NamedTuple):
    """To a neighbouring cell."""

    to: int
    direction: bytes
    """001: [EastWest, NorthSouth]."""


class Answer(NamedTuple):
    """What a player says to a prompt, and what that leads to."""

    message: bytes
    board: Board
    worker: str
    """Who was placed or moved."""
    wins: bool
    """Whether the worker has reached the summit."""


def steps_from(cell: int) -> tuple[Step, ...]:
    """The steps to all cells around a cell."""
    row, column = divmod(cell, SIZE)
    return tuple(
        Step((row + south) * SIZE + column + east, b"[%b,%b]" % (word, other_word))
        for south, other_word in NORTH_SOUTH.items()
        for east, word in EAST_WEST.items()
        if (south or east) and 0 <= row + south < SIZE and 0 <= column + east < SIZE
    )


def begun_anywhere(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], ...]:
    """The same steps eight times, in turn, each time begun with another if there are so many."""
    begins = [number % len(steps) for number in range(8)]
    return tuple(steps[begin:] + steps[:begin] for begin in begins)


# By cell, and then by three bits of chance.
STEPS = tuple(begun_anywhere(steps_from(cell)) for cell in range(SIZE * SIZE))
PLACEMENT_REQUESTS = tuple(b"[%d,%d]\n" % divmod(cell, SIZE) for cell in range(SIZE * SIZE))


def workers_of(name: str, board: Board) -> list[int]:
    """Where the workers of a player stand."""
    return [n for n, cell in enumerate(board) if isinstance(cell, str) and cell[1:-1] == name]


def can_move(name: str, board: Board) -> bool:
    """Whether a worker of the player can step anywhere."""
    return any(
        isinstance(level := board[step.to], int) and level != DOME and level <= height + 1
        for worker in workers_of(name, board)
        for height in [int(str(board[worker])[0])]
        for step in STEPS[worker][0]
    )


def answer_to_prompt(name: str, board: Board, line: bytes, moves: int, games: int) -> Answer | None:
    """What a player says to the prompt in this line. None: it cannot move.

    `moves`: those made in this game before. `games`: those that the player has ended before.
    """
    chance = zlib.crc32(line, games % DIFFERENT_GAMES)
    return place(name, board, chance) if moves < PLACEMENTS else turn(name, board, chance)


def place(name: str, board: Board, chance: int) -> Answer:
    """Put a worker on a free cell."""
    worker = f"{name}{len(workers_of(name, board)) + 1}"
    cell = chance % len(board)
    while isinstance(board[cell], str):
        cell = (cell + 1) % len(board)
    after = board.copy()
    after[cell] = f"{board[cell]}{worker}"
    return Answer(PLACEMENT_REQUESTS[cell], after, worker, wins=False)


def turn(name: str, board: Board, chance: int) -> Answer | None:
    """Move as high as possible and build somewhere. None: no worker can move."""
    best, chosen, origin = -1, None, 0
    for worker in workers_of(name, board):
        # A worker stands on 2 at most, so that what is one higher is no dome.
        highest = int(str(board[worker])[0]) + 1
        for step in STEPS[worker][chance & 7]:
            level = board[step.to]
            if isinstance(level, int) and best < level <= highest:
                best, chosen, origin = level, step, worker
    if chosen is None:
        return None
    left = str(board[origin])
    worker_id = left[1:]
    after = board.copy()
    after[origin] = int(left[0])
    after[chosen.to] = f"{best}{worker_id}"
    begin = b'["%b",%b' % (worker_id.encode(), chosen.direction)
    if best == SUMMIT:
        return Answer(begin + b"]\n", after, worker_id, wins=True)
    for site, direction in STEPS[chosen.to][chance >> 3 & 7]:
        level = after[site]
        if isinstance(level, int) and level < DOME:
            after[site] = level + 1
            return Answer(b"%b,%b]\n" % (begin, direction), after, worker_id, wins=False)
    raise AssertionError("the cell that a worker has left can always be built on")
