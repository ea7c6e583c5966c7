"""What a referee reports: a closed union of values, in the order in which things happened.

Every happening carries the position it left behind, so whoever hears of it needs no memory.
"""

from enum import Enum
from typing import Generic, TypeAlias

import msgspec

from gamehall.core import MoveT, Position, Seat
from gamehall.match.result import Result


class TurnBegan(msgspec.Struct, Generic[MoveT], frozen=True):
    """`seat` is to move, at the beginning of a match or wherever else no move led there.

    `deadline` is when its turn is over, None if there is no limit.
    """

    seat: Seat
    position: Position[MoveT]
    deadline: float | None


class MovePlayed(msgspec.Struct, Generic[MoveT], frozen=True):
    """`seat` played a legal move, which led to `position`.

    If that has an outcome, the end of the match follows; if not, the turn of `position.to_move`
    has begun, and `deadline` is when it is over, None if there is no limit.
    """

    seat: Seat
    move: MoveT
    position: Position[MoveT]
    deadline: float | None


class MoveFault(Enum):
    """Why a move was not played."""

    OUT_OF_TURN = "out of turn"
    """It is the other's turn, or the match is over."""
    ILLEGAL = "illegal"
    """The rules forbid it."""


class MoveRefused(msgspec.Struct, Generic[MoveT], frozen=True):
    """`seat` tried a move in vain: the position is as it was.

    `in_a_row` is how many illegal moves it has tried since its last legal one.
    """

    seat: Seat
    fault: MoveFault
    reason: str
    position: Position[MoveT]
    in_a_row: int


class MatchEnded(msgspec.Struct, Generic[MoveT], frozen=True):
    """The match is over, in `position`."""

    result: Result
    position: Position[MoveT]


MatchEvent: TypeAlias = (
    TurnBegan[MoveT] | MovePlayed[MoveT] | MoveRefused[MoveT] | MatchEnded[MoveT]
)
