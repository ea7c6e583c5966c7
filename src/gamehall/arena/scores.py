"""What the matches came to, summed up as they come."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from gamehall.arena.match_runner import Row
from gamehall.match import Ending
from gamehall.tournaments.standings import DRAW, LOSS, WIN, Meeting, Points, Tally

FAULTS_KEPT = 100
"""How many matches that ended by somebody's fault are kept to be shown."""


@dataclass(slots=True)
class Share:
    """What a bot has won, drawn and lost."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def matches(self) -> int:
        """All of them."""
        return self.won + self.drawn + self.lost

    @property
    def points(self) -> float:
        """A draw is half a win."""
        return self.won + self.drawn / 2

    def add(self, points: float) -> None:
        """One more match."""
        if points == WIN:
            self.won += 1
        elif points == LOSS:
            self.lost += 1
        else:
            self.drawn += 1


@dataclass(slots=True)
class Player:
    """What there is to say of one bot."""

    as_first: Share = field(default_factory=Share)
    as_second: Share = field(default_factory=Share)
    faults: Counter[Ending] = field(default_factory=Counter)
    """How its matches have ended by its own fault."""
    seconds: float = 0.0
    """How long it has thought in all."""
    moves: int = 0
    """Half of those of its matches."""
    printed: str = ""
    """Something that it has printed where nobody reads it."""


class Scores:
    """The sum of all encounters that were played; in whatever order they came, it is the same."""

    def __init__(self, players: int) -> None:
        self.tally = Tally(players)
        self.players = [Player() for _ in range(players)]
        self.matches = 0
        self.encounters = 0
        self.endings: Counter[Ending] = Counter()
        self.faults: list[Row] = []
        """The first matches that ended by somebody's fault, without their records."""

    def add(self, rows: Sequence[Row]) -> Points:
        """The matches of one encounter. Gives the points of who began its first match."""
        one = rows[0].first
        points = tuple(points_of(row, one) for row in rows)
        self.tally.add(Meeting(one, rows[0].second, points))
        self.encounters += 1
        for row in rows:
            self._add_match(row)
        return points

    def _add_match(self, row: Row) -> None:
        self.matches += 1
        self.endings[row.ending] += 1
        first, second = self.players[row.first], self.players[row.second]
        points = points_of(row, row.first)
        first.as_first.add(points)
        second.as_second.add(WIN - points)
        first.seconds += row.seconds[0]
        second.seconds += row.seconds[1]
        first.moves += row.moves // 2
        second.moves += row.moves // 2
        if any(row.printed):
            first.printed = first.printed or row.printed[0]
            second.printed = second.printed or row.printed[1]
        if row.blame is not None:
            self.players[row.blame].faults[row.ending] += 1
            self.faults.append(row._replace(record=b""))
            if len(self.faults) > 2 * FAULTS_KEPT:
                self.faults = self.first_faults()

    def first_faults(self) -> list[Row]:
        """So many of them as are shown, by their numbers."""
        return sorted(self.faults, key=lambda row: (row.encounter, row.match))[:FAULTS_KEPT]


def points_of(row: Row, player: int) -> float:
    """What one of the two has scored in a match."""
    if row.winner is None:
        return DRAW
    return WIN if row.winner == player else LOSS
