"""Connect Four, the game of the 42 spots: seven columns, six rows, four in a row win.

The first player (Red at the TTTP door) and the second take turns. A piece dropped into a column
comes to rest on the lowest free row. Whoever has four or more of its pieces in an unbroken line,
across, up and down or along a diagonal, wins at once; a full board without a line is a draw.

Terms: `line_length` pieces in a row win (3 to 7), and `gravity` says what naming a cell means.
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from gamehall.core import Game, Seat, check_text, clause, quoted
from gamehall.games.connect_four import notation
from gamehall.games.connect_four.board import COLUMNS, ROWS, Cell
from gamehall.games.connect_four.position import ConnectFourPosition, Gravity

__all__ = ["COLUMNS", "GAME", "ROWS", "Cell", "ConnectFour", "ConnectFourPosition", "Gravity"]


@dataclass(frozen=True, slots=True)
class ConnectFour(Game[Cell]):
    """The rules of Connect Four on agreed terms."""

    name: ClassVar[str] = "connect-four"
    title: ClassVar[str] = "Connect Four"

    line_length: int = 4
    gravity: Gravity = Gravity.DROP

    def __post_init__(self) -> None:
        Game.__post_init__(self)
        if not 3 <= self.line_length <= 7:
            raise ValueError(f"line_length must be 3 to 7, not {quoted(self.line_length)}")

    def start(self, seed: int = 0) -> ConnectFourPosition:
        return _empty_board(self.line_length, self.gravity)

    def write_move(self, move: Cell) -> str:
        return notation.write(move)

    @classmethod
    def why_won(cls, reason: str, winner: str, loser: str) -> str:
        is_known = reason.endswith(" in a row")
        return clause(winner, "has", reason) if is_known else reason

    def read_move(self, text: str) -> Cell:
        check_text(text)
        return notation.read(text)


@cache
def _empty_board(line_length: int, gravity: Gravity) -> ConnectFourPosition:
    """The first position, which every match on these terms may share, since it is a value."""
    return ConnectFourPosition.of(bytes(COLUMNS * ROWS), Seat.FIRST, line_length, gravity)


GAME = ConnectFour
