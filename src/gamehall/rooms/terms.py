"""The terms of tables and tournaments: data of the room, not code."""

from enum import Enum

import msgspec

from gamehall.match import Clock
from gamehall.tournaments.pairing import Starts
from gamehall.tournaments.standings import CheaterRule


class TournamentTerms(msgspec.Struct, frozen=True, kw_only=True):
    """When a tournament begins, what is played in it, and what becomes of cheaters' matches."""

    players: int | None = None
    """It begins as soon as so many wait, and at no other time. None: see the following."""
    min_players: int = 2
    max_players: int = 200
    """It begins at once when so many wait; further ones wait for the next."""
    join_window_seconds: float = 3.0
    """It begins when enough players wait and nobody has come for so long."""
    matches_per_pair: int = 1
    best_of: bool = False
    """Whether a pair stops as soon as one of them cannot be caught up with."""
    starts: Starts = Starts.ALTERNATE
    parallel: bool = False
    """Whether several pairs play at the same time."""
    cheaters_matches: CheaterRule = CheaterRule.KEEP
    once: bool = False
    """Whether there is no second tournament."""

    @property
    def wins_to_end(self) -> int:
        """With how many wins of one player a pair has nothing left to play."""
        return self.matches_per_pair // 2 + 1 if self.best_of else self.matches_per_pair


class RematchRule(Enum):
    """When a player who asks for a fresh board gets it (T-Q10)."""

    ANY = "any"
    """At once, at any time."""
    FINISHED = "finished"
    """At once, when the match is over."""
    BOTH = "both"
    """When every seated player has asked."""


class LeaveRule(Enum):
    """What becomes of a running match when a player leaves (T-Q12)."""

    CANCEL = "cancel"
    AWARD = "award"
    """The other player wins."""


class TableTerms(msgspec.Struct, frozen=True, kw_only=True):
    """How people behave at a table, whatever the game."""

    clock: Clock = Clock()
    rematch: RematchRule = RematchRule.ANY
    on_leave: LeaveRule = LeaveRule.CANCEL
    wait_for_second: bool = False
    """Whether the first player may not move before somebody sits across the table (T-Q07)."""
    illegal_moves_allowed: int = 100
    """In a row; with the last of them the player has to go (T-Q09)."""
    spectators: int = 32
    spectators_may_say: bool = True
    sayings_per_second: int = 20
    """0: as many as they like."""
    letters_per_second: int = 262_144
    letters_per_second_of_all: int = 1_048_576
    """So that talk cannot fill the lines of those who read slowly (X-09)."""
    remarks_per_second: int = 2
    """Of all those together who look on without being at the table."""
