"""What a room answers with: all that follows from one request, or from time having passed."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, NewType

import msgspec

from gamehall.core import Game, MoveT, Seat
from gamehall.match import Record
from gamehall.rooms.notices import Notice
from gamehall.rooms.report import TournamentReport
from gamehall.rooms.requests import Join, Request

Peer = NewType("Peer", int)
"""A connected program, seated or not. The host gives out the numbers and never uses one twice."""

NOBODY: Final = Peer(0)
"""Instead of a peer: for a client that is in no room, and for requests of one room to another."""


class Delivery(msgspec.Struct, Generic[MoveT], frozen=True):
    """One notice, to be told to each of these peers."""

    peers: Sequence[Peer]
    notice: Notice[MoveT]


class LogLine(msgspec.Struct, frozen=True):
    """A line for the log of one match."""

    match: str
    """A name that no other match of the room has."""
    content: dict[str, object]


class Proposed(NamedTuple, Generic[MoveT]):
    """A game on the terms that a player proposes, and what is left for an opponent."""

    game: Game[MoveT]
    free_seat: Seat | None
    """None: the opponent may choose."""

    def fits(self, other: "Proposed[MoveT]") -> bool:
        """Return True if those who propose this and the other can play each other."""
        seats = (self.free_seat, other.free_seat)
        return self.game == other.game and (None in seats or seats[0] is not seats[1])


class Occupancy(NamedTuple):
    """Who is at a table, as far as its lobby needs to know."""

    players: Mapping[Peer, str] = {}
    spectators: Mapping[Peer, str] = {}
    """By name; those who have ended their side of the connection have given up theirs."""
    has_free_seat: bool = True
    can_be_watched: bool = False
    aliases: Mapping[Peer, str] = {}
    """Of those among them whose names not every wire can carry."""
    is_private: bool = False
    """Whether the free seat is reserved for a house bot."""
    is_waiting: bool = False
    """Whether a player waits there for an opponent."""
    proposed: Proposed[Any] | None = None
    """What the player who waits would like to play, where players agree on the terms."""

    def has_seat_for(self, join: Join) -> bool:
        """Return True if a player who names this table may sit down at it."""
        # A bot takes seconds to start; meanwhile no other player may take its seat.
        return self.has_free_seat and (bool(join.bot) or not self.is_private)


class TableOpening(NamedTuple):
    """A table that a lobby opens."""

    number: int
    members: tuple[Peer, ...] = ()
    """Those who go on there from now on."""
    request: Request[object] | None = None
    """What the table is told first."""


class Transfer(NamedTuple):
    """A peer that goes on at another table, or in the lobby, with this request."""

    peer: Peer
    table: int | None
    """None: the lobby."""
    request: Request[object]


class Reaction(msgspec.Struct, Generic[MoveT]):
    """The answer of a room. It is built during one call of `handle` or `tick`."""

    deliveries: list[Delivery[MoveT]] = []
    """Told in this order."""
    records: list[Record] = []
    """The matches that have ended."""
    reports: list[TournamentReport] = []
    """The tournaments that have ended."""
    log: list[LogLine] = []
    closes: list[int] = []
    """The tables that the lobby does not need any more, before others are opened."""
    opens: list[TableOpening] = []
    """The tables that the lobby opens, before anybody is transferred."""
    transfers: list[Transfer] = []
    occupancy: Occupancy | None = None
    """Who is at the table now, if that has changed."""
    finished: int = 0
    """How many matches between two players, or whole tournaments, have come to an end."""
    changed: bool = True
    """False if replaying the journal without this request would give the same room."""
    closed: bool = False
    """Whether the room is over: nobody is there any more, and its journal may go."""
