"""A position of Connect Four: legal moves, and what a move does."""

from collections.abc import Iterator
from enum import Enum
from typing import Self

from gamehall.core import IllegalMove, Outcome, Position, Seat, is_of_ints, quoted
from gamehall.games.connect_four import board, notation, picture
from gamehall.games.connect_four.board import (
    CELLS,
    COLUMNS,
    COLUMNS_OF_CELLS,
    PLACES,
    ROWS,
    STONES,
    Cell,
)

FULL = Outcome(None, "the board is full and nobody has a line")


class Gravity(Enum):
    """What the row of a named cell means (T-Q03)."""

    DROP = "drop"
    """The piece falls from the named empty cell to the lowest free row of its column."""
    STRICT = "strict"
    """The named cell must be the one to which the piece would fall."""
    FREE = "free"
    """There is no gravity: the piece stays in the named cell."""
    COLUMN = "column"
    """Only the column counts: any row on the board may be named, even that of a taken cell."""


class ConnectFourPosition(Position[Cell], frozen=True):
    """Who has which cells, and whose turn it is.

    `first` and `second` are the cells of the two seats, as sets of bits (see board.py).
    `spots` are the same cells for whoever wants to show them: row by row from the top, 0 for an
    empty one, 1 and 2 for the pieces of the first and the second. They are kept along, since to
    make them anew costs as much as a move.
    `next_seat` is the one whose turn it is or, after the end, would be.
    """

    first: int
    second: int
    spots: bytes
    next_seat: Seat
    line_length: int
    gravity: Gravity

    @classmethod
    def of(cls, spots: bytes, next_seat: Seat, line_length: int, gravity: Gravity) -> Self:
        """Return the position with these spots. Its outcome follows from them.

        Not checked: that there are 42 spots of 0, 1 and 2, whether play can lead here, and the
        impossible case that both have a line.
        """
        first, second = (
            sum(STONES[cell] for cell in CELLS if spots[cell.spot] == seat.value) for seat in Seat
        )
        outcome: Outcome | None = None
        if board.has_line(first, line_length):
            outcome = _won(Seat.FIRST, line_length)
        elif board.has_line(second, line_length):
            outcome = _won(Seat.SECOND, line_length)
        elif first | second == board.FULL_BOARD:
            outcome = FULL
        to_move = next_seat if outcome is None else None
        return cls(to_move, outcome, first, second, spots, next_seat, line_length, gravity)

    def legal_moves(self) -> Iterator[Cell]:
        if self.outcome is not None:
            return
        taken = self.first | self.second
        if self.gravity is Gravity.FREE:
            yield from (cell for cell in CELLS if not taken & STONES[cell])
            return
        for column in range(COLUMNS):
            row = board.landing_row(taken, column)
            if row >= 0:
                yield COLUMNS_OF_CELLS[column][row]

    def named(self, column: int, row: int) -> Cell:
        """Return the move that a player means by naming this cell, under the gravity in force.

        A cell that cannot be named, or is in a full column, is returned as it is, for `after` to
        refuse.
        """
        if not (0 <= column < COLUMNS and 0 <= row < ROWS):
            return Cell(column, row)
        taken = self.first | self.second
        cell = COLUMNS_OF_CELLS[column][row]
        if self.gravity is Gravity.DROP:
            falls = not taken & STONES[cell]
        else:
            falls = self.gravity is Gravity.COLUMN and board.FULL_COLUMNS[column] & ~taken != 0
        return COLUMNS_OF_CELLS[column][board.landing_row(taken, column)] if falls else cell

    def after(self, move: Cell) -> Self:
        first, second, seat = self.first, self.second, self.next_seat
        taken = first | second
        try:
            cell, stone, spot = PLACES[move]
        except Exception:
            # Not on the board, or no cell at all: a foreign object may raise anything when hashed.
            raise IllegalMove(self._objection(move)) from None
        # Moves that come from `legal_moves` or `named` are the very cells of the table.
        if cell is not move and not is_of_ints(move, Cell):
            raise IllegalMove(self._objection(move))
        if taken & stone or self.outcome is not None:
            raise IllegalMove(self._objection(move))
        if not stone << board.ROW_BITS & (taken | board.FLOOR) and (
            self.gravity is not Gravity.FREE
        ):
            raise IllegalMove(self._objection(move))
        # Written out, since it is done for every move of every table.
        if seat is Seat.FIRST:
            mine = first = first | stone
            spots = self.spots[:spot] + b"\x01" + self.spots[spot + 1 :]
        else:
            mine = second = second | stone
            spots = self.spots[:spot] + b"\x02" + self.spots[spot + 1 :]
        outcome: Outcome | None = None
        if board.has_line(mine, self.line_length):
            outcome = _won(seat, self.line_length)
        elif taken | stone == board.FULL_BOARD:
            outcome = FULL
        other = seat.other
        return type(self)(
            other if outcome is None else None,
            outcome,
            first,
            second,
            spots,
            other,
            self.line_length,
            self.gravity,
        )

    def _objection(self, move: Cell) -> str:
        """Return which rule forbids the move, in words."""
        if not is_of_ints(move, Cell):
            return f"{quoted(move)} is not a move of Connect Four, which is a Cell of whole numbers"
        column, row = move
        if move not in STONES:
            return (
                f"column {quoted(column)}, row {quoted(row)} is not on a board of {COLUMNS} columns"
                f" and {ROWS} rows"
            )
        if self.outcome is not None:
            return f"the game is over: {self.outcome.reason}"
        taken = self.first | self.second
        if taken & STONES[move]:
            return f"{notation.write(move)} is taken"
        lowest = Cell(column, board.landing_row(taken, column))
        return (
            f"a piece falls to {notation.write(lowest)}, it cannot rest at {notation.write(move)}"
        )

    def at(self, cell: Cell) -> Seat | None:
        """Whose piece is in this cell, None if nobody's. Not checked: that it is on the board."""
        value = self.spots[cell.spot]
        return Seat(value) if value else None

    def picture(self) -> str:
        falls = self.gravity is not Gravity.FREE
        return picture.draw(self.first, self.second, self.line_length, falls=falls)

    def diagram(self) -> str:
        return notation.write_diagram(self.first, self.second)

    def in_words(self) -> str:
        return notation.describe(self.first, self.second)


def _won(seat: Seat, line_length: int) -> Outcome:
    """Return the outcome of a finished line."""
    return Outcome(seat, f"{line_length} in a row")
