"""A RoomHost without sockets, with a journal in memory. Tests move the clock and end turns."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self, TypeVar, cast

import msgspec

from gamehall.core import SeededRandom
from gamehall.match import Record
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.journal import RoomKey, RoomSpec, StoredRoom
from gamehall.rooms.notices import Closed, Notice
from gamehall.rooms.requests import Join, Request
from gamehall.rooms.room import Codec, Entry, Peer, Room
from gamehall.rooms.secrets import room_secrets
from gamehall.rooms.view import RoomView
from gamehall.server.hosted_room import HostedRoom
from gamehall.server.room_host import Prepared, RoomHost
from gamehall.server.timers import Timers
from gamehall.wire.settings import read_settings, room_terms
from tests.support.event_loop import set_no_timer
from tests.support.journal_changes import Append, Begin, Change, Close
from tests.support.observers import RecordingObserver

NoticeT = TypeVar("NoticeT")

MakeRoom = Callable[[SeededRandom], Room[Any]]


class MemoryJournal:
    """A journal in memory. While `is_stuck` is set, commits wait for `release`."""

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self.changes: list[Change] = list(changes)
        self.commits = 0
        self.is_stuck = False
        self._durable_changes = len(self.changes)
        self._in_flight: deque[tuple[int, Callable[[], None]]] = deque()
        self._last_key = max((change.key for change in self.changes), default=0)

    @property
    def records(self) -> list[Record]:
        appended = [change for change in self.changes if isinstance(change, Append)]
        return [record for change in appended for record in change.records]

    @property
    def length(self) -> int:
        """The number of entries appended."""
        return sum(isinstance(change, Append) for change in self.changes)

    @property
    def rooms(self) -> dict[str, StoredRoom]:
        """The rooms that are not closed, by name, including entries not committed yet."""
        return {stored.spec.room: stored for stored in self._rooms()}

    def _rooms(self) -> list[StoredRoom]:
        rooms: dict[RoomKey, StoredRoom] = {}
        for change in self.changes:
            match change:
                case Begin(key, spec):
                    rooms[key] = StoredRoom(key, spec, [])
                case Append(key, entry):
                    rooms[key].entries.append(entry)
                case Close(key):
                    del rooms[key]
        return list(rooms.values())

    def after_a_crash(self) -> "MemoryJournal":
        """Return a journal with the changes that were durable."""
        return MemoryJournal(self.changes[: self._durable_changes])

    def release(self, commits: int | None = None) -> None:
        """Make the oldest commits durable, by default all."""
        for _ in range(len(self._in_flight) if commits is None else commits):
            self._durable_changes, durable = self._in_flight.popleft()
            durable()

    def begin(self, spec: RoomSpec) -> RoomKey:
        self._last_key += 1
        key = RoomKey(self._last_key)
        self.changes.append(Begin(key, spec))
        return key

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        self.changes.append(Append(key, entry, tuple(records)))

    def close(self, key: RoomKey) -> None:
        self.changes.append(Close(key))

    def commit(self, durable: Callable[[], None]) -> None:
        self.commits += 1
        self._in_flight.append((len(self.changes), durable))
        if not self.is_stuck:
            self.release()

    def restore(self) -> list[StoredRoom]:
        return self._rooms()

    def read(self, key: RoomKey) -> StoredRoom | None:
        return next((stored for stored in self._rooms() if stored.key == key), None)


KEY = bytes(range(32))


class HostedClient:
    """A client that keeps the notices it receives."""

    def __init__(self, who: str, door: str, return_seconds: float, happened: list[Any]) -> None:
        """`happened` is a list to which the client adds deliveries and answers."""
        self.peer = Peer(0)
        self.room_name = ""
        self.door_name = door
        self.address = "127.0.0.1"
        self.token = ""
        self.return_seconds = return_seconds
        self.prepared: list[Notice[Any]] = []
        self.received: list[Notice[Any]] = []
        self.ignored: list[Notice[Any]] = []
        """Notices after the client was closed."""
        self.answers = 0
        self.when_prepared: Callable[[Notice[Any]], object] = lambda _: None
        self.when_delivered: Callable[[], None] = lambda: None
        self.when_answered: Callable[[], None] = lambda: None
        """Callbacks for notices prepared and delivered, and for answered requests."""
        self._who = who
        self._is_closed = False
        self._happened = happened

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        if self._is_closed:
            self.ignored.append(notice)
            return None
        self._is_closed = isinstance(notice, Closed)
        self.prepared.append(notice)
        self.when_prepared(notice)
        return notice

    def deliver(self, prepared: Prepared) -> None:
        self.when_delivered()
        notice = cast("Notice[Any]", prepared)
        self.received.append(notice)
        self._happened.append((self._who, type(notice)))

    def answered(self) -> None:
        self.answers += 1
        self._happened.append((self._who, "answered"))
        self.when_answered()


class Hosted:
    """The room of a door in a host. Clients have names, and connect at their first request."""

    def __init__(
        self,
        door: str = "tttp",
        journal: MemoryJournal | None = None,
        now: float = 100.0,
        make_room: MakeRoom | None = None,
        return_seconds: float = 0.0,
        seconds_to_return: float = 60.0,
        **settings: str,
    ) -> None:
        """Open the room, or restore it from the journal.

        Args:
            make_room: makes the room instead of the door's protocol.
            return_seconds: how long the seats of disconnected clients are kept.
            seconds_to_return: how long the seats of the players of restored rooms are kept.
        """
        self.now = now
        self.journal = journal or MemoryJournal()
        self.observer = RecordingObserver()
        self.happened: list[Any] = []
        """All deliveries and answers of clients, in order."""
        self.turn: list[Callable[[], None]] = []
        """Callbacks for the end of the current turn of the event loop."""
        self.later: list[tuple[float, Callable[[], None]]] = []
        """Callbacks of the host, and after how many seconds they are due."""
        self.clock_stops: list[bool] = []
        """The arguments of the host's calls to stop the clock or let it run."""
        self.clients: dict[str, HostedClient] = {}
        self._arguments: dict[str, Any] = {
            "door": door,
            "make_room": make_room,
            "return_seconds": return_seconds,
            "seconds_to_return": seconds_to_return,
            **settings,
        }
        self._return_seconds = return_seconds
        protocol = all_protocols()[door]
        named = {name.replace("_", "-"): value for name, value in settings.items()}
        read = read_settings(protocol.settings, named, door)
        self.codec: Codec[Any] = Codec(protocol.moves)
        self.room = HostedRoom(
            door,
            make_room or partial(protocol.room, read),
            msgspec.json.encode(room_terms(read)),
            self.codec,
            room_secrets(len(self.journal.changes), door),
            server_secret=KEY,
        )
        self.host = RoomHost(
            Timers(lambda: self.now, set_no_timer),
            self.turn.append,
            lambda seconds, call: self.later.append((seconds, call)),
            self.journal,
            self.observer,
            self.clock_stops.append,
            server_secret=KEY,
        )
        self.host.open_room(self.room, seconds_to_return)
        self.settle()

    def restart(self, now: float = 1000.0, **changes: Any) -> "Hosted":
        """Return a host that has restored the room after a crash, with some changed arguments."""
        journal = self.journal.after_a_crash()
        return Hosted(journal=journal, now=now, **{**self._arguments, **changes})

    def client(self, who: str, address: str = "127.0.0.1", token: str = "") -> HostedClient:
        """Return the client of this name. Connect it if it is new."""
        if who not in self.clients:
            client = HostedClient(who, self.room.name, self._return_seconds, self.happened)
            client.address, client.token = address, token
            self.clients[who] = client
            self.host.connect(client, self.room.name)
        return self.clients[who]

    def submit(self, who: str, request: Request[Any]) -> None:
        """Submit a request in the current turn of the event loop."""
        self.host.submit(self.client(who), request)

    def end_turn(self) -> None:
        turn, self.turn[:] = list(self.turn), []
        for call in turn:
            call()

    def settle(self) -> None:
        """End turns of the event loop until nothing is left to do."""
        while self.turn:
            self.end_turn()

    def ask(self, who: str, request: Request[Any]) -> list[Notice[Any]]:
        """Submit a request and settle. Return the notices that the client receives."""
        client = self.client(who)
        known = len(client.received)
        self.submit(who, request)
        self.settle()
        return client.received[known:]

    def disconnect(self, who: str) -> None:
        self.host.disconnect(self.clients.pop(who))
        self.settle()

    def wait(self, seconds: float) -> None:
        """Move the clock and run the timers once."""
        self.now += seconds
        self.host.timers.run_due()
        self.settle()

    def take(self, who: str) -> list[type]:
        """Return the types of the notices that a client has received since the last call."""
        client = self.client(who)
        kinds = [type(notice) for notice in client.received]
        client.received.clear()
        return kinds

    def seat_two(self) -> Self:
        """Seat Ann and Bob at a table, and forget the notices. Return the host."""
        for who in ("ann", "bob"):
            self.ask(who, Join(who))
        self.forget()
        return self

    def forget(self) -> None:
        self.happened.clear()
        for client in self.clients.values():
            client.received.clear()
            client.prepared.clear()
            client.answers = 0

    def view(self) -> RoomView[Any]:
        return whole_view(self.room)

    def entries(self, room: str) -> list[Entry[Any]]:
        """Return the journal entries of a room."""
        return [self.codec.decode(entry) for entry in self.journal.rooms[room].entries]


def whole_view(room: HostedRoom) -> RoomView[Any]:
    """Return the combined view of a room and all its tables."""
    view, tables = room.view(), [table for _, table in sorted(room.tables.items())]
    views = [table.view() for table in tables]
    firsts = [table.first_version for table in tables]
    return msgspec.structs.replace(
        view,
        version=view.version + sum(one.version for one in views) - sum(firsts),
        tables=view.tables + tuple(table for one in views for table in one.tables),
        waiting=view.waiting + tuple(name for one in views for name in one.waiting),
        tournament=next((one.tournament for one in views if one.tournament), None),
    )


def only(notices: Sequence[object], kind: type[NoticeT]) -> NoticeT:
    """Return the one notice of this kind."""
    [found] = [notice for notice in notices if isinstance(notice, kind)]
    return found
