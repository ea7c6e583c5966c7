"""A heuristic evaluation of Connect Four on any terms.

To count the open lines, fuller ones for more, is folklore.
"""

from functools import cache

from gamehall.core import Seat
from gamehall.games.connect_four import COLUMNS, ROWS, Cell, ConnectFourPosition
from gamehall.games.connect_four.board import bit

VALUE_OF_LINE = 2.0
"""The value of a line without stones of the opponent, times the square of the own stones in it."""


def evaluate(position: ConnectFourPosition, seat: Seat) -> float:
    """Return the value of the open lines of `seat`, less that of the opponent's."""
    first, second = position.first, position.second
    lead = 0
    for line in lines(position.line_length):
        of_first, of_second = (first & line).bit_count(), (second & line).bit_count()
        if not of_second:
            lead += of_first * of_first
        elif not of_first:
            lead -= of_second * of_second
    return VALUE_OF_LINE * (lead if seat is Seat.FIRST else -lead)


@cache
def lines(length: int) -> tuple[int, ...]:
    """Return all lines of this length on the board, as sets of cells (see the game's board.py)."""
    found: list[int] = []
    for columns, rows in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column in range(COLUMNS):
            for row in range(ROWS):
                cells = [Cell(column + columns * n, row + rows * n) for n in range(length)]
                if all(0 <= one.column < COLUMNS and 0 <= one.row < ROWS for one in cells):
                    found.append(sum(map(bit, cells)))
    return tuple(found)
