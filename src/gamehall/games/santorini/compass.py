"""Steps on the board in words of the compass, as both Santorini protocols write them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gamehall.games.santorini.board import Cell


class Step(NamedTuple):
    """How far to go: so many rows to the south and columns to the east, each -1, 0 or 1."""

    rows: int
    columns: int

    def leads_to(self, cell: Cell) -> Cell:
        """Return where one gets from `cell`, perhaps beyond the edge of the board."""
        return Cell(cell.row + self.rows, cell.column + self.columns)


SOUTHWARD = {"north": -1, "put": 0, "south": 1}
EASTWARD = {"west": -1, "put": 0, "east": 1}


def read_step(words: Sequence[str]) -> Step | None:
    """Return the step that two words name, in either order and any letter case.

    That is never ambiguous: no word but `put`, which means to stay, is of both axes (S0-Q15).
    None if they name no step.
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
    """Return the step that leads from one cell to another.

    Not checked: that they are neighbours.
    """
    return Step(to.row - origin.row, to.column - origin.column)


def north_or_south(step: Step) -> str:
    """Return the word for how far a step goes along the first axis.

    Raises ValueError if too far.
    """
    return _word(SOUTHWARD, step.rows)


def east_or_west(step: Step) -> str:
    """Return the word for how far a step goes along the second axis.

    Raises ValueError if too far.
    """
    return _word(EASTWARD, step.columns)


def _word(words: Mapping[str, int], distance: int) -> str:
    for word, far in words.items():
        if far == distance:
            return word
    raise ValueError(f"a step goes to a neighbour, not {abs(distance)} cells away")
