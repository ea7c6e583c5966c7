"""What is pointed at to make a move: the cells that it names, one after the other."""

from gamehall.games.santorini.moves import Move, Place, Turn
from gamehall.games.santorini.notation import write_cell


def targets(move: Move, size: int) -> tuple[str, ...]:
    """The cell of a new worker; or where a worker is, where it goes, and where it builds."""
    match move:
        case Place(cell):
            cells = [cell]
        case Turn(origin, to, build):
            cells = [origin, to] if build is None else [origin, to, build]
    return tuple(write_cell(cell, size) for cell in cells)
