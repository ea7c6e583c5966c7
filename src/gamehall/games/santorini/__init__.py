"""Santorini without gods: move and build; the first player to reach the third level wins.

Each player places two workers on an empty board. In a turn, a worker moves to one of the eight
adjacent cells, which must have no worker and no dome and be at most one level higher; then the
same worker builds one level on a cell adjacent to it. The fourth level is a dome, which cannot be
entered or built on. Moving up to the third level wins at once; a player who cannot move loses.

Terms: the `board` has 5 or 6 rows and columns, `placing` is the order in which the workers are
placed, and `first_turn` is the seat that moves first after that.
"""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from gamehall.core import Game, Seat, check_text, clause, quoted
from gamehall.games.santorini import notation
from gamehall.games.santorini.board import Cell, Move, Place, Turn
from gamehall.games.santorini.position import ON_TOP, STUCK, SantoriniPosition

__all__ = [
    "GAME",
    "Cell",
    "Move",
    "Place",
    "PlacementOrder",
    "Santorini",
    "SantoriniPosition",
    "Turn",
]


class PlacementOrder(Enum):
    """The order in which the seats place their workers: 1 is the first seat, 2 the second."""

    ALTERNATING = "1212"
    MIRRORED = "1221"
    IN_A_ROW = "1122"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(Seat(int(digit)) for digit in self.value)


@dataclass(frozen=True, slots=True)
class Santorini(Game[Move]):
    """The rules of Santorini on agreed terms."""

    name: ClassVar[str] = "santorini"
    title: ClassVar[str] = "Santorini"

    board: int = 5
    placing: PlacementOrder = PlacementOrder.ALTERNATING
    first_turn: Seat = Seat.FIRST

    def __post_init__(self) -> None:
        Game.__post_init__(self)
        if self.board not in (5, 6):
            raise ValueError(f"board must be 5 or 6 rows, not {quoted(self.board)}")

    def start(self, seed: int = 0) -> SantoriniPosition:
        return SantoriniPosition.start(self.board, self.placing.seats, self.first_turn)

    def write_move(self, move: Move) -> str:
        return notation.write(move, self.board)

    @classmethod
    def why_won(cls, reason: str, winner: str, loser: str) -> str:
        if reason == ON_TOP:
            return clause(winner, "stands", reason.removeprefix("stands "))
        return clause(loser, "cannot", "move") if reason == STUCK else reason

    def read_move(self, text: str) -> Move:
        check_text(text)
        return notation.read(text, self.board)

    def targets(self, move: Move) -> tuple[str, ...]:
        return notation.targets(move, self.board)


GAME = Santorini
