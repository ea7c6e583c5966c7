"""The board in letters: X is black, O is white, the last stone stands in brackets."""

from collections.abc import Mapping

from gamehall.core import Seat
from gamehall.games.go.moves import Point
from gamehall.games.go.notation import LETTERS
from gamehall.games.go.picture import star_points

STONES = {Seat.FIRST: "X", Seat.SECOND: "O"}


def write(
    size: int, stones: Mapping[Point, Seat], last: Point | None, captured: Mapping[Seat, int]
) -> str:
    """The stones on the board, and below it what each side has captured."""
    stars = set(star_points(size))
    letters = "    " + " ".join(LETTERS[:size])
    lines = [letters]
    for row in range(size):
        line = ""
        for column in range(size):
            point = Point(row, column)
            empty = "+" if point in stars else "."
            stone = STONES[stones[point]] if point in stones else empty
            gap = "(" if point == last else ")" if Point(row, column - 1) == last else " "
            line += gap + stone
        line += ")" if last == Point(row, size - 1) else " "
        lines.append(f"{size - row:2} {line} {size - row}")
    counts = f"X, black, has captured {captured[Seat.FIRST]}"
    lines += [letters, f"{counts}; O, white, has captured {captured[Seat.SECOND]}"]
    return "\n".join(lines) + "\n"
