"""What a position of Santorini is worth, as far as can be said without looking ahead.

For each worker: how high it stands, how near to the middle, how many cells it can step to, how many
of these are higher than its own, and how many win. The worth to a player is the sum over the own
workers less that over the other's. A clear lead is about 100. The terms are what any player looks
at; the numbers are our own.
"""

from typing import NamedTuple

from gamehall.core import Seat
from gamehall.games.santorini import SantoriniPosition
from gamehall.games.santorini.board import SUMMIT, geometry

WORTH_OF_HEIGHT = (0, 30, 80, 0)
"""By the height on which a worker stands."""
WORTH_OF_RING = (0, 6, 12)
"""By the distance of its cell from the edge of the board."""
WORTH_OF_STEP = 2
"""For each cell that the worker can step to."""
WORTH_OF_CLIMB = (4, 14)
"""For each such cell that is higher: by the height on which the worker stands."""
WORTH_OF_THREAT = 90
"""For each such cell that wins."""


class Prospects(NamedTuple):
    """What a worker has before it."""

    height: int
    ring: int
    steps: int
    climbs: int
    threats: int

    def worth(self) -> int:
        """Return all of it in one number."""
        return (
            WORTH_OF_HEIGHT[self.height]
            + WORTH_OF_RING[self.ring]
            + WORTH_OF_STEP * self.steps
            + (WORTH_OF_CLIMB[self.height] * self.climbs if self.height < SUMMIT - 1 else 0)
            + WORTH_OF_THREAT * self.threats
        )


def evaluate(position: SantoriniPosition, seat: Seat) -> int:
    """Return how much better the workers of `seat` stand than those of the other."""
    return _worth(position, seat) - _worth(position, seat.other)


def _worth(position: SantoriniPosition, seat: Seat) -> int:
    return sum(
        prospects(position, number).worth()
        for number in position.workers[0 if seat is Seat.FIRST else 1]
    )


def prospects(position: SantoriniPosition, number: int) -> Prospects:
    """Return what the worker on the cell of this number has before it."""
    board, heights = geometry(position.size), position.heights
    occupied = sum(1 << worker for own in position.workers for worker in own)
    height, last = heights.at(number), position.size - 1
    too_high = heights.higher_than(min(height + 1, SUMMIT))
    reach = board.neighbours[number] & ~occupied & ~too_high
    row, column = board.cells[number]
    return Prospects(
        height=height,
        ring=min(row, column, last - row, last - column),
        steps=reach.bit_count(),
        climbs=(reach & heights.higher_than(height)).bit_count(),
        threats=(reach & heights.three).bit_count(),
    )
