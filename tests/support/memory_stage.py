"""A hall without sockets: sessions and a room, and a clock that moves when told."""

from collections.abc import Mapping
from typing import Any

from gamehall.core import SeededRandom
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.requests import Leave
from gamehall.rooms.room import Delivery, Peer
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.session import Session
from gamehall.wire.settings import read_settings


class MemoryStage:
    """Plays a scene in memory. What is sent is cut into chunks of at most `chunk` bytes."""

    def __init__(
        self,
        protocol: AnyProtocol,
        settings: Mapping[str, str],
        chunk: int,
        doors: Mapping[str, str] | None = None,
    ) -> None:
        """`doors`: those of other protocols through which these come into the same room."""
        read = read_settings(protocol.settings, settings, protocol.name)
        self.room = protocol.room(read, SeededRandom(seed=1))
        self.now = 1000.0
        self._open_session = protocol.sessions(read)
        self._open_others = {
            who: other.sessions(other.settings())
            for who, door in (doors or {}).items()
            if (other := all_protocols()[door]) is not protocol
        }
        self._chunk = chunk
        self._arrivals = 0
        self._peers: dict[str, Peer] = {}
        self._sessions: dict[Peer, Session[Any, Any]] = {}
        self._sent: dict[Peer, bytes] = {}

    def send(self, who: str, message: bytes) -> None:
        peer = self._peer(who)
        for start in range(0, len(message), self._chunk):
            self._receive(peer, message[start : start + self._chunk])

    def hang_up(self, who: str) -> None:
        self._receive(self._peer(who), b"")

    def vanish(self, who: str) -> None:
        peer = self._peers.pop(who)
        del self._sessions[peer], self._sent[peer]
        self._deliver(self.room.handle(peer, Leave(None), self.now))

    def wait(self, seconds: float) -> None:
        """From one deadline to the next, as a timer would have it."""
        end = self.now + seconds
        while (due := self._next_deadline()) is not None and due <= end:
            self.now = max(self.now, due)
            self._tick()
        self.now = end
        self._tick()

    def _next_deadline(self) -> float | None:
        deadlines = [self.room.deadline, *(s.deadline for s in self._sessions.values())]
        return min((due for due in deadlines if due is not None), default=None)

    def _tick(self) -> None:
        if self.room.deadline is not None and self.now >= self.room.deadline:
            self._deliver(self.room.tick(self.now))
        for peer in list(self._sessions):
            self._sessions[peer].tick(self.now)
            self._work(peer)

    def read(self, who: str, length: int) -> bytes:
        peer = self._peer(who)
        message, self._sent[peer] = self._sent[peer][:length], self._sent[peer][length:]
        return message

    def is_closed(self, who: str) -> bool:
        return self._sessions[self._peer(who)].closed

    def unread(self) -> dict[str, bytes]:
        return {who: self._sent[peer] for who, peer in self._peers.items() if self._sent[peer]}

    def _peer(self, who: str) -> Peer:
        if who not in self._peers:
            self._arrivals += 1
            peer = self._peers[who] = Peer(self._arrivals)
            self._sessions[peer] = self._open_others.get(who, self._open_session)(self.now)
            self._sent[peer] = b""
            self._work(peer)
        return self._peers[who]

    def _receive(self, peer: Peer, data: bytes) -> None:
        self._sessions[peer].receive_data(data, self.now)
        self._work(peer)

    def _work(self, peer: Peer) -> None:
        session = self._sessions[peer]
        while True:
            request = session.next_request()
            self._sent[peer] += session.pending_output
            session.pending_output = b""
            if request is None:
                break
            self._deliver(self.room.handle(peer, request, self.now))

    def _deliver(self, deliveries: list[Delivery[Any]]) -> None:
        for delivery in deliveries:
            for peer in delivery.peers:
                if peer in self._sessions and not self._sessions[peer].closed:
                    self._sent[peer] += self._sessions[peer].send(delivery.notice)
        for peer, session in list(self._sessions.items()):
            if session.has_kept_input:
                session.has_kept_input = False
                self._work(peer)
