"""Points of the board, and the two kinds of moves."""

from typing import NamedTuple, TypeAlias

import msgspec


class Point(NamedTuple):
    """A crossing of two lines: row 0 is the top edge, column 0 the left edge."""

    row: int
    column: int


class Stone(msgspec.Struct, frozen=True, tag="Stone"):
    """A stone is put onto the board."""

    point: Point


class Pass(msgspec.Struct, frozen=True, tag="Pass"):
    """No stone. In the handicap phase: no further one."""


Move: TypeAlias = Stone | Pass
