"""Sample moves for checks of a server: those of short, different games, and illegal ones."""

from collections.abc import Iterator

from gamehall.core import Seat, SeededRandom
from gamehall.games.santorini.board import Cell, Turn
from gamehall.games.santorini.position import SantoriniPosition

CORNERS = (Cell(1, 1), Cell(3, 3), Cell(1, 3), Cell(3, 1))
"""Where workers are placed, in this order: they soon meet."""


def sample_placement(position: SantoriniPosition) -> Cell:
    """Return a free cell."""
    taken = {cell for seat in Seat for cell in position.workers_of(seat)}
    return next(cell for cell in CORNERS if cell not in taken)


def sample_turn(position: SantoriniPosition, random: SeededRandom) -> Turn:
    """Return a winning turn if there is one, otherwise one that leads up.

    Not every protocol says which worker is meant: no turn is chosen that both could make.
    """
    turns = [move for move in position.legal_moves() if isinstance(move, Turn)]
    plain = [turn for turn in turns if _is_plain(turn, turns)] or turns
    best = max(_worth(position, turn) for turn in plain)
    return random.pick([turn for turn in plain if _worth(position, turn) == best])


def illegal_turns(position: SantoriniPosition) -> Iterator[Turn]:
    """Yield turns that the rules forbid: onto a worker, two cells away, a build on a worker."""
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
        if not _is_plain(turn, legal):
            continue
        for other in (*own, *others):
            near = max(abs(turn.to.row - other.row), abs(turn.to.column - other.column)) == 1
            if near and other != turn.origin:
                yield Turn(turn.origin, turn.to, other)


def _is_plain(turn: Turn, turns: list[Turn]) -> bool:
    return not any(turn.to == other.to and turn.origin != other.origin for other in turns)


def _worth(position: SantoriniPosition, turn: Turn) -> int:
    if turn.build is None:
        return 100
    height = position.height(turn.to)
    return 4 * height + (position.height(turn.build) in (height, height - 1))
