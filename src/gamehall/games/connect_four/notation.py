"""Cells in writing: the column as a letter from the left, the row as a digit from the bottom.

`d1` is the bottom cell of the middle column, `g6` the top right corner.
"""

from gamehall.core import is_of_ints, quoted
from gamehall.games.connect_four.moves import CELLS, COLUMNS, ROWS, Cell

LETTERS = "abcdefg"


def write(cell: Cell) -> str:
    """The cell in writing. Raises ValueError if it is not on the board."""
    if not is_of_ints(cell, Cell) or cell not in CELLS:
        raise ValueError(f"{quoted(cell)} is not a cell of the board")
    return f"{LETTERS[cell.column]}{ROWS - cell.row}"


def read(text: str) -> Cell:
    """The cell that `text` writes; capital letters and surrounding blanks are fine."""
    letter, digits = text.strip().lower()[:1], text.strip()[1:]
    if letter and letter in LETTERS and digits in {str(row) for row in range(1, ROWS + 1)}:
        return Cell(LETTERS.index(letter), ROWS - int(digits))
    raise ValueError(
        f"{text!r} is not a cell: write a letter from a to {LETTERS[COLUMNS - 1]}"
        f" and a digit from 1 (the bottom) to {ROWS}, as in d1"
    )
