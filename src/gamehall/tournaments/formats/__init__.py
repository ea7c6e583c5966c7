"""Tournament formats: which players meet next, and when the tournament is over.

A format takes the results of encounters and returns the next ones. It depends neither on time nor
on chance: the same results, in any order, lead to the same encounters. So an interrupted tournament
is continued by passing the results to a new format.
"""

from collections.abc import Callable
from typing import NamedTuple

from gamehall.tournaments.formats.elimination import DoubleElimination, Knockout
from gamehall.tournaments.formats.format import Format
from gamehall.tournaments.formats.round_robin import Gauntlet, RoundRobin
from gamehall.tournaments.formats.staged import Ladder
from gamehall.tournaments.formats.swiss import Swiss


class FormatKind(NamedTuple):
    """A format that users can choose."""

    summary: str
    make: Callable[..., Format]
    """Takes `players`, `games` and `in_pairs`, and `rounds` if `takes_rounds`."""
    takes_rounds: bool = False


FORMATS: dict[str, FormatKind] = {
    RoundRobin.name: FormatKind("all players meet each other", RoundRobin),
    Gauntlet.name: FormatKind("the first player named meets each other player", Gauntlet),
    Swiss.name: FormatKind(
        "rounds in which players with equal scores meet, and no two meet twice", Swiss, True
    ),
    Knockout.name: FormatKind("a player who loses is out; seeded in the order named", Knockout),
    DoubleElimination.name: FormatKind("a player who loses twice is out", DoubleElimination),
    Ladder.name: FormatKind(
        "neighbours on a ladder meet, and swap places if the lower one wins", Ladder, True
    ),
}
