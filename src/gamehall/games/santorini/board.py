"""Cells, moves, and the heights of the board as bitboards.

Cell (row, column) of a board is bit `row * size + column`.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

import msgspec


class Cell(NamedTuple):
    """A place on the board: row 0 is the north edge, column 0 the west edge."""

    row: int
    column: int


class Place(msgspec.Struct, frozen=True, tag="Place"):
    """A worker is put onto the board."""

    cell: Cell


class Turn(msgspec.Struct, frozen=True, tag="Turn"):
    """The worker at `origin` moves to `to` and builds on `build`, which is None for a win."""

    origin: Cell
    to: Cell
    build: Cell | None


Move: TypeAlias = Place | Turn


DOME = 4
"""The height that is never entered and never built on."""

SUMMIT = 3
"""The height that wins."""


class Geometry(NamedTuple):
    """The neighbours of every cell on a board of one size."""

    size: int
    cells: tuple[Cell, ...]
    """By number, row by row from the north."""
    numbers: dict[Cell, int]
    neighbours: tuple[int, ...]
    """By number: the up to eight cells around a cell, as a set."""


@cache
def geometry(size: int) -> Geometry:
    """Return the geometry of a board with this many rows and columns."""
    cells = tuple(Cell(row, column) for row in range(size) for column in range(size))
    neighbours = tuple(
        sum(
            1 << number
            for number, other in enumerate(cells)
            if other != cell
            and abs(other.row - cell.row) <= 1
            and abs(other.column - cell.column) <= 1
        )
        for cell in cells
    )
    return Geometry(
        size=size,
        cells=cells,
        numbers={cell: n for n, cell in enumerate(cells)},
        neighbours=neighbours,
    )


def numbers_in(cells: int) -> Iterator[int]:
    """Yield the numbers of the cells in a set, the lowest first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


class Heights(NamedTuple):
    """How high the board is built: for each level, the cells that are at least that high."""

    one: int
    two: int
    three: int
    dome: int
    by_cell: bytes
    """The same, cell by cell, for the largest board."""

    def at(self, number: int) -> int:
        """Return the height of a cell."""
        return self.by_cell[number]

    @property
    def levels(self) -> tuple[int, int, int, int]:
        """The cells of each level, the lowest level first."""
        return self.one, self.two, self.three, self.dome

    def higher_than(self, height: int) -> int:
        """Return the cells that are higher than this; none is higher than a dome."""
        return self.levels[height] if height < DOME else 0

    def built_on(self, number: int) -> "Heights":
        """Return the heights with one more level on a cell. Not checked: that it is no dome."""
        levels = list(self.levels)
        height = self.by_cell[number]
        levels[height] |= 1 << number
        by_cell = bytearray(self.by_cell)
        by_cell[number] = height + 1
        one, two, three, dome = levels
        return Heights(one=one, two=two, three=three, dome=dome, by_cell=bytes(by_cell))


FLAT = Heights(one=0, two=0, three=0, dome=0, by_cell=bytes(36))
