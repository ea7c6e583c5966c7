"""Moves in writing: `c3` places a worker, `c3-c4+d4` moves one and builds, `c3-c4` wins.

A cell is a letter for the column, from the west, and a digit for the row, from the south.
"""

import re

from gamehall.core import is_of_ints, quoted
from gamehall.games.santorini.moves import Cell, Move, Place, Turn

LETTERS = "abcdef"
MOVE = re.compile(r"([a-f][1-6])(?:-([a-f][1-6])(?:\+([a-f][1-6]))?)?")


def write_cell(cell: Cell, size: int) -> str:
    """The cell in writing. Not checked: that it is on the board."""
    return f"{LETTERS[cell.column]}{size - cell.row}"


def write(move: Move, size: int) -> str:
    """The move in writing. Raises ValueError if it is none on a board of this size."""
    written = [write_cell(cell, size) for cell in cells_of(move, size)]
    return "".join(map("".join, zip(("", "-", "+"), written, strict=False)))


def cells_of(move: Move, size: int) -> list[Cell]:
    """The cells that a move names, in order. Raises ValueError if it is none on such a board."""
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
    """The move that `text` writes; capital letters and surrounding blanks are fine."""
    found = MOVE.fullmatch(text.strip().lower())
    cells = [_read_cell(part, size) for part in found.groups() if part] if found else []
    if not found or None in cells:
        raise ValueError(
            f"{text!r} is not a move on a board of {size} by {size}: write a cell, as in c3, to"
            " place a worker; c3-c4+d4 to move and build; c3-c4 for a move that wins"
        )
    known = [cell for cell in cells if cell is not None]
    if len(known) == 1:
        return Place(known[0])
    return Turn(known[0], known[1], known[2] if len(known) == 3 else None)


def _read_cell(text: str, size: int) -> Cell | None:
    """The cell that is written there, None if the board has none such."""
    column, row = LETTERS.index(text[0]), size - int(text[1])
    return Cell(row, column) if column < size and row >= 0 else None
