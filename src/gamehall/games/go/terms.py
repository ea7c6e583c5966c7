"""What is agreed beside the rules of Go."""

from enum import Enum

import msgspec

from gamehall.core import Seat


class Ko(Enum):
    """Which earlier positions a move may not bring back (G-Q19)."""

    POSITIONAL = "positional"
    """None of the whole game."""
    SITUATIONAL = "situational"
    """None of the whole game in which the same player was to move."""
    SIMPLE = "simple"
    """Not that before the opponent's last move."""


class Scoring(Enum):
    """What counts at the end (G-Q21)."""

    TERRITORY = "territory"
    """Surrounded points and captured stones."""
    AREA = "area"
    """Surrounded points and one's own stones on the board."""


class Terms(msgspec.Struct, frozen=True):
    """The agreed terms, as a position carries them with it."""

    size: int
    komi: float
    handicap: int
    handicap_first: Seat
    """Who moves first after handicap stones."""
    ko: Ko
    suicide: bool
    scoring: Scoring
