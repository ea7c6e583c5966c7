"""What is next to what on a board, and a key for every stone on it.

Points are numbers, row by row from the top; sets of points are integers with a bit for each.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

from gamehall.core import Seat
from gamehall.games.go.moves import Point


class Geometry(NamedTuple):
    """What is next to what on a board of one size, and the keys of its points."""

    size: int
    points: tuple[Point, ...]
    """By number."""
    numbers: dict[Point, int]
    neighbours: tuple[tuple[int, ...], ...]
    """By number: the up to four points beside a point."""
    around: tuple[int, ...]
    """The same as sets."""
    all: int
    """The set of all points."""
    not_left: int
    not_right: int
    """The sets of all points that are not in the first or in the last column."""
    black_keys: tuple[int, ...]
    white_keys: tuple[int, ...]
    """By number: what a stone there adds to the key of the position."""

    def spread(self, points: int) -> int:
        """The points beside any of these."""
        across = (points & self.not_right) << 1 | (points & self.not_left) >> 1
        return (across | points << self.size | points >> self.size) & self.all

    def region(self, start: int, within: int) -> int:
        """All points of `within` that are connected with those of `start` there."""
        region = start
        while (grown := (region | self.spread(region)) & within) != region:
            region = grown
        return region

    def keys(self, seat: Seat) -> tuple[int, ...]:
        """The keys of this colour's stones."""
        return self.black_keys if seat is Seat.FIRST else self.white_keys


@cache
def geometry(size: int) -> Geometry:
    """The geometry of a board of so many lines."""
    points = tuple(Point(row, column) for row in range(size) for column in range(size))
    numbers = {point: number for number, point in enumerate(points)}
    neighbours = tuple(
        tuple(
            numbers[beside]
            for beside in (
                Point(row - 1, column),
                Point(row, column - 1),
                Point(row, column + 1),
                Point(row + 1, column),
            )
            if beside in numbers
        )
        for row, column in points
    )
    around = tuple(sum(1 << beside for beside in four) for four in neighbours)
    everything = (1 << size * size) - 1
    first_column = sum(1 << row * size for row in range(size))
    return Geometry(
        size,
        points,
        numbers,
        neighbours,
        around,
        everything,
        everything ^ first_column,
        everything ^ first_column << size - 1,
        tuple(_key(f"black {number}") for number in range(len(points))),
        tuple(_key(f"white {number}") for number in range(len(points))),
    )


def numbers_in(points: int) -> Iterator[int]:
    """The numbers of the points in a set, the lowest first."""
    while points:
        lowest = points & -points
        yield lowest.bit_length() - 1
        points ^= lowest


def _key(name: str) -> int:
    """Sixty-four bits that look like chance, and are the same everywhere."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")


WHITE_TO_MOVE = _key("white to move")
"""What the turn adds to a key under situational superko."""
