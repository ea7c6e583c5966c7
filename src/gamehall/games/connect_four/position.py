"""Positions of Connect Four: legal moves and their effects."""

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
    """Which cell a piece goes to when a player names a cell (T-Q03)."""

    DROP = "drop"
    """The piece falls from the named empty cell to the lowest free row of its column."""
    STRICT = "strict"
    """The piece falls too, but players must name the cell where it lands."""
    FREE = "free"
    """The piece stays in the named cell."""
    COLUMN = "column"
    """The piece falls, and only the column counts: the named cell may even be taken."""


class ConnectFourPosition(Position[Cell], frozen=True):
    """The pieces of both players, and whose turn it is."""

    first: int
    second: int
    """Bitboards of the two seats' pieces (see board.py)."""
    spots: bytes
    """One byte per cell, row by row from the top: 0 empty, 1 first player, 2 second player.

    Stored because computing them from the bitboards takes as long as a move.
    """
    next_seat: Seat
    """The seat to move; after the end, the one that would have been next."""
    line_length: int
    gravity: Gravity

    @classmethod
    def of(cls, spots: bytes, next_seat: Seat, line_length: int, gravity: Gravity) -> Self:
        """Return the position with these spots, and its outcome.

        Not checked: that there are 42 spots of 0, 1 and 2, that play can lead to them, and that
        at most one player has a line.
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
        """Return the move that a player means by naming this cell.

        A cell that may not be named is returned unchanged, so that `after` refuses it.
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
            # Not a cell of the board. Hashing a value of another type may raise anything.
            raise IllegalMove(self._objection(move)) from None
        # Moves from `legal_moves` and `named` are the objects of the table and need no type check.
        if cell is not move and not is_of_ints(move, Cell):
            raise IllegalMove(self._objection(move))
        if taken & stone or self.outcome is not None:
            raise IllegalMove(self._objection(move))
        if not stone << board.ROW_BITS & (taken | board.FLOOR) and (
            self.gravity is not Gravity.FREE
        ):
            raise IllegalMove(self._objection(move))
        # Both branches are written out because this is the hot path.
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
        """Return why the move is illegal, in words."""
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
        """Return the owner of the piece in this cell, or None if the cell is empty.

        Not checked: that the cell is on the board.
        """
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
    return Outcome(seat, f"{line_length} in a row")
