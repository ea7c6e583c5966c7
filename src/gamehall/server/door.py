"""A listening port that speaks one protocol."""

import asyncio
import logging
import socket
import ssl
from collections import Counter
from ipaddress import ip_address

from gamehall.rooms.counts import DoorCounts
from gamehall.rooms.room import Peer
from gamehall.rooms.timing import TokenBucket
from gamehall.server.connection import Connection
from gamehall.server.limits import (
    ACCEPTED_AT_A_TIME,
    BACKLOG,
    SECONDS_TO_REST,
    SOCKET_OPTIONS,
    UNREAD_BYTES,
)
from gamehall.server.logged import about
from gamehall.server.plan import DoorPlan
from gamehall.server.room_host import RoomHost

log = logging.getLogger(__name__)


class Door:
    """Lets peers in to a room, each with a session of its own."""

    def __init__(self, plan: DoorPlan, host: RoomHost) -> None:
        self.name = plan.protocol.name
        self.counts = DoorCounts()
        self.settings = plan.settings
        self.open_session = plan.protocol.sessions(plan.settings)
        self.host = host
        self.timers = host.timers
        self.port = plan.port
        self._room = plan.room
        self._connections: set[Connection] = set()
        self._from: Counter[str] = Counter()
        """How many connections there are from each address."""
        self._listening: socket.socket | None = None
        self._tls: ssl.SSLContext | None = None
        self._opening: set[asyncio.Task[object]] = set()
        """Connections that are about to be."""
        self._all_gone: asyncio.Future[None] | None = None

    async def open(self, host: str, tls: ssl.SSLContext | None) -> str:
        """Begins to listen and says where, as HOST:PORT. Raises OSError."""
        listening = listen(host, self.port)
        self.start(listening, tls)
        return where(listening)

    def start(self, listening: socket.socket, tls: ssl.SSLContext | None = None) -> None:
        """Accept connections of a socket that listens; it is closed with the door."""
        self._listening, self._tls = listening, tls
        asyncio.get_running_loop().add_reader(listening, self._accept)

    def _accept(self) -> None:
        """Lets in some of those who wait; a loop by itself takes one at a time, and they starve."""
        loop = asyncio.get_running_loop()
        for _ in range(ACCEPTED_AT_A_TIME):
            if self._listening is None:
                return
            try:
                accepted, _ = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._rest(error)
                return
            accepted.setblocking(False)
            opening = loop.create_task(
                loop.connect_accepted_socket(self.connection, accepted, ssl=self._tls)
            )
            self._opening.add(opening)
            opening.add_done_callback(self._opened)

    def connection(self) -> Connection:
        """Return what serves one accepted connection."""
        return Connection(self)

    def _opened(self, opening: "asyncio.Task[object]") -> None:
        """A connection is there, or is not, such as when somebody does not speak TLS."""
        self._opening.discard(opening)
        fault = None if opening.cancelled() else opening.exception()
        if fault is not None:
            log.info("%s: a connection did not come about: %s", self.name, fault)

    def _rest(self, error: OSError) -> None:
        """There are no more files to be had, say: lets nobody in for a while."""
        log.error("%s: cannot let anybody in: %s", self.name, error.strerror)
        loop, listening = asyncio.get_running_loop(), self._listening
        assert listening is not None
        loop.remove_reader(listening)

        def go_on() -> None:
            if self._listening is listening:
                loop.add_reader(listening, self._accept)

        loop.call_later(SECONDS_TO_REST, go_on)

    def admit(self, connection: Connection, host: str) -> str | None:
        """Takes in a connection from that address, or says why not."""
        refusal = self._refusal(host)
        if refusal is not None:
            self.counts.refused += 1
            return refusal
        self._connections.add(connection)
        self._from[host] += 1
        self.counts.admitted += 1
        self.counts.open += 1
        self.host.connect(connection, self._room)
        return None

    def log_about(self, peer: Peer, address: str) -> "logging.LoggerAdapter[logging.Logger]":
        """The log, for what concerns this peer."""
        return logging.LoggerAdapter(log, about(door=self.name, peer=peer, address=address))

    def _refusal(self, host: str) -> str | None:
        """Why nobody from that address may come in now."""
        if self._listening is None:
            return "the door is closed"
        if len(self._connections) >= self.settings.max_connections:
            return "too many connections"
        most = self.settings.max_per_address
        if most and self._from[host] >= most and not _is_this_machine(host):
            return "too many connections from one address"
        return None

    def allowance(self) -> TokenBucket | None:
        """How much a peer may say, None if there is no limit.

        What a peer says may have to be told to another. So where there is a pace, each of two
        players may say half of what can be told at that pace.
        """
        settings = self.settings
        per_second = float(settings.messages_per_second)
        if settings.pace_ms:
            told = 1000 / settings.pace_ms
            per_second = min(per_second, told / 2) if per_second else told / 2
        # A tenth of a second's worth at once, which is more than anybody needs in one breath.
        return TokenBucket(per_second, at_once=max(1, per_second / 10)) if per_second else None

    def release(self, connection: Connection, host: str) -> None:
        """A connection from that address is gone."""
        if connection in self._connections:
            self._connections.remove(connection)
            self.counts.open -= 1
            self._from[host] -= 1
            if not self._from[host]:
                del self._from[host]
            self.host.disconnect(connection)
        if self._all_gone is not None and not self._connections and not self._all_gone.done():
            self._all_gone.set_result(None)

    def stop_listening(self) -> None:
        """Lets nobody else in."""
        if self._listening is not None:
            asyncio.get_running_loop().remove_reader(self._listening)
            self._listening.close()
            self._listening = None

    async def close(self, reason: str) -> None:
        """Stops listening, and closes every connection in an orderly way (X-13)."""
        self.stop_listening()
        self._all_gone = asyncio.get_running_loop().create_future()
        for connection in list(self._connections):
            connection.dismiss(reason)
        if self._connections:
            await self._all_gone


def _is_this_machine(host: str) -> bool:
    """Whether an address is the loopback's; one that is none (a path, say) is near enough."""
    try:
        return ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return True


def where(listening: socket.socket) -> str:
    """Where a socket listens, as HOST:PORT."""
    address, port = listening.getsockname()[:2]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. What is set here, the connections inherit (X-12)."""
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in SOCKET_OPTIONS.items():
            # Not every system has all of them.
            if hasattr(socket, name):
                listening.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UNREAD_BYTES)
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening
