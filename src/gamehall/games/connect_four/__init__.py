"""Connect Four: seven columns, six rows, and four in a row win.

The players take turns; the first is red. A piece dropped into a column falls to the lowest free
row. The first player with four or more pieces in an unbroken horizontal, vertical or diagonal line
wins; a full board without a line is a draw.

Terms: `line_length` pieces in a row win (3 to 7); `gravity` defines what naming a cell means.
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
    # Matches can share the first position because it is immutable.
    return ConnectFourPosition.of(bytes(COLUMNS * ROWS), Seat.FIRST, line_length, gravity)


GAME = ConnectFour
