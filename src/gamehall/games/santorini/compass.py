"""Steps to adjacent cells as compass words, which both Santorini protocols use."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gamehall.games.santorini.board import Cell


class Step(NamedTuple):
    """A step: rows to the south and columns to the east, each -1, 0 or 1."""

    rows: int
    columns: int

    def leads_to(self, cell: Cell) -> Cell:
        """Return the cell that the step leads to, which may be off the board."""
        return Cell(cell.row + self.rows, cell.column + self.columns)


SOUTHWARD = {"north": -1, "put": 0, "south": 1}
EASTWARD = {"west": -1, "put": 0, "east": 1}


def read_step(words: Sequence[str]) -> Step | None:
    """Parse two compass words, in either order and any letter case, or return None.

    The order does not matter, because only `put` (stay) is a word of both axes (S0-Q15).
    """
    if len(words) != 2:
        return None
    one, other = words[0].lower(), words[1].lower()
    if one in SOUTHWARD and other in EASTWARD:
        return Step(SOUTHWARD[one], EASTWARD[other])
    if other in SOUTHWARD and one in EASTWARD:
        return Step(SOUTHWARD[other], EASTWARD[one])
    return None


def step_between(origin: Cell, to: Cell) -> Step:
    """Return the step from one cell to another. Not checked: that they are adjacent."""
    return Step(to.row - origin.row, to.column - origin.column)


def north_or_south(step: Step) -> str:
    """Return the first word of a step. Raises ValueError if it is too long."""
    return _word(SOUTHWARD, step.rows)


def east_or_west(step: Step) -> str:
    """Return the second word of a step. Raises ValueError if it is too long."""
    return _word(EASTWARD, step.columns)


def _word(words: Mapping[str, int], distance: int) -> str:
    for word, cells in words.items():
        if cells == distance:
            return word
    raise ValueError(f"a step leads to an adjacent cell, not {abs(distance)} cells away")
