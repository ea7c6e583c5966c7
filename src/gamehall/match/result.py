"""How a match ended."""

from enum import Enum

import msgspec

from gamehall.core import Seat


class Ending(Enum):
    """Why a match is over."""

    PLAYED_OUT = "played out"
    """The rules decided: see the outcome of the last position."""
    RESIGNED = "resigned"
    ILLEGAL_MOVE = "illegal move"
    """A player tried what the rules forbid, or out of turn, once more than the terms allow."""
    OUT_OF_TIME = "out of time"
    BROKE_PROTOCOL = "broke protocol"
    """A player did what its protocol does not allow."""
    LEFT = "left"
    """A player left, and the terms give the match to the other."""
    CRASHED = "crashed"
    """A player that is a program has failed."""
    TOO_LONG = "too long"
    """Nobody had won after as many moves as the terms allow: a draw."""
    CANCELLED = "cancelled"
    """The match cannot be finished and counts for nobody."""


NAMED_BY_DETAIL = (Ending.PLAYED_OUT, Ending.LEFT, Ending.CANCELLED)
"""Endings whose detail says it all ("three in a row", "bob left"): people need no further word."""


class Result(msgspec.Struct, frozen=True):
    """Who won, if anybody, how it came to that, and the circumstances in words."""

    winner: Seat | None
    ending: Ending
    detail: str

    @property
    def how(self) -> str:
        """How it came to that, for people."""
        is_enough = self.ending in NAMED_BY_DETAIL
        return self.detail if is_enough else f"{self.ending.value}: {self.detail}"
