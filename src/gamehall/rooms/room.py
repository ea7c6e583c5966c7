"""The interface between rooms and the host: a room takes requests and returns reactions."""

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
"""The number of a connected client, seated or not. The host never uses one twice."""

NO_PEER: Final = Peer(0)
"""Stands for a client that is in no room, and for the sender of requests between rooms."""


class Delivery(msgspec.Struct, Generic[MoveT], frozen=True):
    """One notice and the peers that receive it."""

    peers: Sequence[Peer]
    notice: Notice[MoveT]


class LogLine(msgspec.Struct, frozen=True):
    """A line for the log of one match."""

    match: str
    """Unique among the matches of the room."""
    content: dict[str, object]


class Proposed(NamedTuple, Generic[MoveT]):
    """A game on the terms that a player proposes, and the seat that is left for an opponent."""

    game: Game[MoveT]
    free_seat: Seat | None
    """None: the opponent may choose."""

    def fits(self, other: "Proposed[MoveT]") -> bool:
        """Return True if the players who propose this and the other can play each other."""
        seats = (self.free_seat, other.free_seat)
        return self.game == other.game and (None in seats or seats[0] is not seats[1])


class Occupancy(NamedTuple):
    """The clients at a table and its free seats, as far as the lobby needs to know."""

    players: Mapping[Peer, str] = {}
    """Names by peer."""
    spectators: Mapping[Peer, str] = {}
    """Names by peer, without clients that have ended their input: their names are free."""
    has_free_seat: bool = True
    can_be_watched: bool = False
    aliases: Mapping[Peer, str] = {}
    """The ASCII aliases of clients whose names are not ASCII."""
    is_private: bool = False
    """Whether the free seat is reserved for a house bot."""
    is_waiting: bool = False
    """Whether a player is waiting for an opponent."""
    is_deserted: bool = False
    """Whether there are players, and all of them are away. After a restart they are not: they are
    expected back soon."""
    proposed: Proposed[Any] | None = None
    """What the waiting player wants to play, where players agree on the terms."""

    def has_seat_for(self, join: Join) -> bool:
        """Return True if a player who asks for this table may sit down at it."""
        # A bot takes seconds to start; meanwhile no other player may take its seat.
        return self.has_free_seat and (bool(join.bot) or not self.is_private)


class TableOpening(NamedTuple):
    """A table that a lobby opens."""

    number: int
    members: tuple[Peer, ...] = ()
    """Peers that move from the lobby to this table."""
    request: Request[object] | None = None
    """The first request to the table."""


class Transfer(NamedTuple):
    """Move a peer to another table, or to the lobby, and handle this request there."""

    peer: Peer
    table: int | None
    """None: the lobby."""
    request: Request[object]


class Reaction(msgspec.Struct, Generic[MoveT]):
    """Everything that follows from one call of `handle` or `tick`."""

    deliveries: list[Delivery[MoveT]] = []
    """In this order."""
    records: list[Record] = []
    """The matches that have ended."""
    reports: list[TournamentReport] = []
    """The tournaments that have ended."""
    log: list[LogLine] = []
    tables_to_close: list[int] = []
    """Tables of the lobby, closed before others are opened."""
    tables_to_open: list[TableOpening] = []
    """Tables of the lobby, opened before any transfer."""
    transfers: list[Transfer] = []
    occupancy: Occupancy | None = None
    """The occupancy of the table, if it has changed."""
    finished: int = 0
    """The number of matches, or whole tournaments, that have ended."""
    changed: bool = True
    """False if replaying the journal without this request would give the same room."""
    room_is_empty: bool = False
    """Whether the journal of the room may be deleted."""


class Entry(msgspec.Struct, Generic[MoveT], frozen=True, array_like=True):
    """A journal entry: a request of a peer or, without a peer, a call of `tick`."""

    now: float
    peer: Peer | None = None
    request: Request[MoveT] | None = None

    @property
    def peers(self) -> set[Peer]:
        """The peers that this entry brings into the room."""
        if isinstance(self.request, BeginTournament):
            return {Peer(peer) for peer, _ in self.request.entrants}
        return {self.peer} if self.peer else set()


class Codec(Generic[MoveT]):
    """Encodes and decodes journal entries of the rooms of one game."""

    def __init__(self, moves: Any) -> None:
        """`moves` is the type of the game's moves, which may be a union."""
        self.encode: Callable[[Entry[MoveT]], bytes] = msgspec.json.Encoder().encode
        kind = Entry[moves]
        self._decoder: msgspec.json.Decoder[Entry[Any]] = msgspec.json.Decoder(kind)

    def decode(self, content: bytes) -> Entry[MoveT]:
        """Return the entry that was encoded. Raises msgspec.DecodeError."""
        return self._decoder.decode(content)


class Compaction(NamedTuple):
    """The shortest list of entries that rebuilds a room, and the state of its seed before them."""

    drawn: dict[str, int]
    """As in RoomSpec, before the first of these entries."""
    entries: list[Entry[Any]]


class Room(ABC, Generic[MoveT]):
    """Decides everything about its seats, matches and notices.

    A room's state is a function of its requests, their times, and its seed. The host calls `tick`
    before `handle` when the deadline has passed. A request of an unknown peer is allowed; it
    changes nothing unless it is a request to join.
    """

    deadline: float | None
    """When `tick` must be called, or None."""

    def __init__(self) -> None:
        self.deadline = None
        self._reaction: Reaction[MoveT] = Reaction()
        """The reaction that the current call of `handle` or `tick` builds."""
        self._now = 0.0
        """The time of the current call."""

    @property
    def waiting_players(self) -> Sequence[str]:
        """The names of the players who wait for an opponent; "" for one without a name."""
        return ()

    @abstractmethod
    def view(self) -> RoomView[MoveT]:
        """Return what a spectator can see now. This changes nothing."""

    @abstractmethod
    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        """Handle a request."""

    @abstractmethod
    def tick(self, now: float) -> Reaction[MoveT]:
        """Handle the deadlines that have passed."""

    def compact(self) -> Compaction | None:
        """Return the shortest journal that gives this room as it is after the last reaction.

        None if there is no shorter one now.
        """
        return None

    def _begin_call(self, now: float, changed: bool = True) -> Reaction[MoveT]:
        """Return a new reaction, for the current call of `handle` or `tick` to build."""
        self._now = now
        self._reaction = Reaction(changed=changed)
        return self._reaction

    def _tell(self, peer: Peer, *notices: Notice[MoveT]) -> None:
        self._reaction.deliveries += [Delivery((peer,), notice) for notice in notices]


class Table(Room[MoveT]):
    """A room that a lobby has opened for two players and their spectators."""

    @property
    @abstractmethod
    def occupancy(self) -> Occupancy:
        """The clients at this table and its free seats."""

    @property
    def is_empty(self) -> bool:
        """Return True if the table can be closed."""
        return not (self.occupancy.players or self.occupancy.spectators)

    def request_if_lost(self) -> Request[MoveT] | None:
        """Return the request that the lobby handles if this table fails and cannot be rebuilt."""
        return None


class Lobby(Room[MoveT]):
    """A room that seats clients at tables.

    Most lobbies have no journal and play nothing themselves: they learn the state of their tables
    from `table_changed`, also after a restart. A request to join goes to the lobby first, also if
    the client is at a table already.
    """

    has_journal: ClassVar[bool] = False

    @abstractmethod
    def open_table(self, number: int, random: SeededRandom) -> Table[MoveT]:
        """Return a new, empty table with this number."""

    @abstractmethod
    def table_changed(self, number: int, occupancy: Occupancy | None, finished: int = 0) -> None:
        """Update what the lobby knows of a table.

        Args:
            number: the number of the table.
            occupancy: None if the table is closed.
            finished: how many matches have ended there in the same reaction.
        """

    def tick(self, now: float) -> Reaction[MoveT]:
        return Reaction(changed=False)
