"""The score when both players have passed. Every stone on the board counts as alive (GR-05)."""

from enum import Enum

import msgspec

from gamehall.core import Seat
from gamehall.games.go.board import Geometry


class Scoring(Enum):
    """What counts at the end (G-Q21)."""

    TERRITORY = "territory"
    """Surrounded points and captured stones."""
    AREA = "area"
    """Surrounded points and one's own stones on the board."""


class SeatScore(msgspec.Struct, frozen=True):
    """What one player has."""

    captured: int
    """Stones of the other that it has taken."""
    territory: int
    stones: int
    """Its own stones on the board."""
    komi: float

    def total(self, scoring: Scoring) -> float:
        """Return all of it that counts."""
        counted = self.captured if scoring is Scoring.TERRITORY else self.stones
        return counted + self.territory + self.komi


class GoScore(msgspec.Struct, frozen=True):
    """What both have; black sits first."""

    black: SeatScore
    white: SeatScore

    def of(self, seat: Seat) -> SeatScore:
        """Return what `seat` has."""
        return self.black if seat is Seat.FIRST else self.white


def territories(board: Geometry, black: int, white: int) -> tuple[int, int]:
    """Return the empty points that only black, and that only white, surrounds (GR-04)."""
    of_black = of_white = 0
    empty = board.all & ~(black | white)
    while empty:
        region = board.region(empty & -empty, empty)
        empty ^= region
        border = board.spread(region)
        if border & black and not border & white:
            of_black |= region
        elif border & white and not border & black:
            of_white |= region
    return of_black, of_white
