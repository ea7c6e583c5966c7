"""The pairs of a round robin, their order, and who begins.

Players are numbers, in the order of arrival.
"""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple


class Pair(NamedTuple):
    """Two players who meet; `earlier` arrived before `later`."""

    earlier: int
    later: int


class Starts(Enum):
    """Who begins the matches of a pair."""

    ALTERNATE = "alternate"
    """In turn; the earlier player begins the first match."""
    FIXED = "fixed"
    """The earlier player begins all matches."""


def in_order_of_arrival(players: int) -> list[Pair]:
    """Return all pairs in the order of arrival: 0-1, 0-2, 1-2, 0-3, ..."""
    return [Pair(earlier, later) for later in range(players) for earlier in range(later)]


def in_rounds(players: int) -> list[list[Pair]]:
    """Return the rounds of a round robin; in each, every player meets at most one other.

    This is the circle method: one player stays in place while the others move around the table by
    one seat a round, and those across from each other meet. With an odd number of players one seat
    is empty, and the player across from it rests.
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
    """Return the player who begins the next match of a pair after `matches_before` matches."""
    if starts is Starts.ALTERNATE and matches_before % 2:
        return pair.later
    return pair.earlier


class Schedule:
    """The pairs that have not met yet, and those that are playing.

    Every pair meets once, and no player has two matches at a time. With `parallel`, pairs that
    share no player meet at the same time; without, one pair meets after the other.
    """

    def __init__(self, players: int, pairs: Sequence[Pair], parallel: bool) -> None:
        self._parallel = parallel
        self._pending = dict.fromkeys(pairs)
        self._pending_of: list[dict[Pair, None]] = [{} for _ in range(players)]
        for pair in pairs:
            for player in pair:
                self._pending_of[player][pair] = None
        self._meeting: set[Pair] = set()
        self._busy: set[int] = set()
        self._idle = dict.fromkeys(range(players))
        """Players whose next pair may be able to begin, in the order in which they became free."""

    @property
    def is_done(self) -> bool:
        """True if all pairs have met."""
        return not self._pending and not self._meeting

    def begin(self) -> list[Pair]:
        """Start all pairs that can meet now, and return them."""
        if not self._parallel:
            first = next(iter(self._pending), None)
            return [] if self._meeting or first is None else [self._begin(first)]
        begun: list[Pair] = []
        idle, self._idle = self._idle, {}
        for player in idle:
            if player not in self._busy:
                pair = next((p for p in self._pending_of[player] if self._both_free(p)), None)
                if pair is not None:
                    begun.append(self._begin(pair))
        return begun

    def end(self, pair: Pair) -> None:
        """Note that the pair has met, so that both are free again."""
        self._meeting.remove(pair)
        self._busy.difference_update(pair)
        self._idle.update(dict.fromkeys(pair))

    def withdraw(self, player: int) -> list[Pair]:
        """Drop the remaining pairs of a player, and return them."""
        dropped = list(self._pending_of[player])
        for pair in dropped:
            self._drop(pair)
        return dropped

    def _both_free(self, pair: Pair) -> bool:
        return pair.earlier not in self._busy and pair.later not in self._busy

    def _begin(self, pair: Pair) -> Pair:
        self._drop(pair)
        self._meeting.add(pair)
        self._busy.update(pair)
        return pair

    def _drop(self, pair: Pair) -> None:
        del self._pending[pair]
        for player in pair:
            del self._pending_of[player][pair]
