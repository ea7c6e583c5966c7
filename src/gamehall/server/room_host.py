"""The pipeline between clients and rooms: decide, prepare, commit, deliver.

A room handles a request at once. The clients that receive the resulting notices encode ("prepare")
them at once, since a session interprets its input by what it sent last. At the end of the turn of
the event loop, all requests of this turn are committed to the journal in one transaction. After the
commit, the notices are delivered, then observers are called, and then the next request of each
client is read.
"""

import logging
from collections import Counter, deque
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from time import monotonic
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from gamehall.rooms.journal import Journal, JournalError, StoredRoom
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
    NO_PEER,
    Entry,
    Lobby,
    Peer,
    Reaction,
    Room,
    Table,
    TableOpening,
    Transfer,
)
from gamehall.rooms.view import RoomView
from gamehall.server.hosted_room import HostedRoom
from gamehall.server.logged import about, loggable
from gamehall.server.observer import Observer
from gamehall.server.timers import Timers

log = logging.getLogger(__name__)

NEVER: Final = 1 << 62
"""As `compact_at`: more entries than any journal has."""

SECONDS_UNTIL_OVERDUE: Final = 0.05
"""While a commit takes longer than this, the players' clocks are stopped."""

VERSIONS_SET_ASIDE: Final = 1 << 32
"""More versions than a room ever has. A room may have a lower version after it was rebuilt."""

REQUEST_FAILED: Final = "the server failed to handle a request"

NOTED_BY_PRESENCE: Final = frozenset({Join, Leave, BeginTournament})
"""The requests by which players come and go."""

Prepared: TypeAlias = object
"""A notice as a client has encoded it for delivery. Only that client knows its type."""

ShowView: TypeAlias = Callable[[RoomView[Any] | None], None]
"""Takes the public view of a room or a table; None if it is closed."""


class Client(Protocol):
    """A connection, or a client in this process."""

    peer: Peer
    """Set by the host, again when the client returns to the seat of an earlier peer."""
    room_name: str
    """Set by the host."""
    door_name: str
    address: str
    """The network address. Together with a name it is a weak credential."""
    return_seconds: float
    """How long the seat is kept after the connection is lost; 0: not at all."""

    @property
    def token(self) -> str:
        """The secret credential of a client in this process; empty for connections."""

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        """Encode a notice, or return None if there is nothing to deliver."""

    def deliver(self, prepared: Prepared) -> None:
        """Send a prepared notice. Called after the commit."""

    def answered(self) -> None:
        """Read the next request: the last one is committed, and its notices are delivered."""


class Batch(msgspec.Struct, eq=False):
    """The results of one turn of the event loop, to be delivered after their commit."""

    began: float
    is_durable: bool = False
    deliveries: list[tuple[Client, Prepared]] = []
    answered: list[tuple[Client, HostedRoom]] = []
    reactions: list[tuple[HostedRoom, Reaction[Any]]] = []
    changed: dict[HostedRoom, None] = {}
    """The rooms and tables whose views may have changed, in order (a dict as an ordered set)."""
    views: list[tuple[RoomView[Any] | None, ShowView]] = []


class WaitingTable(NamedTuple):
    """A table at which players wait for an opponent."""

    number: int | None
    """None for a room without tables: its players have signed up for a tournament."""
    names: Sequence[str]
    """A player is called "" at a door without names."""


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
        server_secret: bytes = b"",
    ) -> None:
        """Read the journal. Its rooms are restored by `open_room`.

        Args:
            call_soon, call_later: the methods of the event loop.
            stop_clock: called with True when a commit is overdue, with False when it is done.
            server_secret: the key with which players' secrets and addresses are hashed.

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
        self._server_secret = server_secret
        self._stored = journal.restore()
        self._rooms: dict[str, HostedRoom] = {}
        self._clients: dict[Peer, Client] = {}
        self._presence = Presence()
        self._last_peer = 0
        self._batch: Batch | None = None
        """The batch of this turn of the event loop; None if nothing has happened in it yet."""
        self._in_flight: deque[Batch] = deque()
        """The batches that are not durable yet, the oldest first."""
        self._is_overdue = False
        """True while the clock is stopped because a commit is overdue."""
        self._will_check = False
        """True while a call of `_check_overdue` is scheduled."""
        self._is_closed = False
        self._is_abandoned = False

    # Rooms

    def open_room(self, hosted: HostedRoom, seconds_to_return: float) -> None:
        """Add a room, and restore it and its tables from the journal. Raises JournalError.

        The players of restored rooms have `seconds_to_return` to reconnect.
        """
        self._add(hosted)
        stored = [one for one in self._stored if one.spec.owner == hosted.name]
        fitting = [one for one in stored if one.spec.settings == hosted.settings]
        if len(fitting) < len(stored):
            # Their journals stay, and are restored when the room is opened with those settings.
            log.warning(
                "%s: games that began with other settings wait until you start with those again;"
                " --fresh drops them",
                hosted.name,
                extra=about(room=hosted.name),
            )
        # A lobby must be restored before its tables: its name is a prefix of theirs.
        fitting.sort(key=lambda one: one.spec.room)
        newest = {one.spec.room: one for one in fitting}
        waiting = sum(self._restore(hosted, one, seconds_to_return) for one in newest.values())
        if waiting:
            log.info(
                "%s: restored; waiting for %d %s to reconnect, for up to %g s",
                hosted.name,
                waiting,
                "player" if waiting == 1 else "players",
                seconds_to_return,
                extra=about(room=hosted.name),
            )
        elif any(one.view().is_playing for one in (hosted, *hosted.tables.values())):
            log.info("%s: restored", hosted.name, extra=about(room=hosted.name))

    def _restore(self, hosted: HostedRoom, stored: StoredRoom, seconds_to_return: float) -> int:
        """Restore a room, or a table of it. Return how many players may reconnect."""
        if stored.spec.room != hosted.name:
            hosted = hosted.open_table(int(stored.spec.room.rpartition("/")[2]))
            self._add(hosted)
        entries, last = hosted.rebuild(stored, self._presence)
        # Compacting needs to know who is away, so it has to wait for the requests below.
        hosted.compact_at = NEVER
        now, members = self._now(), self._presence.members
        hosted.set_clock(last, now)
        peers = {peer for entry in entries for peer in entry.peers}
        self._last_peer = max(self._last_peer, *peers, 0)
        self._update_lobby(hosted)
        if self._rooms.get(hosted.name) is not hosted:
            # The table was closed: it had only spectators who had ended their input.
            return 0
        # The peers in the journal are players with a seat, who may reconnect (Away), clients
        # without one (Lost), and clients that had ended their input (Leave), unless they have left.
        gone = {entry.peer for entry in entries if isinstance(entry.request, Leave | Lost)}
        hung_up = peers & {one.peer for one in entries if isinstance(one.request, EndOfInput)}
        present = peers - hung_up
        # Not `present - gone`: a spectator may have left this table and returned to it.
        known = {peer for peer in present if peer in members and members[peer].room == hosted.name}
        for peer in sorted(known):
            self._presence.disconnect(peer)
            self._handle(hosted, peer, Away(seconds_to_return, is_restart=True), now)
        for peer in sorted(present - known - gone):
            self._handle(hosted, peer, Lost(), now)
        for peer in sorted(hung_up - gone):
            # It had ended its input, so it will not reconnect.
            self._handle(hosted, peer, Leave(None), now)
        hosted.set_compaction()
        self._set_timer(hosted)
        return len(known)

    def _add(self, hosted: HostedRoom) -> None:
        self._rooms[hosted.name] = hosted
        hosted.tick = partial(self._tick, hosted)

    def room(self, name: str) -> Room[Any]:
        """Return a room by its name. Raises KeyError."""
        return self._rooms[name].room

    def is_over(self) -> bool:
        """Return True if no match or tournament is being played, and all commits are durable."""
        rooms = (hosted.room for hosted in self._rooms.values())
        return self.is_settled and not any(room.view().is_playing for room in rooms)

    def waiting_tables(self, room: str) -> list[WaitingTable]:
        """Return the tables at which players wait for an opponent. House bots do not count."""
        rooms = [self._rooms[room], *self._rooms[room].tables.values()]
        waiting = [(one, one.room.waiting_players) for one in rooms]
        if not any(names for _, names in waiting):
            return []
        bots = {(one.room, one.name) for one in self._presence.members.values() if one.bot}
        found = []
        for one, names in waiting:
            players = [name for name in names if (one.name, name) not in bots]
            if players:
                found.append(WaitingTable(one.table_number() if one.lobby else None, players))
        return found

    # House bots

    def house_token(self, room: str, name: str) -> str:
        """Return the token of a house bot. It is the same after a restart of the server."""
        return self._digest("house bot", room, name)

    def house_members(self) -> list[Member]:
        """Return the house bots in all rooms, including restored ones."""
        return [member for member in self._presence.members.values() if member.bot]

    # Observers

    def rooms_of(self, room: str) -> list[str]:
        """Return the names of a room and of its open tables. Raises KeyError."""
        return [room, *(table.name for table in self._rooms[room].tables.values())]

    def view(self, room: str, call: ShowView) -> None:
        """Call a function with the current view of a room or table, once that is durable."""
        hosted = self._rooms.get(room)
        seen = None if hosted is None else hosted.view()
        if self.is_settled:
            call(seen)
        else:
            self._schedule().views.append((seen, call))

    def after_each_change(self, room: str, call: Callable[[str], None]) -> None:
        """Call a function after each commit that may have changed a room or its tables.

        It is called once for each of them, with its name.
        """
        self._rooms[room].on_change.append(call)

    def after_each_end(self, room: str, call: Callable[[], None]) -> None:
        """Call a function whenever a match or tournament of a room has ended."""
        self._rooms[room].on_end.append(call)

    # Clients

    def connect(self, client: Client, room: str) -> None:
        """Add a client to a room, as a new peer. Raises KeyError if there is no such room."""
        client.room_name = self._rooms[room].name
        self._last_peer += 1
        client.peer = Peer(self._last_peer)
        self._clients[client.peer] = client

    def submit(self, client: Client, request: Request[Any], now: float | None = None) -> None:
        """Handle a request of a client. `client.answered` is called after the commit.

        Args:
            now: the server's time, if the caller has just read it.
        """
        if self._is_closed:
            return
        hosted = self._rooms.get(client.room_name) or self._room_of(client)
        if now is None:
            now = self._now()
        if type(request) is Join:
            hosted, request = self._identify(hosted, client, request)
        elif type(request) is SpectatorChat:
            # The lobby checks the name, and passes the chat to the table.
            hosted = hosted.owner
        elif (
            type(request) is EndOfInput
            and client.return_seconds
            and self._presence.has_seat(client.peer)
        ):
            # Where seats are kept, the end of input counts as a lost connection.
            self._keep_seat(client, now)
            self.close_client(client, "hung up", is_expected=True)
            self._schedule().answered.append((client, hosted))
            return
        if not self._handle(hosted, client.peer, request, now):
            self.close_client(client, REQUEST_FAILED)
        self._schedule().answered.append((client, hosted))

    def room_time(self, client: Client) -> float:
        """Return the current time of a client's room."""
        return self._room_of(client).time(self._now())

    def enqueue(self, client: Client, prepared: Prepared | None) -> None:
        """Deliver a message that is not from a room after all earlier notices."""
        if prepared is None:
            return
        if self._is_abandoned or (self._is_closed and self.is_settled):
            client.deliver(prepared)
        else:
            self._schedule().deliveries.append((client, prepared))

    def close_client(self, client: Client, reason: str, is_expected: bool = False) -> None:
        """Close a client's connection, after all earlier notices."""
        self.enqueue(client, client.prepare(Closed(reason, is_expected)))

    def disconnect(self, client: Client) -> None:
        """Note that a client's connection is lost. Keep its seat, or have it leave its room."""
        if self._clients.get(client.peer) is not client:
            return
        if self._is_closed:
            del self._clients[client.peer]
        elif client.return_seconds and self._presence.has_seat(client.peer):
            self._keep_seat(client, self._now())
        else:
            del self._clients[client.peer]
            self._handle(self._room_of(client), client.peer, Leave(None), self._now())

    def close(self) -> None:
        """Stop passing requests and deadlines to the rooms, and commit what was decided."""
        self._is_closed = True
        for hosted in self._rooms.values():
            self.timers.set(hosted, None)
        self._end_turn()

    @property
    def is_settled(self) -> bool:
        """Return True if every batch is durable and delivered."""
        return self._batch is None and not self._in_flight

    def abandon(self) -> None:
        """After `close`, give up the batches that are not durable. Their notices are not sent.

        Only the messages that close the connections are delivered from now on.
        """
        self._is_abandoned = True
        self._in_flight.clear()

    def _room_of(self, client: Client) -> HostedRoom:
        """Return the room of a client; the lobby, if its table is closed."""
        return self._rooms.get(client.room_name) or self._rooms[client.room_name.partition("/")[0]]

    def _identify(
        self, hosted: HostedRoom, client: Client, join: Join
    ) -> tuple[HostedRoom, Request[Any]]:
        """Return the room that handles a request to join, and the request to pass to it.

        A client with the credential of a known player returns to that player's seat. All others
        join through the lobby.
        """
        presence, credential = self._presence, self._credential(client, join)
        known = None
        if credential is not None and client.peer not in presence.members:
            known = presence.identify(credential, hosted.owner.name)
            if known is not None and presence.members[known].room not in self._rooms:
                # The table was closed while the player was away.
                presence.forget(known)
                known = None
        if known is None:
            secret = self._digest(client.door_name, join.name, join.secret) if join.secret else ""
            return hosted.owner, msgspec.structs.replace(
                join, secret=secret, door=client.door_name, credential=credential
            )
        before = self._clients.get(known)
        if before is not None:
            # Requests that the old connection may still send must not count as the player's.
            before.peer = NO_PEER
            self.close_client(before, "connected again from elsewhere")
        del self._clients[client.peer]
        client.peer = known
        self._clients[known] = client
        hosted = self._rooms[presence.members[known].room]
        client.room_name = hosted.name
        presence.reconnect(known)
        log.info(
            "%s is back at %s",
            loggable(join.name),
            client.door_name,
            extra=about(room=hosted.owner.name),
        )
        return hosted, Return()

    def _credential(self, client: Client, join: Join) -> Credential | None:
        """Return the credential by which a client is recognised when it reconnects.

        Return None for a client without token or name: nothing would distinguish it from others.
        """
        if client.token:
            return Credential(Proof.TOKEN, digest_token(client.token))
        if not join.name:
            return None
        if join.secret:
            return Credential(Proof.SECRET, self._digest(client.door_name, join.name, join.secret))
        return Credential(Proof.ADDRESS, self._digest(client.door_name, join.name, client.address))

    def _digest(self, *parts: str) -> str:
        """Return a hash that cannot be computed, or guessed at, without the server's secret."""
        return blake2b(
            msgspec.json.encode(parts), digest_size=32, key=self._server_secret
        ).hexdigest()

    def _keep_seat(self, client: Client, now: float) -> None:
        """Mark a player whose connection has ended as away, if its room keeps the seat."""
        hosted = self._room_of(client)
        name = self._presence.members[client.peer].name
        del self._clients[client.peer]
        self._presence.disconnect(client.peer)
        self._handle(hosted, client.peer, Away(client.return_seconds), now)
        if self._presence.is_lost(client.peer):
            log.info(
                "keeping %s's seat at %s for up to %g s",
                loggable(name),
                client.door_name,
                client.return_seconds,
                extra=about(room=hosted.owner.name),
            )

    # Rooms' reactions

    def _handle(self, hosted: HostedRoom, peer: Peer, request: Request[Any], now: float) -> bool:
        """Pass a request to a room and process its reaction. Return False if the room failed."""
        time = hosted.time(now)
        if hosted.room.deadline is not None and hosted.is_due(time):
            if not self._tick_room(hosted, now):
                return False
            if self._rooms.get(hosted.name) is not hosted:
                # The overdue deadline has closed the table, and moved its members elsewhere.
                return self._handle(self._room_instead_of(hosted, peer), peer, request, now)
        try:
            reaction = hosted.room.handle(peer, request, time)
        except MemoryError:
            raise  # Not an error of this room: it ends the process.
        except Exception:
            self._recover(hosted)
            return False
        if type(request) in NOTED_BY_PRESENCE:
            self._presence.note(hosted.name, peer, request, reaction)
        self._react(hosted, reaction, Entry(time, peer, request), now)
        return True

    def _room_instead_of(self, table: HostedRoom, peer: Peer) -> HostedRoom:
        """Return the room of a peer after its table was closed."""
        client = self._clients.get(peer)
        if client is None:
            return table.owner
        if client.room_name == table.name:
            client.room_name = table.owner.name
        return self._room_of(client)

    def _tick(self, hosted: HostedRoom, now: float) -> None:
        """Tick a room at its deadline. The deadline may have moved since the timer was set."""
        hosted.timer = None
        if hosted.is_due(hosted.time(now)):
            self._tick_room(hosted, now)
        else:
            self._set_timer(hosted)

    def _tick_room(self, hosted: HostedRoom, now: float) -> bool:
        time = hosted.time(now)
        try:
            reaction = hosted.room.tick(time)
        except MemoryError:
            raise
        except Exception:
            self._recover(hosted)
            return False
        self._react(hosted, reaction, Entry(time), now)
        return True

    def _react(
        self, hosted: HostedRoom, reaction: Reaction[Any], entry: Entry[Any], now: float
    ) -> None:
        """Journal an entry, and process the room's reaction to it."""
        batch = self._schedule()
        if reaction.changed:
            for record in reaction.records:
                hosted.counts.note_match(record)
            if hosted.journal_key is None:
                hosted.journal_key = self._journal.begin(hosted.spec)
            hosted.entries += 1
            self._journal.append(hosted.journal_key, hosted.codec.encode(entry), reaction.records)
        clients, deliveries = self._clients, batch.deliveries
        for delivery in reaction.deliveries:
            notice = delivery.notice
            if type(notice) is Closed:
                for peer in delivery.peers:
                    if self._presence.is_lost(peer):
                        was_kept = entry.peer != peer or type(entry.request) is not Away
                        self._note_given_up(hosted, peer, was_kept)
                    self._presence.forget(peer)
            for peer in delivery.peers:
                client = clients.get(peer)
                if client is not None:
                    prepared = client.prepare(notice)
                    if prepared is not None:
                        deliveries.append((client, prepared))
        self._note_change(hosted)
        if reaction.finished or reaction.records or reaction.log or reaction.reports:
            batch.reactions.append((hosted.owner, reaction))
        if reaction.occupancy is not None:
            self._update_lobby(hosted, reaction)
        if hosted.entries >= hosted.compact_at and reaction.changed and not reaction.room_is_empty:
            self._compact(hosted)
        if hosted.timer is not None or hosted.room.deadline is not None:
            self._set_timer(hosted)
        for number in reaction.tables_to_close:
            if number in hosted.tables:
                self._close_table(hosted.tables[number])
        for opening in reaction.tables_to_open:
            self._open_table(hosted, opening, now)
        for transfer in reaction.transfers:
            self._transfer(hosted.owner, transfer, now)

    def _note_change(self, hosted: HostedRoom) -> None:
        """Call the room's watchers after the next commit."""
        if hosted.owner.on_change:
            self._schedule().changed[hosted] = None

    def _compact(self, hosted: HostedRoom) -> None:
        """Replace the journal of a room by a shorter one that rebuilds the same room."""
        compaction = hosted.room.compact()
        if compaction is None:
            return
        hosted.set_compaction(len(compaction.entries))
        if 2 * len(compaction.entries) > hosted.entries:
            return
        if hosted.journal_key is not None:
            self._journal.close(hosted.journal_key)
        hosted.spec = msgspec.structs.replace(hosted.spec, drawn=compaction.drawn)
        hosted.journal_key = self._journal.begin(hosted.spec)
        for entry in compaction.entries:
            self._journal.append(hosted.journal_key, hosted.codec.encode(entry), ())
        hosted.entries = len(compaction.entries)

    def _update_lobby(self, hosted: HostedRoom, reaction: Reaction[Any] | None = None) -> None:
        """Update a table's lobby. Close the table if it is closed or, after a restart, empty.

        `reaction` is None after a restart or an error, when the table's state counts.
        """
        if hosted.lobby is None:
            return
        assert isinstance(hosted.lobby.room, Lobby)
        assert isinstance(hosted.room, Table)
        is_closed = reaction.room_is_empty if reaction else hosted.room.is_empty
        occupancy = None if is_closed else hosted.room.occupancy
        finished = reaction.finished if reaction else 0
        hosted.lobby.room.table_changed(hosted.table_number(), occupancy, finished)
        if is_closed:
            if reaction is None:
                self._presence.forget_room(hosted.name)
            self._close_table(hosted)

    def _close_table(self, hosted: HostedRoom) -> None:
        """Drop a table and its journal."""
        assert hosted.lobby is not None
        if self._rooms.get(hosted.name) is not hosted:
            # It is closed already: the transfers of a reaction may also close its table.
            return
        hosted.lobby.versions_before += hosted.view().version - hosted.first_version + 1
        del hosted.lobby.tables[hosted.table_number()], self._rooms[hosted.name]
        self.timers.set(hosted, None)
        self._note_change(hosted)
        if hosted.journal_key is not None:
            self._journal.close(hosted.journal_key)
            hosted.journal_key = None

    def _open_table(self, lobby: HostedRoom, opening: TableOpening, now: float) -> None:
        """Open a table, and move the members named in the opening from the lobby to it."""
        table = lobby.open_table(opening.number)
        self._add(table)
        for peer in opening.members:
            self._presence.forget(peer)
            if peer in self._clients:
                self._clients[peer].room_name = table.name
        if opening.request is not None:
            self._handle(table, NO_PEER, opening.request, now)

    def _transfer(self, lobby: HostedRoom, transfer: Transfer, now: float) -> None:
        """Move a peer to another room, and handle its request there."""
        peer, number, request = transfer
        if peer == NO_PEER:
            self._handle(lobby, peer, request, now)
            return
        client = self._clients.get(peer)
        if client is None:
            # After a restart: neither player of the table has reconnected.
            self._presence.forget(peer)
            return
        # If an overdue deadline has just closed the table, the lobby decides again.
        hosted = lobby if number is None else lobby.tables.get(number, lobby)
        if type(request) is not SpectatorChat:
            client.room_name = hosted.name
        if not self._handle(hosted, peer, request, now):
            self.close_client(client, REQUEST_FAILED)

    def _note_given_up(self, hosted: HostedRoom, peer: Peer, was_kept: bool) -> None:
        member = self._presence.members[peer]
        log.info(
            "%s has not reconnected to %s in time: its seat is free"
            if was_kept
            else "%s has left %s: there is no match for which to keep its seat",
            loggable(member.name),
            member.door,
            extra=about(room=hosted.owner.name),
        )

    def _set_timer(self, hosted: HostedRoom) -> None:
        deadline = hosted.deadline
        if deadline != hosted.timer:
            hosted.timer = deadline
            self.timers.set(hosted, deadline)

    def _recover(self, hosted: HostedRoom) -> None:
        """Rebuild a room that has just raised an exception from its journal.

        The request that failed is not in the journal, so it has no effect. If the room has no
        journal, or the journal causes an error again, the room is replaced by an empty one and its
        clients are disconnected.
        """
        log.exception("%s: the room failed", hosted.name, extra=about(room=hosted.owner.name))
        if isinstance(hosted.room, Lobby) and not hosted.room.has_journal:
            # Such a lobby derives its whole state from its tables.
            hosted.reset()
            for table in list(hosted.tables.values()):
                self._update_lobby(table)
            return
        now = self._now()
        time = hosted.time(now)
        hosted.versions_before += VERSIONS_SET_ASIDE
        try:
            stored = (
                self._journal.read(hosted.journal_key) if hosted.journal_key is not None else None
            )
        except JournalError:
            return  # The journal has failed, which ends the process.
        if stored is not None and hosted.try_rebuild(stored, time):
            log.warning("%s: rebuilt from its journal", hosted.name)
        else:
            log.error("%s: reset; its clients are disconnected", hosted.name)
            lost = hosted.room
            self._reset_room(hosted)
            if isinstance(lost, Table) and (request := lost.request_if_lost()) is not None:
                assert hosted.lobby is not None
                self._update_lobby(hosted)
                self._handle(hosted.lobby, NO_PEER, request, now)
                return
        hosted.set_clock(time, now)
        self._note_change(hosted)
        self._update_lobby(hosted)
        for table in list(hosted.tables.values()):
            self._update_lobby(table)
        self._set_timer(hosted)

    def _reset_room(self, hosted: HostedRoom) -> None:
        """Replace a room that cannot be rebuilt by an empty one, and disconnect its clients."""
        for table in list(hosted.tables.values()):
            self._reset_room(table)
            self._close_table(table)
        self._presence.forget_room(hosted.name)
        for client in [one for one in self._clients.values() if one.room_name == hosted.name]:
            self.close_client(client, "the room failed and was reset")
        if hosted.journal_key is not None:
            self._journal.close(hosted.journal_key)
        hosted.reset()

    # The turn of the event loop

    def _schedule(self) -> Batch:
        """Return the batch of this turn, which is committed at the end of the turn."""
        if self._batch is None:
            self._batch = Batch(monotonic())
            self._call_soon(self._end_turn)
        return self._batch

    def _end_turn(self) -> None:
        """Commit the batch of this turn. It is delivered when it is durable."""
        batch = self._batch
        if batch is None:
            return
        self._batch = None
        self._in_flight.append(batch)
        self._journal.commit(partial(self._release, batch))
        if batch.is_durable:
            # The journal has committed at once, and `_release` has run.
            return
        for _, hosted in batch.answered:
            hosted.counts.waiting_for_commit += 1
        if not self._is_overdue:
            self._check_later(SECONDS_UNTIL_OVERDUE)

    def _release(self, batch: Batch) -> None:
        """Deliver a durable batch, call the observers, and read the clients again."""
        batch.is_durable = True
        if self._is_abandoned:
            return
        self._in_flight.popleft()
        if self._is_overdue:
            self._update_overdue()
        for client, prepared in batch.deliveries:
            try:
                client.deliver(prepared)
            except MemoryError:
                raise
            except Exception:
                # An error of one client must not affect the others.
                log.exception("%s: a client failed", client.door_name)
        for hosted, reaction in batch.reactions:
            self._call_observers(hosted, reaction)
        for hosted in batch.changed:
            for call in hosted.owner.on_change:
                _call_observer(call, hosted.name)
        for view, show in batch.views:
            _call_observer(show, view)
        seconds = monotonic() - batch.began
        for hosted, count in Counter(hosted for _, hosted in batch.answered).items():
            hosted.counts.answers.add(seconds, count)
            hosted.counts.waiting_for_commit -= min(count, hosted.counts.waiting_for_commit)
        for client, _ in batch.answered:
            try:
                client.answered()
            except MemoryError:
                raise
            except Exception:
                log.exception("%s: a client failed", client.door_name)

    def _check_later(self, seconds: float) -> None:
        """Schedule a check for overdue commits, unless one is scheduled."""
        if not self._will_check:
            self._will_check = True
            self._call_later(seconds, self._check_overdue)

    def _check_overdue(self) -> None:
        self._will_check = False
        self._update_overdue()

    def _update_overdue(self) -> None:
        """Stop the clock while the oldest commit is overdue: players must not pay for the delay."""
        age = monotonic() - self._in_flight[0].began if self._in_flight else 0.0
        is_overdue = age >= SECONDS_UNTIL_OVERDUE
        if is_overdue is not self._is_overdue:
            self._is_overdue = is_overdue
            self._stop_clock(is_overdue)
        if self._in_flight and not is_overdue:
            self._check_later(SECONDS_UNTIL_OVERDUE - age)

    def _call_observers(self, hosted: HostedRoom, reaction: Reaction[Any]) -> None:
        """Call the observers. Their errors must not affect the player who moved (X-09)."""
        observer, name = self._observer, hosted.name
        for record in reaction.records:
            _call_observer(observer.match_ended, name, record)
        for line in reaction.log:
            _call_observer(observer.line_logged, name, line)
        for report in reaction.reports:
            _call_observer(observer.tournament_ended, name, report)
        if reaction.finished:
            for call in hosted.on_end:
                _call_observer(call)


def _call_observer(call: Callable[..., None], *arguments: object) -> None:
    """Call an observer, and log its error."""
    try:
        call(*arguments)
    except MemoryError:
        raise
    except Exception:
        log.exception("an observer failed")
