"""Connect Four positions drawn in letters: R and B are pieces, dots are empty, top row first."""

from gamehall.core import Seat
from gamehall.games.connect_four import ConnectFourPosition, Gravity


def position(
    diagram: str,
    to_move: Seat = Seat.FIRST,
    line_length: int = 4,
    gravity: Gravity = Gravity.DROP,
) -> ConnectFourPosition:
    rows = [row.replace(" ", "") for row in diagram.strip().splitlines()]
    assert [len(row) for row in rows] == [7] * 6
    spots = bytes(".RB".index(letter) for row in rows for letter in row)
    return ConnectFourPosition.of(spots, to_move, line_length, gravity)
