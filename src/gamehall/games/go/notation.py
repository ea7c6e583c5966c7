"""Moves and positions as text.

Moves are written as in GTP: a point, as in `D4`, or `pass`. The letter is the column, from the left
and without I; the number is the row, from the bottom.
"""

import re
from collections.abc import Mapping

from gamehall.core import Seat, is_of_ints, quoted
from gamehall.games.go.board import Move, Pass, Point, Stone, star_points

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
POINT = re.compile(r"([A-HJ-Z])([1-9][0-9]?)")


def write_point(point: Point, size: int) -> str:
    """Return the point in notation. Not checked: that it is on the board."""
    return f"{LETTERS[point.column]}{size - point.row}"


def write(move: Move, size: int) -> str:
    """Return the move in notation. Raise ValueError if it is not on a board of this size."""
    if type(move) is Pass:
        return "pass"
    if type(move) is Stone and is_of_ints(move.point, Point):
        row, column = move.point
        if 0 <= row < size and 0 <= column < size:
            return write_point(move.point, size)
    raise ValueError(f"{quoted(move)} is not a move on a board of {size} by {size}")


def read(text: str, size: int) -> Move:
    """Parse a move; small letters and surrounding blanks are accepted. Raise ValueError."""
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


STONE_SIGNS = {Seat.FIRST: "X", Seat.SECOND: "O"}


def write_diagram(
    size: int, stones: Mapping[Point, Seat], last: Point | None, captured: Mapping[Seat, int]
) -> str:
    """Draw the board as text: X is black, O is white, and the last stone is in brackets.

    The line below the board has the numbers of captured stones.
    """
    stars = set(star_points(size))
    letters = "    " + " ".join(LETTERS[:size])
    lines = [letters]
    for row in range(size):
        line = ""
        for column in range(size):
            point = Point(row, column)
            empty = "+" if point in stars else "."
            stone = STONE_SIGNS[stones[point]] if point in stones else empty
            gap = "(" if point == last else ")" if Point(row, column - 1) == last else " "
            line += gap + stone
        line += ")" if last == Point(row, size - 1) else " "
        lines.append(f"{size - row:2} {line} {size - row}")
    counts = f"X, black, has captured {captured[Seat.FIRST]}"
    lines += [letters, f"{counts}; O, white, has captured {captured[Seat.SECOND]}"]
    return "\n".join(lines) + "\n"


STONE_NAMES = {Seat.FIRST: "black", Seat.SECOND: "white"}


def describe(size: int, stones: Mapping[Point, Seat], captured: Mapping[Seat, int]) -> str:
    """Describe the board in sentences, row by row from the top, and the captured stones."""
    lines = []
    for row in range(size):
        found: dict[Seat, list[str]] = {seat: [] for seat in Seat}
        for column in range(size):
            seat = stones.get(Point(row, column))
            if seat is not None:
                found[seat].append(f"{LETTERS[column]}{size - row}")
        sides = [
            f"{STONE_NAMES[seat]} {', '.join(points)}" for seat, points in found.items() if points
        ]
        if sides:
            lines.append(f"Row {size - row}: {'; '.join(sides)}.")
    if not lines:
        lines.append(f"An empty board of {size} lines.")
    for seat in Seat:
        if captured[seat]:
            lines.append(f"{STONE_NAMES[seat].capitalize()} has captured {captured[seat]}.")
    return "\n".join(lines) + "\n"
