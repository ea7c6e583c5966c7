"""The board in letters: how high each cell is, 4 being a dome, and A or B for who stands there."""

from collections.abc import Mapping

from gamehall.core import Seat
from gamehall.games.santorini.moves import Cell
from gamehall.games.santorini.notation import LETTERS

WORKERS = {Seat.FIRST: "A", Seat.SECOND: "B"}
NOBODY = " "


def write(size: int, heights: Mapping[Cell, int], owners: Mapping[Cell, Seat]) -> str:
    """The towers, and the workers of the first (A) and of the second (B) on them."""
    workers = {cell: WORKERS[seat] for cell, seat in owners.items()}
    lines = []
    for row in range(size):
        cells = [Cell(row, column) for column in range(size)]
        shown = [f"{heights[cell]}{workers.get(cell, NOBODY)}" for cell in cells]
        lines.append(f"{size - row}  {' '.join(shown)}".rstrip())
    lines.append("   " + "  ".join(LETTERS[:size]))
    return "\n".join(lines) + "\n"
