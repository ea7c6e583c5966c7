"""The terms of tables and tournaments."""

from enum import Enum
from typing import Final

import msgspec

from gamehall.match import Clock
from gamehall.tournaments.pairing import Starts
from gamehall.tournaments.standings import CheaterRule


class TournamentTerms(msgspec.Struct, frozen=True, kw_only=True):
    """When a tournament begins, which matches it has, and how matches of cheaters count."""

    players: int | None = None
    """The tournament begins when this many wait. None: the next three fields decide."""
    min_players: int = 2
    max_players: int = 200
    """The tournament begins at once when this many wait; others wait for the next one."""
    join_window_seconds: float = 3.0
    """The tournament begins when enough players wait and this time has passed without a new one."""
    matches_per_pair: int = 1
    best_of: bool = False
    """Whether the matches of a pair stop when one player cannot be overtaken."""
    starts: Starts = Starts.ALTERNATE
    parallel: bool = False
    """Whether pairs play at the same time."""
    cheaters_matches: CheaterRule = CheaterRule.KEEP
    once: bool = False
    """Whether the room plays a single tournament."""

    @property
    def wins_to_end(self) -> int:
        """The number of wins after which a pair plays no further match."""
        return self.matches_per_pair // 2 + 1 if self.best_of else self.matches_per_pair


class RematchRule(Enum):
    """When a request for a rematch clears the board (T-Q10)."""

    ANY = "any"
    """At once, at any time."""
    FINISHED = "finished"
    """At once, if the match is over."""
    BOTH = "both"
    """When every seated player has asked."""


class LeaveRule(Enum):
    """What happens to a running match when a player leaves (T-Q12)."""

    CANCEL = "cancel"
    AWARD = "award"
    """The other player wins."""


class TableTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a table that do not depend on its game."""

    clock: Clock = Clock()
    rematch: RematchRule = RematchRule.ANY
    on_leave: LeaveRule = LeaveRule.CANCEL
    wait_for_second: bool = False
    """Whether the first player must wait for an opponent before it moves (T-Q07)."""
    illegal_moves_allowed: int = 100
    """In a row; after the last of them the player is disconnected (T-Q09)."""
    spectators: int = 32
    spectators_may_chat: bool = True
    chats_per_second: int = 20
    """Chat messages of one client. 0: no limit."""
    letters_per_second: int = 262_144
    letters_per_second_of_all: int = 1_048_576
    """Chat of all clients together, so that it cannot fill the queues of slow clients (X-09)."""
    watcher_chats_per_second: int = 2
    """Chat messages of all watchers together who are not at the table."""


NATIVE_TERMS: Final = TableTerms(
    rematch=RematchRule.BOTH, on_leave=LeaveRule.AWARD, wait_for_second=True
)
"""The terms of tables at which only native clients play."""
