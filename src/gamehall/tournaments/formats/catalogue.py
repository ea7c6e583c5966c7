"""Every format that can be asked for by its name."""

from collections.abc import Callable
from typing import NamedTuple

from gamehall.tournaments.formats.double_elimination import DoubleElimination
from gamehall.tournaments.formats.format import Format
from gamehall.tournaments.formats.gauntlet import Gauntlet
from gamehall.tournaments.formats.knockout import Knockout
from gamehall.tournaments.formats.ladder import Ladder
from gamehall.tournaments.formats.round_robin import RoundRobin
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
