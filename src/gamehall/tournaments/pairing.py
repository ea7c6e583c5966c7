"""Who meets whom in a round robin, and who begins.

Players are numbers, in the order in which they came.
"""

from enum import Enum
from typing import NamedTuple


class Pair(NamedTuple):
    """Two who are to meet; `earlier` came before `later`."""

    earlier: int
    later: int


class Starts(Enum):
    """Who begins the matches of a pair."""

    ALTERNATE = "alternate"
    """The earlier the first, the later the second, and so on in turn."""
    FIXED = "fixed"
    """The earlier all of them."""


def in_order_of_arrival(players: int) -> list[Pair]:
    """Everybody meets those who came before, in their order: 0-1, 0-2, 1-2, 0-3, ..."""
    return [Pair(earlier, later) for later in range(players) for earlier in range(later)]


def in_rounds(players: int) -> list[list[Pair]]:
    """The rounds of a round robin: in each, nobody meets more than one other.

    The circle method, which is well known: one stays in place while the others move around the
    table by one seat a round; those across from each other meet. With an odd number one seat is
    empty, and whoever sits across from it rests.
    """
    seats: list[int | None] = [*range(players)]
    if players % 2:
        seats.append(None)
    rounds: list[list[Pair]] = []
    for _ in range(len(seats) - 1):
        across = zip(seats[: len(seats) // 2], reversed(seats[len(seats) // 2 :]), strict=True)
        rounds.append(
            [
                Pair(min(one, other), max(one, other))
                for one, other in across
                if one is not None and other is not None
            ]
        )
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return rounds


def starter(pair: Pair, matches_before: int, starts: Starts) -> int:
    """Who begins the next match of a pair that has played so many."""
    if starts is Starts.ALTERNATE and matches_before % 2:
        return pair.later
    return pair.earlier
