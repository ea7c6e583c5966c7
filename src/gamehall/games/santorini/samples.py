"""Sample moves for the conformance checks of servers: short, varied games and illegal moves."""

from collections.abc import Iterator

from gamehall.core import Seat, SeededRandom
from gamehall.games.santorini.board import Cell, Turn
from gamehall.games.santorini.position import SantoriniPosition

CORNERS = (Cell(1, 1), Cell(3, 3), Cell(1, 3), Cell(3, 1))
"""Where workers are placed, in this order: close together, so that they soon meet."""


def sample_placement(position: SantoriniPosition) -> Cell:
    """Return the cell for the next worker."""
    taken = {cell for seat in Seat for cell in position.workers_of(seat)}
    return next(cell for cell in CORNERS if cell not in taken)


def sample_turn(position: SantoriniPosition, random: SeededRandom) -> Turn:
    """Return a winning turn if there is one, otherwise one that climbs.

    Turns to a cell that both workers can reach are avoided, because not every protocol says which
    worker is meant.
    """
    turns = [move for move in position.legal_moves() if isinstance(move, Turn)]
    usable = [turn for turn in turns if _is_unambiguous(turn, turns)] or turns
    best = max(_score(position, turn) for turn in usable)
    return random.pick([turn for turn in usable if _score(position, turn) == best])


def illegal_turns(position: SantoriniPosition) -> Iterator[Turn]:
    """Yield turns that the rules forbid: moves onto a worker, and builds on one."""
    seat = position.to_move
    assert seat is not None
    own, others = position.workers_of(seat), position.workers_of(seat.other)
    legal = [move for move in position.legal_moves() if isinstance(move, Turn)]
    for origin in own:
        for rows in (-1, 0, 1):
            for columns in (-1, 0, 1):
                to = Cell(origin.row + rows, origin.column + columns)
                if (rows or columns) and to in (*own, *others):
                    yield Turn(origin, to, origin)
    for turn in legal:
        if not _is_unambiguous(turn, legal):
            continue
        for other in (*own, *others):
            near = max(abs(turn.to.row - other.row), abs(turn.to.column - other.column)) == 1
            if near and other != turn.origin:
                yield Turn(turn.origin, turn.to, other)


def _is_unambiguous(turn: Turn, turns: list[Turn]) -> bool:
    return not any(turn.to == other.to and turn.origin != other.origin for other in turns)


def _score(position: SantoriniPosition, turn: Turn) -> int:
    if turn.build is None:
        return 100
    height = position.height(turn.to)
    return 4 * height + (position.height(turn.build) in (height, height - 1))
