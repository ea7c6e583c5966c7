"""What is pointed at to make a move: the cells that it names, one after the other."""

from gamehall.games.santorini.moves import Move
from gamehall.games.santorini.notation import cells_of, write_cell


def targets(move: Move, size: int) -> tuple[str, ...]:
    """The cell of a new worker; or where a worker is, where it goes, and where it builds.

    Raises ValueError if it is no move on a board of this size.
    """
    return tuple(write_cell(cell, size) for cell in cells_of(move, size))
