"""Cells of the board, and the two kinds of moves."""

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
