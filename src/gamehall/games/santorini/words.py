"""The board in words: who stands where, and how high everything is."""

from collections.abc import Mapping

from gamehall.core import Seat
from gamehall.games.santorini.moves import Cell
from gamehall.games.santorini.notation import write_cell

OWNERS = {Seat.FIRST: "The first player", Seat.SECOND: "The second player"}
LEVELS = {1: "Level 1", 2: "Level 2", 3: "Level 3", 4: "Domes"}


def write(size: int, heights: Mapping[Cell, int], owners: Mapping[Cell, Seat]) -> str:
    """The workers, and then the towers, the lowest first."""
    lines = []
    for seat, name in OWNERS.items():
        places = [
            f"{write_cell(cell, size)} {_standing(heights[cell])}"
            for cell, owner in owners.items()
            if owner is seat
        ]
        lines.append(f"{name} stands on {' and '.join(places) or 'nothing yet'}.")
    for level, name in LEVELS.items():
        cells = [write_cell(cell, size) for cell, height in heights.items() if height == level]
        if cells:
            lines.append(f"{name}: {', '.join(cells)}.")
    if not any(heights.values()):
        lines.append("Nothing is built yet.")
    return "\n".join(lines) + "\n"


def _standing(height: int) -> str:
    return f"(level {height})" if height else "(the ground)"
