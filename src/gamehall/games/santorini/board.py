"""Cells, moves, and the heights of the board as bitboards.

Cell (row, column) of a board is bit `row * size + column`.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

import msgspec


class Cell(NamedTuple):
    """A cell of the board: row 0 is the north edge, column 0 the west edge."""

    row: int
    column: int


class Place(msgspec.Struct, frozen=True, tag="Place"):
    """Place a worker."""

    cell: Cell


class Turn(msgspec.Struct, frozen=True, tag="Turn"):
    """Move the worker at `origin` to `to` and build on `build`, which is None for a win."""

    origin: Cell
    to: Cell
    build: Cell | None


Move: TypeAlias = Place | Turn


DOME = 4
SUMMIT = 3
"""The height on which a player wins."""


class Geometry(NamedTuple):
    """The cells of a board of one size, and their neighbours."""

    size: int
    cells: tuple[Cell, ...]
    """All cells by number, row by row from the north."""
    numbers: dict[Cell, int]
    neighbours: tuple[int, ...]
    """For each cell number, the bitboard of the up to eight adjacent cells."""


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
    """Yield the numbers of the cells in a bitboard, the lowest first."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest


class Heights(NamedTuple):
    """The heights of all cells: for each level, the bitboard of the cells at least that high."""

    one: int
    two: int
    three: int
    dome: int
    by_cell: bytes
    """The height of each cell. The length is that of the largest board."""

    def at(self, number: int) -> int:
        return self.by_cell[number]

    @property
    def levels(self) -> tuple[int, int, int, int]:
        return self.one, self.two, self.three, self.dome

    def higher_than(self, height: int) -> int:
        """Return the bitboard of the cells higher than this."""
        return self.levels[height] if height < DOME else 0

    def built_on(self, number: int) -> "Heights":
        """Return the heights with one more level on a cell. Not checked: that it has no dome."""
        levels = list(self.levels)
        height = self.by_cell[number]
        levels[height] |= 1 << number
        by_cell = bytearray(self.by_cell)
        by_cell[number] = height + 1
        one, two, three, dome = levels
        return Heights(one=one, two=two, three=three, dome=dome, by_cell=bytes(by_cell))


FLAT = Heights(one=0, two=0, three=0, dome=0, by_cell=bytes(36))
