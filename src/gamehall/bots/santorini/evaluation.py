"""The evaluation of a position of Santorini, without looking ahead.

The value to a player is that of the own workers, less that of the opponent's. A clear lead is about
100. The terms are what any player looks at; the numbers are our own.
"""

from gamehall.core import Seat
from gamehall.games.santorini import SantoriniPosition
from gamehall.games.santorini.board import SUMMIT, geometry

VALUE_OF_HEIGHT = (0, 30, 80, 0)
"""By the height on which a worker stands."""
VALUE_OF_RING = (0, 6, 12)
"""By the distance of its cell from the edge of the board."""
VALUE_OF_STEP = 2
"""For each cell that the worker can step to."""
VALUE_OF_CLIMB = (4, 14)
"""For each of these cells that is higher, by the height on which the worker stands."""
VALUE_OF_THREAT = 90
"""For each of these cells that wins."""


def evaluate(position: SantoriniPosition, seat: Seat) -> int:
    """Return the value of the position to `seat`."""
    first, second = (
        sum(_value_of_worker(position, cell) for cell in own) for own in position.workers
    )
    return first - second if seat is Seat.FIRST else second - first


def _value_of_worker(position: SantoriniPosition, cell: int) -> int:
    board, heights = geometry(position.size), position.heights
    occupied = sum(1 << worker for own in position.workers for worker in own)
    height, last = heights.at(cell), position.size - 1
    too_high = heights.higher_than(min(height + 1, SUMMIT))
    reach = board.neighbours[cell] & ~occupied & ~too_high
    row, column = board.cells[cell]
    value = VALUE_OF_HEIGHT[height]
    value += VALUE_OF_RING[min(row, column, last - row, last - column)]
    value += VALUE_OF_STEP * reach.bit_count()
    value += VALUE_OF_THREAT * (reach & heights.three).bit_count()
    if height < SUMMIT - 1:
        value += VALUE_OF_CLIMB[height] * (reach & heights.higher_than(height)).bit_count()
    return value
