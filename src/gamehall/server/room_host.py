"""The pipeline between clients and rooms: decide, prepare, commit, deliver.

A request is decided by its room at once, and every notice that follows from it is prepared at once
by the clients that will hear it: sessions read their input against what they last sent. At the end
of the turn of the event loop everything that the rooms were told in it is committed to the journal
in one transaction. Only then is anything delivered, and only then may a client whose request was
answered be read again. Observers come after the players.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import monotonic
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import msgspec

from gamehall.core import SecretRandom, SeededRandom
from gamehall.rooms.counts import RoomCounts
from gamehall.rooms.journal import (
    Codec,
    Entry,
    Journal,
    JournalError,
    RoomKey,
    RoomSpec,
    StoredRoom,
    replay,
)
from gamehall.rooms.notices import Closed, Notice
from gamehall.rooms.presence import Identity, Presence
from gamehall.rooms.reaction import Peer, Reaction
from gamehall.rooms.report import TournamentReport
from gamehall.rooms.requests import (
    Chat,
    EndOfInput,
    Join,
    Leave,
    Lost,
    Request,
    Return,
    SpectatorChat,
)
from gamehall.rooms.room import Room
from gamehall.rooms.view import RoomView, view_later
from gamehall.server.logged import about, loggable
from gamehall.server.observer import Observer
from gamehall.server.timers import Timers

log = logging.getLogger(__name__)

ENTRIES_TO_DROP: Final = 1000
"""How many a journal must have before a quiet room is replaced by a fresh one to be rid of them."""

SECONDS_UNTIL_OVERDUE: Final = 0.05
"""When a commit takes longer than this, the clock stands until it is done."""

CHAT = (Chat, SpectatorChat)

Prepared: TypeAlias = object
"""What a client has made of a notice, to be delivered later."""


class Client(Protocol):
    """A connection, or somebody in this process who plays without one."""

    peer: Peer
    """Who it is. The host sets this, also when a player returns on a new connection."""
    room: str
    """The room that the host has connected it to."""
    door: str
    return_seconds: float
    """How long its seat is kept if its connection is lost; 0: not at all."""

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        """Make of a notice what is to be delivered; None if nothing is."""

    def deliver(self, prepared: Prepared) -> None:
        """What led to this is committed."""

    def answered(self) -> None:
        """The last request is committed, and everything is delivered: the next may be submitted."""


class HostedRoom:
    """A room, with what the host keeps beside it.

    The room has a clock of its own. After the room was restored, that stands still until everybody
    who can be recognised is here again or has been given up.
    """

    def __init__(
        self,
        name: str,
        make_room: Callable[[SeededRandom], Room[Any]],
        settings: bytes,
        codec: Codec[Any],
        seeds: Iterator[bytes],
    ) -> None:
        """`settings`: how the room is set, in writing. `seeds`: one for each fresh room."""
        self.name = name
        self.codec = codec
        self.presence = Presence()
        self.counts = RoomCounts()
        self.make_room = make_room
        self.timer: float | None = None
        """The deadline that the timers know."""
        self.tick: Callable[[float], None] = lambda _: None
        """What the timers call when it has come; the host sets it."""
        self.has_watchers = False
        self._settings = settings
        self._seeds = seeds
        self._behind = 0.0
        """How far the room's clock is behind the hall's."""
        self._stopped_at: float | None = None
        """What the room's clock shows while it stands still."""
        self._versions_before = 0
        self._report_before: TournamentReport | None = None
        self.begin()

    def begin(self) -> None:
        """Begin a fresh room, which has no journal until there is something to be journaled."""
        self.spec = RoomSpec(self.name, self._settings, next(self._seeds))
        self.key: RoomKey | None = None
        self.entries = 0
        """How many entries its journal has."""
        self.room: Room[Any] = self.make_room(SecretRandom(self.spec.seed))

    def replace(self) -> None:
        """Replace a room that nobody would miss by a fresh one."""
        last = self.view()
        self._versions_before = last.version + 1
        self._report_before = last.tournament.report if last.tournament else None
        self.begin()

    def rebuild(self, stored: StoredRoom) -> list[Entry[Any]]:
        """Rebuild the room from its journal, and return that. Raises JournalError."""
        try:
            entries = [self.codec.decode(content) for content in stored.entries]
        except msgspec.DecodeError as error:
            raise JournalError(
                f"the journal of the room {self.name} cannot be read: {error}."
                " Restore a backup, or drop the games in play with --fresh"
            ) from None
        self.spec, self.key, self.entries = stored.spec, stored.key, len(entries)
        self.presence = Presence()
        self.room = self.make_room(SecretRandom(stored.spec.seed))
        self._stopped_at = replay(self.room, self.presence, entries)
        return entries

    def fits(self, spec: RoomSpec) -> bool:
        """Return True if a stored room has the settings of this one."""
        return spec.settings == self._settings

    def time(self, now: float) -> float:
        """Return what the room's clock shows."""
        return now - self._behind if self._stopped_at is None else self._stopped_at

    def start_clock(self, now: float) -> None:
        """Set the room's clock going again, if it stands and no lost player is waited for."""
        if self._stopped_at is not None and not self.presence.is_waiting:
            self._behind = now - self._stopped_at
            self._stopped_at = None
            self._versions_before += 1

    def resume_clock(self, time: float, now: float) -> None:
        """Have the room's clock go on from `time`."""
        self._behind, self._stopped_at = now - time, None

    @property
    def is_stopped(self) -> bool:
        """Return True while the room's clock stands."""
        return self._stopped_at is not None

    def is_due(self, now: float) -> bool:
        """Return True if the room wants `tick` to be called."""
        due = self.room.deadline
        return due is not None and self._stopped_at is None and now - self._behind >= due

    @property
    def deadline(self) -> float | None:
        """When the room is due, or a lost player is given up, by the hall's clock."""
        given_up = self.presence.deadline if self.presence.is_waiting else None
        due = self.room.deadline
        if due is None or self._stopped_at is not None:
            return given_up
        due += self._behind
        return due if given_up is None else min(due, given_up)

    def view(self) -> RoomView[Any]:
        """Return what an observer can see now, by the hall's clock."""
        behind = self._behind if self._stopped_at is None else None
        return view_later(self.room.view(), behind, self._versions_before, self._report_before)


class Batch:
    """What one turn of the event loop has decided, to be delivered when it is durable."""

    __slots__ = ("answered", "began", "deliveries", "reactions", "views")

    def __init__(self) -> None:
        self.began = monotonic()
        self.deliveries: list[tuple[Client, Prepared]] = []
        self.answered: list[tuple[Client, HostedRoom]] = []
        self.reactions: list[tuple[HostedRoom, Reaction[Any]]] = []
        self.views: list[tuple[RoomView[Any], Callable[[RoomView[Any]], None]]] = []


class Watchers(NamedTuple):
    """What is called after each change of a room, and after each match or tournament in it."""

    changed: list[Callable[[], None]]
    ended: list[Callable[[], None]]


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
    ) -> None:
        """`call_soon` and `call_later` are those of the event loop.

        `stop_clock` is called with True when a commit is overdue, with False when it is done.
        Raises JournalError.
        """
        self.timers = timers
        self._now = timers.clock
        self._call_soon = call_soon
        self._call_later = call_later
        self._journal = journal
        self._observer = observer
        self._stop_clock = stop_clock
        self._stored = journal.restore()
        self._rooms: dict[str, HostedRoom] = {}
        self._watchers: dict[str, Watchers] = {}
        self._clients: dict[Peer, Client] = {}
        self._last_peer = 0
        self._batch: Batch | None = None
        """What this turn of the event loop has decided so far, None if nothing yet."""
        self._in_flight: deque[float] = deque()
        """When the commit of each batch that is not durable yet began, the oldest first."""
        self._is_overdue = False
        """Whether the clock stands because a commit is overdue."""
        self._is_closed = False

    # Rooms

    def open_room(self, hosted: HostedRoom, seconds_to_return: float) -> None:
        """Add a room, and restore it if it has a journal. Raises JournalError.

        The players of a restored room have `seconds_to_return` to come back.
        """
        self._rooms[hosted.name] = hosted
        hosted.tick = partial(self._tick, hosted)
        self._watchers[hosted.name] = Watchers([], [])
        stored = [one for one in self._stored if one.spec.room == hosted.name]
        fitting = [one for one in stored if hosted.fits(one.spec)]
        if fitting:
            message = self._restore(hosted, fitting[-1], seconds_to_return)
        else:
            # A room with other settings keeps its journal until it is opened with them again.
            message = "begins anew: it has other settings than when it was last in use"
        if stored and message:
            log.warning("%s: %s", hosted.name, message, extra=about(room=hosted.name))
        self._set_timer(hosted)

    def _restore(self, hosted: HostedRoom, stored: StoredRoom, seconds: float) -> str | None:
        """Restore a room. Return a message for the log, None if there was nothing to restore."""
        entries = hosted.rebuild(stored)
        now, room, known = self._now(), hosted.room, hosted.presence.known
        peers = {entry.peer for entry in entries if entry.peer is not None}
        self._last_peer = max(self._last_peer, *peers, 0)
        if not room.is_worth_restoring:
            self._journal.close(stored.key)
            hosted.presence = Presence()
            hosted.begin()
            hosted.start_clock(now)
            self._schedule()
            return None
        was_over = room.is_over
        for peer in list(known):
            hosted.presence.lose(peer, now + seconds)
        gone = {entry.peer for entry in entries if isinstance(entry.request, Leave | Lost)}
        for peer in sorted(peers - known.keys() - gone):
            self._handle(hosted, peer, "", Lost(), now)
        hosted.start_clock(now)
        if was_over:
            return "shows how its last match has ended"
        return f"restored; waiting for {len(known)} players to reconnect"

    def room_names(self) -> list[str]:
        """Return the names of all rooms."""
        return list(self._rooms)

    def counts(self, room: str) -> RoomCounts:
        """Return what is counted about a room."""
        return self._rooms[room].counts

    def is_over(self) -> bool:
        """Return True if nothing is going on that a restarted server would have to continue."""
        is_idle = self._batch is None and not self._in_flight
        return is_idle and all(hosted.room.is_over for hosted in self._rooms.values())

    def waiting_players(self, room: str) -> Sequence[str]:
        """Return the names of the players who wait for an opponent, "" for one without a name."""
        hosted = self._rooms[room]
        return () if hosted.is_stopped else hosted.room.waiting_players

    # Observers

    def view(self, room: str, call: Callable[[RoomView[Any]], None]) -> None:
        """Call with what an observer can see of a room now, as soon as that is durable."""
        seen = self._rooms[room].view()
        if self._batch is None and not self._in_flight:
            call(seen)
        else:
            self._schedule().views.append((seen, call))

    def after_each_change(self, room: str, call: Callable[[], None]) -> None:
        """Call whenever something may have changed in a room, and is durable."""
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

    def submit(self, client: Client, request: Request[Any]) -> None:
        """Have a request of a client decided. `client.answered` is called when it is committed."""
        if self._is_closed:
            return
        hosted = self._rooms[client.room]
        now = self._now()
        if type(request) is Join:
            request = self._identify(hosted, client, request, now)
        elif (
            type(request) is EndOfInput
            and client.return_seconds
            and hosted.presence.has_seat(client.peer)
        ):
            # Where seats are kept, it does not matter how a connection ends.
            self._keep_seat(hosted, client, now)
            self.say(client, client.prepare(Closed("hung up", is_expected=True)))
            self._schedule().answered.append((client, hosted))
            return
        if not self._handle(hosted, client.peer, client.door, request, now):
            self.say(client, client.prepare(Closed("the server failed to handle a request")))
        self._schedule().answered.append((client, hosted))

    def say(self, client: Client, prepared: Prepared | None) -> None:
        """Deliver something that no room has said, after everything that was decided before it."""
        if prepared is None:
            return
        if self._is_closed and not self._in_flight:
            client.deliver(prepared)
        else:
            self._schedule().deliveries.append((client, prepared))

    def disconnect(self, client: Client) -> None:
        """The connection to a client is gone: it has left, unless its seat is kept for a while."""
        if self._clients.get(client.peer) is not client:
            return
        hosted, now = self._rooms[client.room], self._now()
        if self._is_closed:
            del self._clients[client.peer]
        elif client.return_seconds and client.peer in hosted.presence.known:
            self._keep_seat(hosted, client, now)
        else:
            del self._clients[client.peer]
            self._handle(hosted, client.peer, "", Leave(None), now)

    def close(self) -> None:
        """Stop: rooms hear nothing more, neither of those who leave nor of time."""
        self._is_closed = True
        for hosted in self._rooms.values():
            self.timers.set(hosted, None)
        self._end_turn()

    def _identify(
        self, hosted: HostedRoom, client: Client, request: Join, now: float
    ) -> Request[Any]:
        """Let a client return to the seat of a lost player, if it is that player."""
        presence = hosted.presence
        if client.peer in presence.known or not presence.is_waiting:
            return request
        lost = presence.find(Identity(client.door, request.name, request.secret))
        if lost is None:
            return request
        del self._clients[client.peer]
        client.peer = lost
        self._clients[lost] = client
        presence.welcome_back(lost)
        hosted.start_clock(now)
        log.info(
            "%s is back at %s",
            loggable(request.name),
            client.door,
            extra=about(room=hosted.name),
        )
        return Return()

    def _keep_seat(self, hosted: HostedRoom, client: Client, now: float) -> None:
        """Wait for a player whose connection has ended."""
        del self._clients[client.peer]
        hosted.presence.lose(client.peer, now + client.return_seconds)
        log.info(
            "keeping %s's seat at %s for %g s",
            loggable(hosted.presence.known[client.peer].name),
            client.door,
            client.return_seconds,
            extra=about(room=hosted.name),
        )
        self._set_timer(hosted)

    # What rooms decide

    def _handle(
        self, hosted: HostedRoom, peer: Peer, door: str, request: Request[Any], now: float
    ) -> bool:
        """Have a request decided, and prepare what follows. Return False if the room failed."""
        if hosted.is_due(now) and not self._tick_room(hosted, now):
            return False
        self._drop_journal_if_fresh(hosted, request, now)
        # A clock that stands must not keep anybody from talking.
        time = now if isinstance(request, CHAT) else hosted.time(now)
        try:
            reaction = hosted.room.handle(peer, request, time)
        except Exception:
            log.exception("%s: the room failed", hosted.name, extra=about(room=hosted.name))
            self._recover(hosted)
            return False
        if type(request) is Join or type(request) is Leave:
            hosted.presence.note(peer, door, request, reaction)
        self._react(hosted, reaction, Entry(time, peer, request, door))
        return True

    def _tick(self, hosted: HostedRoom, now: float) -> None:
        """A deadline of a room, or of a lost player, has come."""
        hosted.timer = None
        for peer in hosted.presence.expired(now):
            lost = hosted.presence.known.get(peer)
            # Another who left may have sent this one away.
            if lost is not None:
                log.info(
                    "%s has not come back to %s: its seat is free",
                    loggable(lost.name),
                    lost.door,
                    extra=about(room=hosted.name),
                )
            self._handle(hosted, peer, "", Leave(None), now)
        hosted.start_clock(now)
        if hosted.is_due(now):
            self._tick_room(hosted, now)
        self._set_timer(hosted)

    def _tick_room(self, hosted: HostedRoom, now: float) -> bool:
        time = hosted.time(now)
        try:
            reaction = hosted.room.tick(time)
        except Exception:
            log.exception("%s: the room failed", hosted.name, extra=about(room=hosted.name))
            self._recover(hosted)
            return False
        self._react(hosted, reaction, Entry(time))
        return True

    def _react(self, hosted: HostedRoom, reaction: Reaction[Any], entry: Entry[Any]) -> None:
        """Journal what a room was told, and prepare what it answers."""
        batch = self._batch or self._schedule()
        if reaction.records:
            for record in reaction.records:
                hosted.counts.matches[record.result.ending.value] += 1
                hosted.counts.moves += len(record.moves)
        if reaction.changed:
            if hosted.key is None:
                hosted.key = self._journal.begin(hosted.spec)
            hosted.entries += 1
            self._journal.append(hosted.key, hosted.codec.encode(entry), reaction.records)
        clients, deliveries = self._clients, batch.deliveries
        for delivery in reaction.deliveries:
            notice = delivery.notice
            if type(notice) is Closed:
                for peer in delivery.peers:
                    hosted.presence.forget(peer)
            for peer in delivery.peers:
                client = clients.get(peer)
                if client is not None:
                    prepared = client.prepare(notice)
                    if prepared is not None:
                        deliveries.append((client, prepared))
        if (
            hosted.has_watchers
            or reaction.finished
            or reaction.records
            or reaction.log
            or reaction.reports
        ):
            batch.reactions.append((hosted, reaction))
        if hosted.is_stopped:
            # A player who was waited for may have been sent away.
            hosted.start_clock(self._now())
        if hosted.entries >= ENTRIES_TO_DROP and hosted.room.is_quiet:
            self._drop_journal(hosted)
        self._set_timer(hosted)

    def _set_timer(self, hosted: HostedRoom) -> None:
        deadline = hosted.deadline
        if deadline != hosted.timer:
            hosted.timer = deadline
            self.timers.set(hosted, deadline)

    def _drop_journal_if_fresh(self, hosted: HostedRoom, request: Request[Any], now: float) -> None:
        """Begin a fresh room before a request to which that would react the same."""
        if hosted.entries >= ENTRIES_TO_DROP and hosted.room.begins_afresh(
            request, hosted.time(now)
        ):
            self._drop_journal(hosted)

    def _drop_journal(self, hosted: HostedRoom) -> None:
        """Replace a room that nobody would miss by a fresh one, and drop its journal."""
        if hosted.key is None or hosted.presence.is_waiting:
            return
        self._journal.close(hosted.key)
        hosted.replace()

    def _recover(self, hosted: HostedRoom) -> None:
        """Rebuild a room that has raised an exception, as its journal has it.

        What it was doing when it failed is not in the journal, so it is as if it had never been
        asked. A room without a journal, or whose journal leads to the same error, begins anew, and
        everybody in it is disconnected.
        """
        failed, presence = hosted.time(self._now()), hosted.presence
        stored = self._journal.read(hosted.key) if hosted.key is not None else None
        if stored is not None and _can_rebuild(hosted, stored, failed):
            # Who is lost is not in the journal; the room's failure does not concern it.
            hosted.presence = presence
            log.warning("%s: rebuilt from its journal", hosted.name, extra=about(room=hosted.name))
        else:
            log.error("%s: the room begins anew", hosted.name, extra=about(room=hosted.name))
            self._begin_anew(hosted)
        hosted.resume_clock(failed, self._now())
        self._set_timer(hosted)

    def _begin_anew(self, hosted: HostedRoom) -> None:
        """Begin a fresh room instead of one that cannot be rebuilt, and disconnect everybody."""
        for client in [one for one in self._clients.values() if one.room == hosted.name]:
            self.say(client, client.prepare(Closed("the room failed, and begins anew")))
        if hosted.key is not None:
            self._journal.close(hosted.key)
        hosted.presence = Presence()
        hosted.replace()

    # The turn of the event loop

    def _schedule(self) -> Batch:
        """Return what this turn decides, to be committed at its end."""
        if self._batch is None:
            self._batch = Batch()
            self._call_soon(self._end_turn)
        return self._batch

    def _end_turn(self) -> None:
        """Commit what this turn has decided, and deliver it when that is durable."""
        batch = self._batch
        if batch is None:
            return
        self._batch = None
        self._in_flight.append(batch.began)
        self._journal.commit(partial(self._release, batch))
        if len(self._in_flight) == 1:
            self._call_later(SECONDS_UNTIL_OVERDUE, self._check_overdue)

    def _release(self, batch: Batch) -> None:
        """A batch is durable: deliver it, tell the observers, and let clients go on."""
        self._in_flight.popleft()
        if self._is_overdue:
            self._check_overdue()
        for client, prepared in batch.deliveries:
            client.deliver(prepared)
        for hosted, reaction in batch.reactions:
            self._tell_observers(hosted, reaction)
        for view, call in batch.views:
            _guarded(partial(call, view))
        seconds = monotonic() - batch.began
        for client, hosted in batch.answered:
            hosted.counts.answers.add(seconds)
            client.answered()

    def _check_overdue(self) -> None:
        """Stop the clock while the oldest commit is overdue: that time is not the players'."""
        age = monotonic() - self._in_flight[0] if self._in_flight else 0.0
        is_overdue = age >= SECONDS_UNTIL_OVERDUE
        if is_overdue is not self._is_overdue:
            self._is_overdue = is_overdue
            self._stop_clock(is_overdue)
        if self._in_flight and not is_overdue:
            self._call_later(SECONDS_UNTIL_OVERDUE - age, self._check_overdue)

    def _tell_observers(self, hosted: HostedRoom, reaction: Reaction[Any]) -> None:
        """Tell observers. Their errors must not affect the player whose move it was (X-09)."""
        name, observer = hosted.name, self._observer
        for record in reaction.records:
            _guarded(partial(observer.match_ended, name, record))
        for line in reaction.log:
            _guarded(partial(observer.noted, name, line))
        for report in reaction.reports:
            _guarded(partial(observer.tournament_ended, name, report))
        watchers = self._watchers[name]
        if reaction.finished:
            for call in watchers.ended:
                _guarded(call)
        for call in watchers.changed:
            _guarded(call)


def _can_rebuild(hosted: HostedRoom, stored: StoredRoom, time: float) -> bool:
    """Rebuild a room. Return False if it fails again, also at a deadline that has passed."""
    try:
        hosted.rebuild(stored)
        if hosted.room.deadline is not None and hosted.room.deadline <= time:
            hosted.room.tick(time)
            hosted.rebuild(stored)
    except Exception:
        log.exception("%s: cannot be rebuilt", hosted.name, extra=about(room=hosted.name))
        return False
    return True


def _guarded(call: Callable[[], None]) -> None:
    """Call an observer; log its error, which is not a player's."""
    try:
        call()
    except Exception:
        log.exception("an observer failed")
