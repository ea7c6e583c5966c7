"""One moment of Connect Four, and what a move does to it."""

from collections.abc import Iterator
from enum import Enum
from typing import Self

from gamehall.core import IllegalMove, Outcome, Position, Seat
from gamehall.games.connect_four import bitboard, picture
from gamehall.games.connect_four.moves import CELLS, COLUMNS, ROWS, Cell

FULL = Outcome(None, "the board is full and nobody has a line")


class Gravity(Enum):
    """What the row of a named cell means (T-Q03)."""

    DROP = "drop"
    """The piece falls from the named empty cell to the lowest free row of its column."""
    STRICT = "strict"
    """The named cell must be the one to which the piece would fall."""
    FREE = "free"
    """There is no gravity: the piece stays in the named cell."""


class ConnectFourPosition(Position[Cell], frozen=True):
    """Who has which cells, and whose turn it is.

    `first` and `second` are the cells of the two seats, as sets of bits (see bitboard.py).
    `next_seat` is the one whose turn it is or, after the end, would be.
    """

    first: int
    second: int
    next_seat: Seat
    line_length: int
    gravity: Gravity

    @classmethod
    def of(
        cls, first: int, second: int, next_seat: Seat, line_length: int, gravity: Gravity
    ) -> Self:
        """The position with these stones. Its outcome follows from them.

        Not checked: whether play can lead here, and the impossible case that both have a line.
        """
        outcome: Outcome | None = None
        if bitboard.has_line(first, line_length):
            outcome = _won(Seat.FIRST, line_length)
        elif bitboard.has_line(second, line_length):
            outcome = _won(Seat.SECOND, line_length)
        elif first | second == bitboard.FULL_BOARD:
            outcome = FULL
        to_move = next_seat if outcome is None else None
        return cls(to_move, outcome, first, second, next_seat, line_length, gravity)

    def legal_moves(self) -> Iterator[Cell]:
        if self.outcome is not None:
            return
        taken = self.first | self.second
        if self.gravity is Gravity.FREE:
            yield from (cell for cell in CELLS if not taken & bitboard.bit(cell))
            return
        for column in range(COLUMNS):
            row = bitboard.landing_row(taken, column)
            if row >= 0:
                yield Cell(column, row)

    def named(self, cell: Cell) -> Cell:
        """The move that a player means by naming this cell, under the gravity in force.

        A cell that cannot be named is returned as it is, for `after` to refuse.
        """
        if self.gravity is not Gravity.DROP:
            return cell
        taken = self.first | self.second
        if not cell.on_board or taken & bitboard.bit(cell):
            return cell
        return Cell(cell.column, bitboard.landing_row(taken, cell.column))

    def after(self, move: Cell) -> Self:
        column, row = move
        if not (0 <= column < COLUMNS and 0 <= row < ROWS):
            raise IllegalMove(
                f"column {column}, row {row} is not on a board of {COLUMNS} columns and {ROWS} rows"
            )
        if self.outcome is not None:
            raise IllegalMove(f"the game is over: {self.outcome.reason}")
        first, second, stone = self.first, self.second, 1 << row * 8 + column
        taken = first | second
        if taken & stone:
            raise IllegalMove(f"column {column}, row {row} is taken")
        if self.gravity is not Gravity.FREE:
            lowest = bitboard.landing_row(taken, column)
            if row != lowest:
                raise IllegalMove(
                    f"a piece in column {column} falls to row {lowest}, it cannot rest in row {row}"
                )
        outcome: Outcome | None = None
        seat = self.next_seat
        if seat is Seat.FIRST:
            mine = first = first | stone
        else:
            mine = second = second | stone
        if bitboard.has_line(mine, self.line_length):
            outcome = _won(seat, self.line_length)
        elif taken | stone == bitboard.FULL_BOARD:
            outcome = FULL
        other = seat.other
        return type(self)(
            other if outcome is None else None,
            outcome,
            first,
            second,
            other,
            self.line_length,
            self.gravity,
        )

    def at(self, cell: Cell) -> Seat | None:
        """Whose piece is in this cell, None if nobody's. Not checked: that it is on the board."""
        if self.first & bitboard.bit(cell):
            return Seat.FIRST
        if self.second & bitboard.bit(cell):
            return Seat.SECOND
        return None

    def picture(self) -> str:
        return picture.draw(self.first, self.second, self.line_length)


def _won(seat: Seat, line_length: int) -> Outcome:
    """The outcome of a finished line."""
    return Outcome(seat, f"{line_length} in a row")
