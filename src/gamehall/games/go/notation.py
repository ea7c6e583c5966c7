"""Moves in writing, as GTP has them: `D4` puts a stone, `pass` does not.

The letter is the column, from the left and without I; the number is the row, from the bottom.
"""

import re

from gamehall.core import is_of_ints, quoted
from gamehall.games.go.moves import Move, Pass, Point, Stone

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
POINT = re.compile(r"([A-HJ-Z])([1-9][0-9]?)")


def write_point(point: Point, size: int) -> str:
    """The point in writing. Not checked: that it is on the board."""
    return f"{LETTERS[point.column]}{size - point.row}"


def write(move: Move, size: int) -> str:
    """The move in writing. Raises ValueError if it is none on a board of this size."""
    if type(move) is Pass:
        return "pass"
    if type(move) is Stone and is_of_ints(move.point, Point):
        row, column = move.point
        if 0 <= row < size and 0 <= column < size:
            return write_point(move.point, size)
    raise ValueError(f"{quoted(move)} is not a move on a board of {size} by {size}")


def read(text: str, size: int) -> Move:
    """The move that `text` writes; small letters and surrounding blanks are fine."""
    written = text.strip().upper()
    if written == "PASS":
        return Pass()
    parts = POINT.fullmatch(written)
    if parts:
        point = Point(size - int(parts[2]), LETTERS.index(parts[1]))
        if point.row >= 0 and point.column < size:
            return Stone(point)
    raise ValueError(
        f"{text!r} is not a move on a board of {size} by {size}: write a point, as in"
        f" {LETTERS[min(3, size - 1)]}{min(4, size)}, or pass"
    )
