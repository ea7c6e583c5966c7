"""The board in words, column by column, from the bottom."""

from gamehall.games.connect_four import bitboard, notation
from gamehall.games.connect_four.moves import COLUMNS, ROWS, Cell


def write(first: int, second: int) -> str:
    """The two sets of pieces on the board: the first are red, the second blue."""
    lines, empty = [], []
    for column in range(COLUMNS):
        cells = [Cell(column, row) for row in reversed(range(ROWS))]
        pieces = [
            f"{notation.write(cell)} {'red' if first & bitboard.bit(cell) else 'blue'}"
            for cell in cells
            if (first | second) & bitboard.bit(cell)
        ]
        if pieces:
            lines.append(f"Column {notation.LETTERS[column]}: {', '.join(pieces)}.")
        else:
            empty.append(notation.LETTERS[column])
    if empty:
        lines.append(f"Empty: {', '.join(empty)}.")
    return "\n".join(lines) + "\n"
