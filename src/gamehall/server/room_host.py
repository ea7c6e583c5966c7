"""The pipeline between clients and rooms: decide, prepare, commit, deliver.

A request is decided by its room at once, and every notice that follows from it is prepared at once
by the clients that will hear it: sessions read their input against what they last sent. At the end
of the turn of the event loop everything that the rooms were told in it is committed to the journal
in one transaction. Only then is anything delivered, and only then may a client whose request was
answered be read again. Observers come after the players.
"""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from time import monotonic
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from gamehall.core import SecretRandom, SeededRandom
from gamehall.rooms.counts import RoomCounts
from gamehall.rooms.journal import (
    Journal,
    JournalError,
    RoomKey,
    RoomSpec,
    StoredRoom,
    replay,
)
from gamehall.rooms.notices import Closed, Notice
from gamehall.rooms.presence import Member, Presence
from gamehall.rooms.requests import (
    Away,
    BeginTournament,
    Credential,
    EndOfInput,
    Join,
    Leave,
    Lost,
    Proof,
    Request,
    Return,
    SpectatorChat,
    digest_token,
)
from gamehall.rooms.room import (
    NOBODY,
    Codec,
    Entry,
    Lobby,
    Peer,
    Reaction,
    Room,
    Table,
    TableOpening,
    Transfer,
)
from gamehall.rooms.view import RoomView, view_later
from gamehall.server.logged import about, loggable
from gamehall.server.observer import Observer
from gamehall.server.timers import Timers

log = logging.getLogger(__name__)

ENTRIES_TO_COMPACT: Final = 64
"""How many a journal must have at least for it to be worth replacing by a shorter one."""

NEVER: Final = 1 << 62
"""More entries than any journal has."""

SECONDS_UNTIL_OVERDUE: Final = 0.05
"""When a commit takes longer than this, the clock stands until it is done."""

VERSIONS_SET_ASIDE: Final = 1 << 32
"""More than a room has in its life: what is rebuilt after an error may have a lower version."""

NOTED_BY_PRESENCE: Final = frozenset({Join, Leave, BeginTournament})
"""The requests that say who somebody is, or that it is gone."""

Prepared: TypeAlias = object
"""What a client has made of a notice, to be delivered later."""

ShowView: TypeAlias = Callable[[RoomView[Any] | None], None]
"""Called with what an observer can see of a room or a table; None if it is closed."""


class Client(Protocol):
    """A connection, or a client in this process."""

    peer: Peer
    """Who it is. The host sets this, also when a player returns on a new connection."""
    room: str
    """The room that the host has connected it to."""
    door: str
    address: str
    """From where it is connected; with a name that is a weak proof of who it is."""
    return_seconds: float
    """How long its seat is kept if its connection is lost; 0: not at all."""

    @property
    def token(self) -> str:
        """A secret by which a client in this process is recognised; empty for connections."""

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        """Make of a notice what is to be delivered; None if nothing is."""

    def deliver(self, prepared: Prepared) -> None:
        """What led to this is committed."""

    def answered(self) -> None:
        """The last request is committed, and everything is delivered: the next may be submitted."""


class HostedRoom:
    """A room, with what the host keeps beside it.

    The room has a clock of its own: after a restart that goes on from where it stood.
    """

    def __init__(
        self,
        name: str,
        make_room: Callable[[SeededRandom], Room[Any]],
        settings: bytes,
        codec: Codec[Any],
        seeds: Iterator[bytes],
        lobby: "HostedRoom | None" = None,
        key: bytes = b"",
    ) -> None:
        """Begin a fresh room.

        Args:
            settings: how the room is set, in writing.
            seeds: one for each fresh room.
            key: the hall's; tokens that the room gives out cannot be told without it.
        """
        self.name = name
        self.lobby = lobby
        self.owner: HostedRoom = lobby or self
        """The lobby of a table; any other room itself."""
        self.codec = codec
        self.settings = settings
        self.seeds = seeds
        self.token_key = key
        self.counts: RoomCounts = RoomCounts() if lobby is None else lobby.counts
        self.make_room = make_room
        self.timer: float | None = None
        """The deadline that the timers know."""
        self.tick: Callable[[float], None] = lambda _: None
        """What the timers call when it has come; the host sets it."""
        self.has_watchers = False
        self.tables: dict[int, HostedRoom] = {}
        """Those that a lobby has opened, by number."""
        self.versions_before = 0
        """How many versions the rooms took that were here before."""
        self.first_version = 0
        """Of a table: what `versions_before` was when it was opened."""
        self._behind = 0.0
        """How far the room's clock is behind the hall's."""
        self.begin()

    def begin(self) -> None:
        """Begin a fresh room, which has no journal until there is something to be journaled."""
        self.spec = RoomSpec(self.name, self.settings, next(self.seeds))
        self.key: RoomKey | None = None
        self.entries = 0
        """How many entries its journal has."""
        self.compact_at = ENTRIES_TO_COMPACT
        """With how many the journal is replaced by a shorter one: twice the shortest, or more."""
        self.room: Room[Any] = self.make_room(self._random())

    def _random(self) -> SecretRandom:
        return SecretRandom(self.spec.seed, self.spec.drawn, self.token_key)

    def rebuild(self, stored: StoredRoom, presence: Presence) -> tuple[list[Entry[Any]], float]:
        """Rebuild the room from its journal. Return that, and the latest time of an entry.

        Raises JournalError.
        """
        try:
            entries = [self.codec.decode(content) for content in stored.entries]
        except msgspec.DecodeError as error:
            raise JournalError(
                f"the journal of the room {self.name} cannot be read: {error}."
                " Restore a backup, or drop the games in play with --fresh"
            ) from None
        self.spec, self.key, self.entries = stored.spec, stored.key, len(entries)
        self.room = self.make_room(self._random())
        return entries, replay(self.room, self.name, presence, entries)

    def time(self, now: float) -> float:
        """Return what the room's clock shows."""
        return now - self._behind

    def set_clock(self, time: float, now: float) -> None:
        """Let the room's clock show `time` now, and go on from there."""
        self._behind = now - time
        self.versions_before += 1

    @property
    def deadline(self) -> float | None:
        """When the room wants `tick` to be called, by the hall's clock."""
        due = self.room.deadline
        return None if due is None else due + self._behind

    def is_due(self, time: float) -> bool:
        """Return True if the room wants `tick` to be called, at this time of its own clock."""
        due = self.room.deadline
        return due is not None and time >= due

    def view(self) -> RoomView[Any]:
        """Return what an observer can see now, by the hall's clock, but not at its tables."""
        return view_later(self.room.view(), self._behind, self.versions_before)

    def open_table(self, number: int) -> "HostedRoom":
        """Open a table of this lobby."""
        assert isinstance(self.room, Lobby)
        make_room = partial(self.room.open_table, number)
        name = f"{self.name}/{number}"
        table = HostedRoom(
            name=name,
            make_room=make_room,
            settings=self.settings,
            codec=self.codec,
            seeds=self.seeds,
            lobby=self,
            key=self.token_key,
        )
        # So that pages never take a new table for one of that number which they have seen.
        table.versions_before = table.first_version = self.versions_before
        self.tables[number] = table
        return table

    def table_number(self) -> int:
        """Return the number that a table has in its lobby."""
        return int(self.name.rpartition("/")[2])


class Batch(msgspec.Struct, eq=False):
    """What one turn of the event loop has decided, to be delivered when it is durable."""

    began: float
    is_durable: bool = False
    deliveries: list[tuple[Client, Prepared]] = []
    answered: list[tuple[Client, HostedRoom]] = []
    reactions: list[tuple[HostedRoom, Reaction[Any]]] = []
    changed: dict[HostedRoom, None] = {}
    """The rooms, and the tables, in which observers may see something new."""
    views: list[tuple[RoomView[Any] | None, ShowView]] = []


class Watchers(NamedTuple):
    """What is called after each change of a room, and after each match or tournament in it."""

    changed: list[Callable[[str], None]]
    ended: list[Callable[[], None]]


class WaitingTable(NamedTuple):
    """Where guests wait for an opponent."""

    number: int | None
    """Of the table; None: in the room itself, as those who have signed up for a tournament."""
    names: Sequence[str]
    """Empty for a player who came through a door at which nobody has a name."""


class RoomHost:
    """All rooms of the process, and the clients in them."""

    def __init__(
        self,
        timers: Timers,
        call_soon: Callable[[Callable[[], None]], object],
        call_later: Callable[[float, Callable[[], None]], object],
        journal: Journal,
        observer: Observer,
        stop_clock: Callable[[bool], None] = lambda _: None,
        key: bytes = b"",
    ) -> None:
        """Take over the rooms that the journal has.

        Args:
            call_soon, call_later: those of the event loop.
            stop_clock: called with True when a commit is overdue, with False when it is done.
            key: the hall's, under which secrets and addresses of players are hashed.

        Raises:
            JournalError: the journal is damaged.
        """
        self.timers = timers
        self._now = timers.clock
        self._call_soon = call_soon
        self._call_later = call_later
        self._journal = journal
        self._observer = observer
        self._stop_clock = stop_clock
        self._key = key
        self._stored = journal.restore()
        self._rooms: dict[str, HostedRoom] = {}
        self._watchers: dict[str, Watchers] = {}
        self._clients: dict[Peer, Client] = {}
        self._presence = Presence()
        self._last_peer = 0
        self._batch: Batch | None = None
        """What this turn of the event loop has decided so far, None if nothing yet."""
        self._in_flight: deque[Batch] = deque()
        """The batches that are not durable yet, the oldest first."""
        self._is_overdue = False
        """Whether the clock stands because a commit is overdue."""
        self._will_check = False
        """Whether `_check_overdue` is going to be called."""
        self._is_closed = False
        self._is_abandoned = False

    # Rooms

    def open_room(self, room: HostedRoom, seconds_to_return: float) -> None:
        """Add a room, and restore it, or its tables, from the journal. Raises JournalError.

        The players of restored rooms have `seconds_to_return` to come back.
        """
        self._add(room)
        self._watchers[room.name] = Watchers([], [])
        stored = [one for one in self._stored if one.spec.owner == room.name]
        fitting = [one for one in stored if one.spec.settings == room.settings]
        if len(fitting) < len(stored):
            # They keep their journals until the room is opened with their settings again.
            log.warning(
                "%s: games with other settings than now are left alone",
                room.name,
                extra=about(room=room.name),
            )
        # A lobby that has a journal comes before its tables.
        fitting.sort(key=lambda one: one.spec.room)
        newest = {one.spec.room: one for one in fitting}
        waiting = sum(self._restore(room, one, seconds_to_return) for one in newest.values())
        if waiting:
            log.warning(
                "%s: restored; waiting for %d players to reconnect, for up to %g s",
                room.name,
                waiting,
                seconds_to_return,
                extra=about(room=room.name),
            )
        elif any(one.view().is_playing for one in (room, *room.tables.values())):
            log.warning("%s: restored", room.name, extra=about(room=room.name))

    def _restore(self, room: HostedRoom, stored: StoredRoom, seconds_to_return: float) -> int:
        """Restore a room, or a table of it. Return how many players may come back."""
        if stored.spec.room != room.name:
            room = room.open_table(int(stored.spec.room.rpartition("/")[2]))
            self._add(room)
        entries, last = room.rebuild(stored, self._presence)
        # Not before the room knows who is away.
        room.compact_at = NEVER
        now, members = self._now(), self._presence.members
        room.set_clock(last, now)
        peers = {peer for entry in entries for peer in entry.peers}
        self._last_peer = max(self._last_peer, *peers, 0)
        self._tell_lobby(room)
        if self._rooms.get(room.name) is not room:
            # The table is closed: there were only spectators who had ended their input.
            return 0
        gone = {entry.peer for entry in entries if isinstance(entry.request, Leave | Lost)}
        hung_up = peers & {one.peer for one in entries if isinstance(one.request, EndOfInput)}
        present = peers - hung_up
        # Also a spectator who has left this table and come back to it is known.
        known = {peer for peer in present if peer in members and members[peer].room == room.name}
        for peer in sorted(known):
            self._presence.lose(peer)
            self._handle(room, peer, Away(seconds_to_return, is_restart=True), now)
        for peer in sorted(present - known - gone):
            self._handle(room, peer, Lost(), now)
        for peer in sorted(hung_up - gone):
            # It has said that it would say nothing more, so nobody waits for it.
            self._handle(room, peer, Leave(None), now)
        room.compact_at = ENTRIES_TO_COMPACT
        self._set_timer(room)
        return len(known)

    def _add(self, room: HostedRoom) -> None:
        self._rooms[room.name] = room
        room.tick = partial(self._tick, room)

    def room(self, name: str) -> Room[Any]:
        """Return the room behind a door. Raises KeyError."""
        return self._rooms[name].room

    def is_over(self) -> bool:
        """Return True if no match or tournament is going on."""
        rooms = (hosted.room for hosted in self._rooms.values())
        return self.is_settled and not any(room.view().is_playing for room in rooms)

    def waiting_tables(self, room: str) -> list[WaitingTable]:
        """Return where guests wait for an opponent. Bots of the house do not count."""
        rooms = [self._rooms[room], *self._rooms[room].tables.values()]
        waiting = [(one, one.room.waiting_players) for one in rooms]
        if not any(names for _, names in waiting):
            return []
        bots = {(one.room, one.name) for one in self._presence.members.values() if one.bot}
        found = []
        for one, names in waiting:
            guests = [name for name in names if (one.name, name) not in bots]
            if guests:
                found.append(WaitingTable(one.table_number() if one.lobby else None, guests))
        return found

    # Bots of the house

    def house_token(self, room: str, name: str) -> str:
        """Return the token of a house bot, which is the same after a restart of the hall."""
        return self._digest("house bot", room, name)

    def house_members(self) -> list[Member]:
        """Return the house bots that are in the rooms, also those that were restored."""
        return [member for member in self._presence.members.values() if member.bot]

    def seconds_until(self, client: Client, deadline: float) -> float:
        """Return how long it is until a deadline that a client was told."""
        return deadline - self._room_of(client).time(self._now())

    # Observers

    def rooms_of(self, room: str) -> list[str]:
        """Return the names of a room and of the tables that it has opened. Raises KeyError."""
        return [room, *(table.name for table in self._rooms[room].tables.values())]

    def view(self, room: str, call: ShowView) -> None:
        """Call with what an observer can see of a room or a table, as soon as that is durable."""
        hosted = self._rooms.get(room)
        seen = None if hosted is None else hosted.view()
        if self.is_settled:
            call(seen)
        else:
            self._schedule().views.append((seen, call))

    def after_each_change(self, room: str, call: Callable[[str], None]) -> None:
        """Call with the name of the room, or of a table of it, when that may have changed.

        It is called once for each commit, and each table that the commit may have changed.
        """
        self._watchers[room].changed.append(call)
        self._rooms[room].has_watchers = True

    def after_each_end(self, room: str, call: Callable[[], None]) -> None:
        """Call whenever a match or tournament of a room has ended."""
        self._watchers[room].ended.append(call)

    # Clients

    def connect(self, client: Client, room: str) -> None:
        """A client enters a room, as a new peer. Raises KeyError if there is no such room."""
        client.room = self._rooms[room].name
        self._last_peer += 1
        client.peer = Peer(self._last_peer)
        self._clients[client.peer] = client

    def submit(self, client: Client, request: Request[Any], now: float | None = None) -> None:
        """Have a request of a client decided. `client.answered` is called when it is committed.

        `now`: the time by the hall's clock, for those who have just read it.
        """
        if self._is_closed:
            return
        room = self._rooms.get(client.room) or self._room_of(client)
        if now is None:
            now = self._now()
        if type(request) is Join:
            room, request = self._identify(room, client, request)
        elif type(request) is SpectatorChat:
            # The lobby knows which names are taken, and finds the table.
            room = room.owner
        elif (
            type(request) is EndOfInput
            and client.return_seconds
            and self._presence.has_seat(client.peer)
        ):
            # Where seats are kept, it does not matter how a connection ends.
            self._keep_seat(client, now)
            self.say(client, client.prepare(Closed("hung up", is_expected=True)))
            self._schedule().answered.append((client, room))
            return
        if not self._handle(room, client.peer, request, now):
            self._drop(client)
        batch = self._batch or self._schedule()
        batch.answered.append((client, room))

    def room_time(self, client: Client) -> float:
        """Return what the clock of a client's room shows now."""
        return self._room_of(client).time(self._now())

    def say(self, client: Client, prepared: Prepared | None) -> None:
        """Deliver something that no room has said, after everything that was decided before it."""
        if prepared is None:
            return
        if self._is_abandoned or (self._is_closed and self.is_settled):
            client.deliver(prepared)
        else:
            self._schedule().deliveries.append((client, prepared))

    def disconnect(self, client: Client) -> None:
        """The connection to a client is gone: it has left, unless its seat is kept for a while."""
        if self._clients.get(client.peer) is not client:
            return
        if self._is_closed:
            del self._clients[client.peer]
        elif client.return_seconds and self._presence.has_seat(client.peer):
            self._keep_seat(client, self._now())
        else:
            del self._clients[client.peer]
            self._handle(self._room_of(client), client.peer, Leave(None), self._now())

    def _drop(self, client: Client) -> None:
        """Disconnect a client whose request a room has failed to handle."""
        self.say(client, client.prepare(Closed("the server failed to handle a request")))

    def close(self) -> None:
        """Stop: rooms hear nothing more, neither of those who leave nor of time."""
        self._is_closed = True
        for room in self._rooms.values():
            self.timers.set(room, None)
        self._end_turn()

    @property
    def is_settled(self) -> bool:
        """Return True if everything that was decided is durable and delivered."""
        return self._batch is None and not self._in_flight

    def abandon(self) -> None:
        """After `close`: deliver nothing any more that is not durable yet, but only goodbyes.

        What was not delivered was not acknowledged.
        """
        self._is_abandoned = True
        self._in_flight.clear()

    def _room_of(self, client: Client) -> HostedRoom:
        """Return where a client is: in the lobby, if its table is closed."""
        return self._rooms.get(client.room) or self._rooms[client.room.partition("/")[0]]

    def _identify(
        self, room: HostedRoom, client: Client, join: Join
    ) -> tuple[HostedRoom, Request[Any]]:
        """Return where a request to join goes, and the request.

        A client that shows the credential of a player returns to that player's seat. Anybody else
        goes through the lobby, if there is one.
        """
        presence, credential = self._presence, self._credential(client, join)
        known = None
        if credential is not None and client.peer not in presence.members:
            known = presence.identify(credential, room.owner.name)
            if known is not None and presence.members[known].room not in self._rooms:
                # Its table was closed while it was away.
                presence.forget(known)
                known = None
        if known is None:
            secret = self._digest(client.door, join.name, join.secret) if join.secret else ""
            return room.owner, msgspec.structs.replace(
                join, secret=secret, door=client.door, credential=credential
            )
        before = self._clients.get(known)
        if before is not None:
            # What it still has to say is nobody's request any more.
            before.peer = NOBODY
            self.say(before, before.prepare(Closed("connected again from elsewhere")))
        del self._clients[client.peer]
        client.peer = known
        self._clients[known] = client
        room = self._rooms[presence.members[known].room]
        client.room = room.name
        presence.welcome_back(known)
        log.info(
            "%s is back at %s",
            loggable(join.name),
            client.door,
            extra=about(room=room.owner.name),
        )
        return room, Return()

    def _credential(self, client: Client, join: Join) -> Credential | None:
        """Return by what a client can be recognised later; None if it cannot.

        A player without a name has nothing by which it could be told from others.
        """
        if client.token:
            return Credential(Proof.TOKEN, digest_token(client.token))
        if not join.name:
            return None
        if join.secret:
            return Credential(Proof.SECRET, self._digest(client.door, join.name, join.secret))
        return Credential(Proof.ADDRESS, self._digest(client.door, join.name, client.address))

    def _digest(self, *parts: str) -> str:
        """Return a hash that nobody can make or try out without the hall's key."""
        return blake2b(msgspec.json.encode(parts), digest_size=32, key=self._key).hexdigest()

    def _keep_seat(self, client: Client, now: float) -> None:
        """Keep the seat of a player whose connection has ended, and stop its clock."""
        room = self._room_of(client)
        log.info(
            "keeping %s's seat at %s for up to %g s",
            loggable(self._presence.members[client.peer].name),
            client.door,
            client.return_seconds,
            extra=about(room=room.owner.name),
        )
        del self._clients[client.peer]
        self._presence.lose(client.peer)
        self._handle(room, client.peer, Away(client.return_seconds), now)

    # What rooms decide

    def _handle(self, room: HostedRoom, peer: Peer, request: Request[Any], now: float) -> bool:
        """Have a request decided, and prepare what follows. Return False if the room failed."""
        time = room.time(now)
        if room.room.deadline is not None and room.is_due(time):
            if not self._tick_room(room, now):
                return False
            if self._rooms.get(room.name) is not room:
                # What was overdue has closed the table: its lobby says how the peer goes on.
                return self._handle(self._room_instead_of(room, peer), peer, request, now)
        try:
            reaction = room.room.handle(peer, request, time)
        except MemoryError:
            raise  # That is no error of this room: it ends the process.
        except Exception:
            self._recover(room)
            return False
        if type(request) in NOTED_BY_PRESENCE:
            self._presence.note(room.name, peer, request, reaction)
        self._react(room, reaction, Entry(time, peer, request), now)
        return True

    def _room_instead_of(self, table: HostedRoom, peer: Peer) -> HostedRoom:
        """Return where a peer is whose table is closed: where it was sent on, or the lobby."""
        client = self._clients.get(peer)
        if client is None:
            return table.owner
        if client.room == table.name:
            client.room = table.owner.name
        return self._room_of(client)

    def _tick(self, room: HostedRoom, now: float) -> None:
        """The deadline of a room has come."""
        room.timer = None
        if room.is_due(room.time(now)):
            self._tick_room(room, now)
        else:
            self._set_timer(room)

    def _tick_room(self, room: HostedRoom, now: float) -> bool:
        time = room.time(now)
        try:
            reaction = room.room.tick(time)
        except MemoryError:
            raise
        except Exception:
            self._recover(room)
            return False
        self._react(room, reaction, Entry(time), now)
        return True

    def _react(
        self, room: HostedRoom, reaction: Reaction[Any], entry: Entry[Any], now: float
    ) -> None:
        """Journal what a room was told, and prepare what it answers."""
        batch = self._batch or self._schedule()
        if reaction.changed:
            for record in reaction.records:
                room.counts.note_match(record)
            if room.key is None:
                room.key = self._journal.begin(room.spec)
            room.entries += 1
            self._journal.append(room.key, room.codec.encode(entry), reaction.records)
        clients, deliveries = self._clients, batch.deliveries
        for delivery in reaction.deliveries:
            notice = delivery.notice
            if type(notice) is Closed:
                for peer in delivery.peers:
                    if self._presence.is_lost(peer):
                        self._note_given_up(room, peer)
                    self._presence.forget(peer)
            for peer in delivery.peers:
                client = clients.get(peer)
                if client is not None:
                    prepared = client.prepare(notice)
                    if prepared is not None:
                        deliveries.append((client, prepared))
        self._note_change(room)
        if reaction.finished or reaction.records or reaction.log or reaction.reports:
            batch.reactions.append((room.owner, reaction))
        if reaction.occupancy is not None:
            self._tell_lobby(room, reaction)
        if room.entries >= room.compact_at and reaction.changed and not reaction.closed:
            self._compact(room)
        if room.timer is not None or room.room.deadline is not None:
            self._set_timer(room)
        for number in reaction.closes:
            if number in room.tables:
                self._close_table(room.tables[number])
        for opening in reaction.opens:
            self._open_table(room, opening, now)
        for transfer in reaction.transfers:
            self._transfer(room.owner, transfer, now)

    def _note_change(self, room: HostedRoom) -> None:
        """Tell observers with the next commit that there may be something new to see."""
        if room.owner.has_watchers:
            self._schedule().changed[room] = None

    def _compact(self, room: HostedRoom) -> None:
        """Replace the journal of a room by a shorter one that gives the same room."""
        compaction = room.room.compact()
        if compaction is None:
            return
        room.compact_at = max(ENTRIES_TO_COMPACT, 2 * len(compaction.entries))
        if 2 * len(compaction.entries) > room.entries:
            # Not worth it yet.
            return
        if room.key is not None:
            self._journal.close(room.key)
        room.spec = msgspec.structs.replace(room.spec, drawn=compaction.drawn)
        room.key = self._journal.begin(room.spec)
        for entry in compaction.entries:
            self._journal.append(room.key, room.codec.encode(entry), ())
        room.entries = len(compaction.entries)

    def _tell_lobby(self, room: HostedRoom, reaction: Reaction[Any] | None = None) -> None:
        """Tell the lobby of a table who is there; close the table if nobody is."""
        if room.lobby is None:
            return
        assert isinstance(room.lobby.room, Lobby)
        assert isinstance(room.room, Table)
        is_closed = reaction.closed if reaction else room.room.is_empty
        occupancy = None if is_closed else room.room.occupancy
        finished = reaction.finished if reaction else 0
        room.lobby.room.table_changed(room.table_number(), occupancy, finished)
        if is_closed:
            if reaction is None:
                self._presence.forget_room(room.name)
            self._close_table(room)

    def _close_table(self, room: HostedRoom) -> None:
        """Drop a table, and its journal."""
        assert room.lobby is not None
        if self._rooms.get(room.name) is not room:
            # It was closed by what followed from the reaction that closes it.
            return
        room.lobby.versions_before += room.view().version - room.first_version + 1
        del room.lobby.tables[room.table_number()], self._rooms[room.name]
        self.timers.set(room, None)
        self._note_change(room)
        if room.key is not None:
            self._journal.close(room.key)
            room.key = None

    def _open_table(self, lobby: HostedRoom, opening: TableOpening, now: float) -> None:
        """Open a table, and have some of those who are in the lobby go on there."""
        table = lobby.open_table(opening.number)
        self._add(table)
        for peer in opening.members:
            self._presence.forget(peer)
            if peer in self._clients:
                self._clients[peer].room = table.name
        if opening.request is not None:
            self._handle(table, NOBODY, opening.request, now)

    def _transfer(self, lobby: HostedRoom, transfer: Transfer, now: float) -> None:
        """Have a peer go on in another room."""
        peer, number, request = transfer
        if peer == NOBODY:
            self._handle(lobby, peer, request, now)
            return
        client = self._clients.get(peer)
        if client is None:
            # Both players of a table were lost by a restart: nobody is there to go on.
            self._presence.forget(peer)
            return
        # A table that an overdue deadline has just closed is left to the lobby.
        room = lobby if number is None else lobby.tables.get(number, lobby)
        if type(request) is not SpectatorChat:
            client.room = room.name
        if not self._handle(room, peer, request, now):
            self._drop(client)

    def _note_given_up(self, room: HostedRoom, peer: Peer) -> None:
        member = self._presence.members[peer]
        log.info(
            "%s has not come back to %s: its seat is free",
            loggable(member.name),
            member.door,
            extra=about(room=room.owner.name),
        )

    def _set_timer(self, room: HostedRoom) -> None:
        deadline = room.deadline
        if deadline != room.timer:
            room.timer = deadline
            self.timers.set(room, deadline)

    def _recover(self, room: HostedRoom) -> None:
        """Rebuild a room that has just raised an exception, as its journal has it.

        What it was doing when it failed is not in the journal, so it is as if it had never been
        asked. A room without a journal, or whose journal leads to the same error, begins anew, and
        everybody in it is disconnected.
        """
        log.exception("%s: the room failed", room.name, extra=about(room=room.owner.name))
        if isinstance(room.room, Lobby) and not room.room.has_journal:
            # All that such a lobby knows is known from its tables.
            room.begin()
            for table in list(room.tables.values()):
                self._tell_lobby(table)
            return
        now = self._now()
        time = room.time(now)
        room.versions_before += VERSIONS_SET_ASIDE
        try:
            stored = self._journal.read(room.key) if room.key is not None else None
        except JournalError:
            return  # The process ends; what the journal has is restored by the next one.
        if stored is not None and _can_rebuild(room, stored, time):
            log.warning("%s: rebuilt from its journal", room.name)
        else:
            log.error("%s: begins anew; its clients are disconnected", room.name)
            lost = room.room
            self._begin_anew(room)
            if isinstance(lost, Table) and (request := lost.request_if_lost()) is not None:
                assert room.lobby is not None
                self._tell_lobby(room)
                self._handle(room.lobby, NOBODY, request, now)
                return
        room.set_clock(time, now)
        self._note_change(room)
        self._tell_lobby(room)
        for table in list(room.tables.values()):
            self._tell_lobby(table)
        self._set_timer(room)

    def _begin_anew(self, room: HostedRoom) -> None:
        """Begin a fresh room instead of one that cannot be rebuilt, and disconnect everybody."""
        for table in list(room.tables.values()):
            self._begin_anew(table)
            self._close_table(table)
        self._presence.forget_room(room.name)
        for client in [one for one in self._clients.values() if one.room == room.name]:
            self.say(client, client.prepare(Closed("the room failed, and begins anew")))
        if room.key is not None:
            self._journal.close(room.key)
        room.begin()

    # The turn of the event loop

    def _schedule(self) -> Batch:
        """Return what this turn decides, to be committed at its end."""
        if self._batch is None:
            self._batch = Batch(monotonic())
            self._call_soon(self._end_turn)
        return self._batch

    def _end_turn(self) -> None:
        """Commit what this turn has decided, and deliver it when that is durable."""
        batch = self._batch
        if batch is None:
            return
        self._batch = None
        self._in_flight.append(batch)
        self._journal.commit(partial(self._release, batch))
        if batch.is_durable:
            return
        for _, room in batch.answered:
            room.counts.held += 1
        if not self._is_overdue:
            self._check_later(SECONDS_UNTIL_OVERDUE)

    def _release(self, batch: Batch) -> None:
        """A batch is durable: deliver it, tell the observers, and let clients go on."""
        batch.is_durable = True
        if self._is_abandoned:
            return
        self._in_flight.popleft()
        if self._is_overdue:
            self._compare_ages()
        for client, prepared in batch.deliveries:
            try:
                client.deliver(prepared)
            except MemoryError:
                raise
            except Exception:
                # One client must not keep the others from what they are to hear.
                log.exception("%s: a client failed", client.door)
        for room, reaction in batch.reactions:
            self._tell_observers(room.name, reaction)
        for room in batch.changed:
            for changed in self._watchers[room.owner.name].changed:
                _guarded(partial(changed, room.name))
        for view, call in batch.views:
            _guarded(partial(call, view))
        seconds = monotonic() - batch.began
        for room, count in Counter(room for _, room in batch.answered).items():
            room.counts.answers.add(seconds, count)
            room.counts.held -= min(count, room.counts.held)
        for client, _ in batch.answered:
            try:
                client.answered()
            except MemoryError:
                raise
            except Exception:
                log.exception("%s: a client failed", client.door)

    def _check_later(self, seconds: float) -> None:
        """Look at the commits in flight then, unless that is to be done already."""
        if not self._will_check:
            self._will_check = True
            self._call_later(seconds, self._check_overdue)

    def _check_overdue(self) -> None:
        self._will_check = False
        self._compare_ages()

    def _compare_ages(self) -> None:
        """Stop the clock while the oldest commit is overdue: that time is not the players'."""
        age = monotonic() - self._in_flight[0].began if self._in_flight else 0.0
        is_overdue = age >= SECONDS_UNTIL_OVERDUE
        if is_overdue is not self._is_overdue:
            self._is_overdue = is_overdue
            self._stop_clock(is_overdue)
        if self._in_flight and not is_overdue:
            self._check_later(SECONDS_UNTIL_OVERDUE - age)

    def _tell_observers(self, name: str, reaction: Reaction[Any]) -> None:
        """Tell observers. Their errors must not affect the player whose move it was (X-09)."""
        observer = self._observer
        for record in reaction.records:
            _guarded(partial(observer.match_ended, name, record))
        for line in reaction.log:
            _guarded(partial(observer.noted, name, line))
        for report in reaction.reports:
            _guarded(partial(observer.tournament_ended, name, report))
        if reaction.finished:
            for call in self._watchers[name].ended:
                _guarded(call)


def _can_rebuild(room: HostedRoom, stored: StoredRoom, time: float) -> bool:
    """Rebuild a room. Return False if it fails again, also at a deadline that has passed.

    Who is who is known already, and does not change by this.
    """
    try:
        room.rebuild(stored, Presence())
        if room.room.deadline is not None and room.room.deadline <= time:
            room.room.tick(time)
            room.rebuild(stored, Presence())
    except Exception:
        log.exception("%s: cannot be rebuilt", room.name, extra=about(room=room.owner.name))
        return False
    return True


def _guarded(call: Callable[[], None]) -> None:
    """Call an observer; log its error, which is not a player's."""
    try:
        call()
    except Exception:
        log.exception("an observer failed")
