"""The board in words, row by row, from the top."""

from collections.abc import Mapping

from gamehall.core import Seat
from gamehall.games.go.moves import Point
from gamehall.games.go.notation import LETTERS

STONES = {Seat.FIRST: "black", Seat.SECOND: "white"}


def write(size: int, stones: Mapping[Point, Seat], captured: Mapping[Seat, int]) -> str:
    """The stones on the board, and what each side has captured."""
    lines = []
    for row in range(size):
        found: dict[Seat, list[str]] = {seat: [] for seat in Seat}
        for column in range(size):
            seat = stones.get(Point(row, column))
            if seat is not None:
                found[seat].append(f"{LETTERS[column]}{size - row}")
        sides = [f"{STONES[seat]} {', '.join(points)}" for seat, points in found.items() if points]
        if sides:
            lines.append(f"Row {size - row}: {'; '.join(sides)}.")
    if not lines:
        lines.append(f"An empty board of {size} lines.")
    for seat in Seat:
        if captured[seat]:
            lines.append(f"{STONES[seat].capitalize()} has captured {captured[seat]}.")
    return "\n".join(lines) + "\n"
