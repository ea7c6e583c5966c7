"""Moves and positions as text.

`c3` places a worker, `c3-c4+d4` moves one and builds, `c3-c4` wins. A cell is a letter for the
column, from the west, and a digit for the row, from the south.
"""

import re
from collections.abc import Mapping

from gamehall.core import Seat, is_of_ints, quoted
from gamehall.games.santorini.board import Cell, Move, Place, Turn

LETTERS = "abcdef"
MOVE = re.compile(r"([a-f][1-6])(?:-([a-f][1-6])(?:\+([a-f][1-6]))?)?")


def write_cell(cell: Cell, size: int) -> str:
    """Return the cell in notation. Not checked: that it is on the board."""
    return f"{LETTERS[cell.column]}{size - cell.row}"


def write(move: Move, size: int) -> str:
    """Return the move in notation. Raise ValueError if it is not on a board of this size."""
    written = [write_cell(cell, size) for cell in cells_of(move, size)]
    return "".join(map("".join, zip(("", "-", "+"), written, strict=False)))


def cells_of(move: Move, size: int) -> list[Cell]:
    """Return the cells of a move, in order. Raise ValueError if it is not on such a board."""
    cells: list[Cell] = []
    if type(move) is Place:
        cells = [move.cell]
    elif type(move) is Turn:
        cells = [move.origin, move.to] + ([] if move.build is None else [move.build])
    if not cells or not all(_is_on_board(cell, size) for cell in cells):
        raise ValueError(f"{quoted(move)} is not a move on a board of {size} by {size}")
    return cells


def _is_on_board(cell: Cell, size: int) -> bool:
    return is_of_ints(cell, Cell) and 0 <= cell.row < size and 0 <= cell.column < size


def read(text: str, size: int) -> Move:
    """Parse a move; capital letters and surrounding blanks are accepted. Raise ValueError."""
    match = MOVE.fullmatch(text.strip().lower())
    cells = [_read_cell(part, size) for part in match.groups() if part] if match else []
    known = [cell for cell in cells if cell is not None]
    if not match or len(known) < len(cells):
        raise ValueError(
            f"{text!r} is not a move on a board of {size} by {size}: write a cell, as in c3, to"
            " place a worker; c3-c4+d4 to move and build; c3-c4 for a move that wins"
        )
    if len(known) == 1:
        return Place(known[0])
    return Turn(known[0], known[1], known[2] if len(known) == 3 else None)


def _read_cell(text: str, size: int) -> Cell | None:
    """Return the cell, or None if it is not on a board of this size."""
    column, row = LETTERS.index(text[0]), size - int(text[1])
    return Cell(row, column) if column < size and row >= 0 else None


def targets(move: Move, size: int) -> tuple[str, ...]:
    """Return the names of the cells to click to make a move, in order. Raise as `cells_of`."""
    return tuple(write_cell(cell, size) for cell in cells_of(move, size))


WORKERS = {Seat.FIRST: "A", Seat.SECOND: "B"}


def write_diagram(size: int, heights: Mapping[Cell, int], owners: Mapping[Cell, Seat]) -> str:
    """Draw the board as text: the height of each cell, where 4 is a dome, and the workers.

    A is a worker of the first player, B one of the second.
    """
    workers = {cell: WORKERS[seat] for cell, seat in owners.items()}
    lines = []
    for row in range(size):
        cells = [Cell(row, column) for column in range(size)]
        shown = [f"{heights[cell]}{workers.get(cell, ' ')}" for cell in cells]
        lines.append(f"{size - row}  {' '.join(shown)}".rstrip())
    lines.append("   " + "  ".join(LETTERS[:size]))
    return "\n".join(lines) + "\n"


OWNERS = {Seat.FIRST: "The first player", Seat.SECOND: "The second player"}
LEVELS = {1: "Level 1", 2: "Level 2", 3: "Level 3", 4: "Domes"}


def describe(size: int, heights: Mapping[Cell, int], owners: Mapping[Cell, Seat]) -> str:
    """Describe the board in sentences: the workers, then the towers by height."""
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
