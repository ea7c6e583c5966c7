"""The board in letters: R is red, who moves first, B is blue."""

from gamehall.games.connect_four import bitboard, notation
from gamehall.games.connect_four.moves import COLUMNS, ROWS, Cell


def write(first: int, second: int) -> str:
    """The two sets of pieces on the board."""
    lines = []
    for row in range(ROWS):
        cells = [bitboard.bit(Cell(column, row)) for column in range(COLUMNS)]
        letters = ["R" if first & cell else "B" if second & cell else "." for cell in cells]
        lines.append(f"{ROWS - row} {' '.join(letters)}")
    lines.append(f"  {' '.join(notation.LETTERS)}")
    return "\n".join(lines) + "\n"
