"""What a room is to the host: requests go in, one reaction comes out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic

from gamehall.core import MoveT, SeededRandom
from gamehall.rooms.entries import Compaction
from gamehall.rooms.reaction import Occupancy, Peer, Reaction
from gamehall.rooms.requests import Request
from gamehall.rooms.view import RoomView


class Room(ABC, Generic[MoveT]):
    """The one authority over its matches: who sits where, who plays what, who hears of it.

    A room is a function of what it is told, and when, and of its seed. The host calls `tick` before
    `handle` whenever the deadline has passed. Requests of peers that the room does not know are
    allowed, and change nothing unless they are a way in.
    """

    deadline: float | None
    """When `tick` wants to be called, None if it need not be."""

    @property
    def waiting_players(self) -> Sequence[str]:
        """The names of the players who wait for an opponent, "" for one without a name."""
        return ()

    @abstractmethod
    def view(self) -> RoomView[MoveT]:
        """Return what an observer can see now. This changes nothing."""

    @abstractmethod
    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        """Return what follows from a request."""

    @abstractmethod
    def tick(self, now: float) -> Reaction[MoveT]:
        """Return what follows from the time having passed."""

    def compact(self) -> Compaction | None:
        """Return the shortest journal that gives this room as it is after the last reaction.

        None if the room has no shorter one now.
        """
        return None


class Table(Room[MoveT]):
    """A room that its lobby has opened for two players, and those who watch them."""

    @property
    @abstractmethod
    def occupancy(self) -> Occupancy:
        """Who is here, and who else may come."""

    @property
    def is_empty(self) -> bool:
        """Return True if nobody is here for whom the table must be kept."""
        return not (self.occupancy.players or self.occupancy.spectators)

    def request_if_lost(self) -> Request[MoveT] | None:
        """Return what the lobby is to be told if this table fails and cannot be rebuilt."""
        return None


class Lobby(Room[MoveT]):
    """A room that seats people at tables.

    Most have no journal and play nothing themselves: what such a lobby knows it is told of its
    tables, also when they were restored. A request to join comes to the lobby first, also from
    those who are at a table.
    """

    deadline: float | None = None
    has_journal: ClassVar[bool] = False

    @abstractmethod
    def open_table(self, number: int, random: SeededRandom) -> Table[MoveT]:
        """Return the room of the table of this number, with nobody at it."""

    @abstractmethod
    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        """Take note of who is at a table now; None: the table is closed.

        `finished`: how many matches have ended there by the same reaction.
        """

    def tick(self, now: float) -> Reaction[MoveT]:
        return Reaction(changed=False)
