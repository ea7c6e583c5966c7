"""The terms of an open table: data of the room, not code."""

from enum import Enum

import msgspec

from gamehall.match import Clock


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
