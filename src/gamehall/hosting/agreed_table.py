"""A table for two who agree on the terms: how far they are."""

from enum import Enum, auto
from typing import Generic

from gamehall.core import Game, MoveT, Seat
from gamehall.hosting.room import Peer
from gamehall.play import Referee


class Stage(Enum):
    """How far a table is."""

    ASKING = auto()
    WAITING = auto()
    """All is answered, and nobody has come yet."""
    CONFIRMING = auto()
    PLAYING = auto()


class Guest:
    """Somebody at a table."""

    __slots__ = ("agrees", "errors", "has_hung_up", "peer", "seat")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.seat: Seat | None = None
        self.agrees = False
        self.errors = 0
        """In a row."""
        self.has_hung_up = False


class AgreedTable(Generic[MoveT]):
    """Two players on the way from the first question to the end of their match."""

    def __init__(self, first: Guest) -> None:
        self.first = first
        self.second: Guest | None = None
        self.stage = Stage.ASKING
        self.answers: dict[str, object] = {}
        self.game: Game[MoveT] | None = None
        self.referee: Referee[MoveT] | None = None

    @property
    def everybody(self) -> list[Guest]:
        """Who is there, the first first."""
        return [self.first] if self.second is None else [self.first, self.second]

    def other(self, guest: Guest) -> Guest | None:
        """Who else is there."""
        return self.second if guest is self.first else self.first
