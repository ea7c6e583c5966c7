"""The events of a match: a closed union of values.

Every event carries the position after it, so a receiver needs no memory.
"""

from enum import Enum
from typing import Any, Final, Generic, TypeAlias

import msgspec

from gamehall.core import Game, MoveT, Position, Seat


class Ending(Enum):
    """Why a match is over."""

    PLAYED_OUT = "played out"
    """The rules decided the match: see the outcome of the last position."""
    RESIGNED = "resigned"
    ILLEGAL_MOVE = "illegal move"
    """A player tried more illegal moves, or moves out of turn, than the terms allow."""
    OUT_OF_TIME = "out of time"
    BROKE_PROTOCOL = "broke protocol"
    """A player violated its protocol."""
    LEFT = "left"
    """A player left, and the terms award the match to the other."""
    CRASHED = "crashed"
    """A program that played has failed."""
    TOO_LONG = "too long"
    """No player had won after the maximum number of moves: a draw."""
    CANCELLED = "cancelled"
    """The match cannot be finished and does not count."""


NAMED_BY_DETAIL = (Ending.PLAYED_OUT, Ending.RESIGNED, Ending.LEFT, Ending.CANCELLED)
"""Endings whose detail is a complete explanation, such as "three in a row" or "bob resigned"."""


FAULTS_OF_LOSER: Final = {
    Ending.ILLEGAL_MOVE: "made an illegal move",
    Ending.BROKE_PROTOCOL: "broke the protocol",
    Ending.CRASHED: "crashed",
}
"""What the loser did, by ending; the detail says more."""


class Result(msgspec.Struct, frozen=True):
    """The winner, if there is one, how the match ended, and an explanation."""

    winner: Seat | None
    ending: Ending
    detail: str

    @property
    def how(self) -> str:
        """Why the match ended, in words."""
        is_enough = self.ending in NAMED_BY_DETAIL
        return self.detail if is_enough else f"{self.ending.value}: {self.detail}"

    def in_words(self, game: type[Game[Any]] | None, names: tuple[str, str]) -> str:
        """Return who won and why, without a full stop; the arguments are those of `why`."""
        if self.winner is None:
            return f"No winner: {self.how}"
        return f"{names[self.winner.value - 1]} wins: {self.why(game, names)}"

    def why(self, game: type[Game[Any]] | None, names: tuple[str, str]) -> str:
        """Return who did what to end the match: a clause without a full stop.

        Args:
            game: None if it is unknown.
            names: those of the first and the second player; "you" is the reader.
        """
        if self.winner is None:
            return self.how
        winner, loser = names if self.winner is Seat.FIRST else (names[1], names[0])
        match self.ending:
            case Ending.PLAYED_OUT if game is not None:
                return game.why_won(self.detail, winner, loser)
            case Ending.RESIGNED:
                return f"{loser} resigned"
            case Ending.OUT_OF_TIME:
                return f"{loser} ran out of time"
            case Ending.LEFT:
                _, colon, reason = self.detail.partition(" left: ")
                return f"{loser} left the game" + (f": {reason}" if colon else "")
            case ending if ending in FAULTS_OF_LOSER:
                return f"{loser} {FAULTS_OF_LOSER[ending]}: {self.detail}"
            case _:
                return self.how


MAX_MOVES = 5_000
"""After this number of moves a match between bots is a draw, unless its limits say otherwise."""


def too_long(moves: int) -> Result:
    """Return the result of a match that has no winner after this number of moves."""
    return Result(None, Ending.TOO_LONG, f"no winner after {moves} moves")


class TurnBegan(msgspec.Struct, Generic[MoveT], frozen=True):
    """The turn of `seat` has begun: at the beginning of a match, or again.

    `deadline` is when the turn is over, None if there is no limit.
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
    """It is the opponent's turn, or the match is over."""
    ILLEGAL = "illegal"
    """The rules forbid it."""


class MoveRefused(msgspec.Struct, Generic[MoveT], frozen=True):
    """A move of `seat` was refused; the position has not changed.

    `in_a_row` is the number of its illegal moves since its last legal one.
    """

    seat: Seat
    fault: MoveFault
    reason: str
    position: Position[MoveT]
    in_a_row: int


class MatchEnded(msgspec.Struct, Generic[MoveT], frozen=True):
    """The match is over; `position` is the last one."""

    result: Result
    position: Position[MoveT]


MatchEvent: TypeAlias = (
    TurnBegan[MoveT] | MovePlayed[MoveT] | MoveRefused[MoveT] | MatchEnded[MoveT]
)
