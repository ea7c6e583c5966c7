"""Tournament formats: who meets whom, and when it is over.

A format is told the results of encounters and says which are next. It knows neither time nor
chance: the same results, in whatever order they arrive, always lead to the same encounters and the
same end. So an interrupted tournament is continued by telling a new format what was played.
"""

from collections.abc import Callable
from typing import NamedTuple

from gamehall.tournaments.formats.elimination import DoubleElimination, Knockout
from gamehall.tournaments.formats.format import Format
from gamehall.tournaments.formats.round_robin import Gauntlet, RoundRobin
from gamehall.tournaments.formats.staged import Ladder
from gamehall.tournaments.formats.swiss import Swiss


class FormatKind(NamedTuple):
    """A format as a person chooses it."""

    summary: str
    make: Callable[..., Format]
    """Takes `players`, `games` and `in_pairs`, and `rounds` if that can be said."""
    takes_rounds: bool = False


FORMATS: dict[str, FormatKind] = {
    RoundRobin.name: FormatKind("everybody meets everybody", RoundRobin),
    Gauntlet.name: FormatKind("the first one named meets each other one", Gauntlet),
    Swiss.name: FormatKind(
        "rounds in which those meet who have won as much, and nobody twice", Swiss, True
    ),
    Knockout.name: FormatKind("who loses is out; seeded in the order named", Knockout),
    DoubleElimination.name: FormatKind("who loses twice is out", DoubleElimination),
    Ladder.name: FormatKind(
        "neighbours on a ladder meet, and the lower one who wins climbs", Ladder, True
    ),
}
