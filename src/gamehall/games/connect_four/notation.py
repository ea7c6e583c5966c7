"""Moves and positions as text.

A cell is a letter for the column, from the left, and a digit for the row, from the bottom: `d1` is
the bottom cell of the middle column, `g6` the top right corner.
"""

from gamehall.core import is_of_ints, quoted
from gamehall.games.connect_four.board import CELLS, COLUMNS, ROWS, Cell, bit

LETTERS = "abcdefg"


def write(cell: Cell) -> str:
    """Return the cell in notation. Raise ValueError if it is not on the board."""
    if not is_of_ints(cell, Cell) or cell not in CELLS:
        raise ValueError(f"{quoted(cell)} is not a cell of the board")
    return f"{LETTERS[cell.column]}{ROWS - cell.row}"


def read(text: str) -> Cell:
    """Parse a cell; capital letters and surrounding blanks are accepted. Raise ValueError."""
    letter, digits = text.strip().lower()[:1], text.strip()[1:]
    if letter and letter in LETTERS and digits in {str(row) for row in range(1, ROWS + 1)}:
        return Cell(LETTERS.index(letter), ROWS - int(digits))
    raise ValueError(
        f"{text!r} is not a cell: write a letter from a to {LETTERS[COLUMNS - 1]}"
        f" and a digit from 1 (the bottom) to {ROWS}, as in d1"
    )


def write_diagram(first: int, second: int) -> str:
    """Draw the board as text: R is red, the first player, and B is blue."""
    lines = []
    for row in range(ROWS):
        cells = [bit(Cell(column, row)) for column in range(COLUMNS)]
        letters = ["R" if first & cell else "B" if second & cell else "." for cell in cells]
        lines.append(f"{ROWS - row} {' '.join(letters)}")
    lines.append(f"  {' '.join(LETTERS)}")
    return "\n".join(lines) + "\n"


def describe(first: int, second: int) -> str:
    """Describe the board in sentences, column by column, each from the bottom."""
    lines, empty = [], []
    for column in range(COLUMNS):
        cells = [Cell(column, row) for row in reversed(range(ROWS))]
        pieces = [
            f"{write(cell)} {'red' if first & bit(cell) else 'blue'}"
            for cell in cells
            if (first | second) & bit(cell)
        ]
        if pieces:
            lines.append(f"Column {LETTERS[column]}: {', '.join(pieces)}.")
        else:
            empty.append(LETTERS[column])
    if empty:
        lines.append(f"Empty: {', '.join(empty)}.")
    return "\n".join(lines) + "\n"
