"""A table for two who agree on the terms: how far they are."""

from collections.abc import Iterable
from enum import Enum, auto
from typing import Generic

from gamehall.core import Game, MoveT, Seat
from gamehall.match import Referee
from gamehall.rooms.notices import Notice
from gamehall.rooms.reaction import Delivery, Peer
from gamehall.rooms.view import RoomKind, RoomView, view_table


class Stage(Enum):
    """How far a table is."""

    ASKING = auto()
    WAITING = auto()
    """All is answered, and nobody has come yet."""
    CONFIRMING = auto()
    PLAYING = auto()


class Guest:
    """Somebody at a table."""

    __slots__ = ("agrees", "errors", "peer", "seat")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.seat: Seat | None = None
        self.agrees = False
        self.errors = 0
        """In a row."""


class NegotiatedTable(Generic[MoveT]):
    """Two players on the way from the first question to the end of their match."""

    def __init__(self, number: int, first: Guest) -> None:
        """`number` is one that no other table of the room has."""
        self.number = number
        self.first = first
        self.second: Guest | None = None
        self.stage = Stage.ASKING
        self.answers: dict[str, object] = {}
        self.game: Game[MoveT] | None = None
        self.referee: Referee[MoveT] | None = None

    @property
    def version(self) -> int:
        """A higher one whenever something has changed that can be seen once there is a game."""
        return 0 if self.referee is None else 1 + self.referee.steps

    @property
    def everybody(self) -> list[Guest]:
        """Who is there, the first first."""
        return [self.first] if self.second is None else [self.first, self.second]

    def tell_all(self, *notices: Notice[MoveT]) -> list[Delivery[MoveT]]:
        """These notices, one after the other, each for everybody."""
        return [tell(guest, notice) for notice in notices for guest in self.everybody]

    def other(self, guest: Guest) -> Guest | None:
        """Who else is there."""
        return self.second if guest is self.first else self.first


def tell(guest: Guest, notice: Notice[MoveT]) -> Delivery[MoveT]:
    """A notice for one guest."""
    return Delivery((guest.peer,), notice)


def view_agreed(tables: Iterable[NegotiatedTable[MoveT]], changes: int) -> RoomView[MoveT]:
    """What can be seen of a room with these tables.

    Those who do not know yet what they will play are waiting. `changes`: how often anything has
    changed besides the matches that there are.
    """
    there = list(tables)
    return RoomView(
        kind=RoomKind.AGREED_TABLES,
        version=changes + sum(table.version for table in there),
        game="",
        tables=tuple(
            view_table(f"table-{table.number}", table.version, table.game, table.referee)
            for table in there
            if table.game is not None
        ),
        waiting=tuple("" for table in there if table.game is None for _ in table.everybody),
    )
