"""Connect Four positions drawn in letters: R and B are pieces, dots are empty, top row first."""

from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFourPosition, Gravity
from gamehall.games.connect_four.bitboard import bit


def position(
    diagram: str,
    to_move: Seat = Seat.FIRST,
    line_length: int = 4,
    gravity: Gravity = Gravity.DROP,
) -> ConnectFourPosition:
    rows = [row.replace(" ", "") for row in diagram.strip().splitlines()]
    assert [len(row) for row in rows] == [7] * 6
    stones = {
        mark: sum(
            bit(Cell(column, row))
            for row, letters in enumerate(rows)
            for column, letter in enumerate(letters)
            if letter == mark
        )
        for mark in "RB"
    }
    return ConnectFourPosition.of(stones["R"], stones["B"], to_move, line_length, gravity)
