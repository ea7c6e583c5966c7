"""A server without sockets, with sessions, the host and a room, and a clock set by the test."""

from collections import deque
from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any

from gamehall.core import SeededRandom
from gamehall.match import Record
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.journal import NoJournal
from gamehall.rooms.notices import Notice
from gamehall.rooms.requests import Request
from gamehall.rooms.room import Codec, LogLine, Peer, Room
from gamehall.rooms.view import TournamentReport
from gamehall.server.hosted_room import HostedRoom
from gamehall.server.room_host import Prepared, RoomHost
from gamehall.server.timers import Timers
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import Session
from gamehall.wire.settings import read_settings
from tests.support.event_loop import set_no_timer
from tests.support.observers import RecordingObserver


class SessionClient:
    """A session as a client of the host. It keeps what it is sent."""

    def __init__(
        self,
        host: RoomHost,
        door: str,
        session: Session[Any, Any],
        ready: "deque[SessionClient]",
    ) -> None:
        """`ready` is the queue of clients that may have a request."""
        self.peer = Peer(0)
        self.room_name = ""
        self.door_name = door
        self.address = "127.0.0.1"
        self.token = ""
        self.return_seconds = 0.0
        self.session = session
        self.sent = b""
        self.is_waiting = False
        self._is_woken = False
        """Whether it is submitting requests that it had to defer."""
        self._host = host
        self._ready = ready

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        return None if self.session.closed else self.session.send(notice)

    def deliver(self, prepared: Prepared) -> None:
        assert isinstance(prepared, bytes)
        self.sent += prepared
        if self.session.has_deferred_input:
            self.session.has_deferred_input = False
            self._is_woken = True
            self._ready.appendleft(self)

    def answered(self) -> None:
        self.is_waiting = False
        if self._is_woken:
            # Deferred requests come before those of other clients. Otherwise the order would
            # depend on how the clients' streams are split.
            self._ready.appendleft(self)
        else:
            self._ready.append(self)

    def receive(self, data: bytes, now: float) -> None:
        self.session.receive_data(data, now)
        self.work()

    def work(self) -> None:
        """Submit the next request if the last one was answered."""
        if self.is_waiting:
            return
        request = self.session.next_request()
        self._host.enqueue(self, self.session.pending_output)
        self.session.pending_output = b""
        if request is None:
            self._is_woken = False
        else:
            self.is_waiting = True
            self.submit(request)

    def submit(self, request: Request[Any]) -> None:
        self._host.submit(self, request)


class MemoryStage:
    """Plays a scene in memory. Clients' messages are split into chunks of `chunk` bytes."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: Mapping[str, str],
        chunk: int,
        doors: Mapping[str, str] | None = None,
        seed: int = 1,
    ) -> None:
        """Open a room.

        Args:
            doors: the protocols of clients that join the same room through another door.
        """
        read = read_settings(protocol.settings, settings, protocol.name)
        self.now = 1000.0
        self.observer = RecordingObserver()
        self.finished = 0
        """The number of matches or tournaments that have ended."""
        self._ready: deque[SessionClient] = deque()
        self._turn: list[Callable[[], None]] = []
        """Callbacks for the end of the current turn of a simulated event loop."""
        self.hosted = HostedRoom(
            protocol.name,
            lambda _: protocol.room(read, SeededRandom(seed)),
            b"",
            Codec(protocol.moves),
            repeat(bytes(32)),
        )
        self.host = RoomHost(
            Timers(lambda: self.now, set_no_timer),
            self._turn.append,
            set_no_timer,
            NoJournal(),
            self.observer,
        )
        self.host.open_room(self.hosted, 0)
        self.host.after_each_end(protocol.name, self._note_end)
        self._door = protocol.name
        self._open_session = protocol.sessions(read)
        self._open_others = {
            who: other.sessions(other.settings())
            for who, door in (doors or {}).items()
            if (other := all_protocols()[door]) is not protocol
        }
        self._chunk = chunk
        self._clients: dict[str, SessionClient] = {}

    @property
    def room(self) -> Room[Any]:
        return self.hosted.room

    @property
    def records(self) -> list[Record]:
        return self.observer.records

    def take_reports(self) -> list[TournamentReport]:
        """Return the reports since the last call."""
        reports, self.observer.reports = self.observer.reports, []
        return reports

    def take_log(self) -> list[LogLine]:
        """Return the log lines since the last call."""
        log, self.observer.log = self.observer.log, []
        return log

    def send(self, who: str, message: bytes) -> None:
        client = self._client(who)
        for start in range(0, len(message), self._chunk):
            self._receive(client, message[start : start + self._chunk])

    def hang_up(self, who: str) -> None:
        self._receive(self._client(who), b"")

    def reset(self, who: str) -> None:
        self.host.disconnect(self._clients.pop(who))
        self._settle()

    def wait(self, seconds: float) -> None:
        """Move the clock, and run the timers at each deadline on the way."""
        end = self.now + seconds
        while (due := self._next_deadline()) is not None and due <= end:
            self.now = max(self.now, due)
            self._tick()
        self.now = end
        self._tick()

    def _next_deadline(self) -> float | None:
        host = self.host.timers.next_deadline()
        deadlines = [host, *(client.session.deadline for client in self._clients.values())]
        return min((due for due in deadlines if due is not None), default=None)

    def _tick(self) -> None:
        self.host.timers.run_due()
        self._settle()
        for client in list(self._clients.values()):
            client.session.tick(self.now)
            client.work()
            self._settle()

    def read(self, who: str, length: int) -> bytes:
        client = self._client(who)
        message, client.sent = client.sent[:length], client.sent[length:]
        return message

    def is_closed(self, who: str) -> bool:
        return self._client(who).session.closed

    def unread(self) -> dict[str, bytes]:
        return {who: client.sent for who, client in self._clients.items() if client.sent}

    def _client(self, who: str) -> SessionClient:
        if who not in self._clients:
            session = self._open_others.get(who, self._open_session)(self.now)
            client = self._clients[who] = self._new_client(who, session)
            self.host.connect(client, self._door)
            client.work()
            self._settle()
        return self._clients[who]

    def _new_client(self, who: str, session: Session[Any, Any]) -> SessionClient:
        """Return a new client, which is not connected yet."""
        return SessionClient(self.host, self._door, session, self._ready)

    def _receive(self, client: SessionClient, data: bytes) -> None:
        client.receive(data, self.now)
        self._settle()

    def _settle(self) -> None:
        """Run turns of the event loop until nothing is left to do."""
        while self._turn or self._ready:
            turn, self._turn[:] = list(self._turn), []
            for call in turn:
                call()
            if not turn:
                self._ready.popleft().work()

    def _note_end(self) -> None:
        self.finished += 1
