"""Who stands where, given what everybody has reached."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any


def places(reached: Sequence[Any]) -> list[list[int]]:
    """Everybody by what each has reached, the most first, equals together.

    `reached` has a comparable value for each player; equals come in the order in which they
    are numbered.
    """

    def of(player: int) -> Any:
        return reached[player]

    best_first = sorted(range(len(reached)), key=of, reverse=True)
    return [list(equals) for _, equals in groupby(best_first, key=of)]
