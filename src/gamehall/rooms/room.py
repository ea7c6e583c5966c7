"""What a room is to the host: requests go in, one reaction comes out."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, NamedTuple, NewType

import msgspec

from gamehall.core import Game, MoveT, Seat, SeededRandom
from gamehall.match import Record
from gamehall.rooms.notices import Notice
from gamehall.rooms.requests import BeginTournament, Join, Request
from gamehall.rooms.view import RoomView, TournamentReport

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


class Entry(msgspec.Struct, Generic[MoveT], frozen=True, array_like=True):
    """A request of a peer or, without a peer, that time has passed."""

    now: float
    peer: Peer | None = None
    request: Request[MoveT] | None = None

    @property
    def peers(self) -> set[Peer]:
        """Everybody who is in the room because of this entry."""
        if isinstance(self.request, BeginTournament):
            return {Peer(peer) for peer, _ in self.request.entrants}
        return {self.peer} if self.peer else set()


class Codec(Generic[MoveT]):
    """Entries of the rooms of one game, as bytes and back."""

    def __init__(self, moves: Any) -> None:
        """`moves` is the type of the game's moves, which may be a union."""
        self.encode: Callable[[Entry[MoveT]], bytes] = msgspec.json.Encoder().encode
        kind = Entry[moves]
        self._decoder: msgspec.json.Decoder[Entry[Any]] = msgspec.json.Decoder(kind)

    def decode(self, content: bytes) -> Entry[MoveT]:
        """Return the entry that was encoded. Raises msgspec.DecodeError."""
        return self._decoder.decode(content)


class Compaction(NamedTuple):
    """The shortest list of entries that rebuilds a room, and where its chance goes on from."""

    drawn: dict[str, int]
    """What had been drawn from the room's seed before the first of these entries."""
    entries: list[Entry[Any]]


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
