"""A listening port that speaks one protocol."""

import asyncio
import logging
import socket
import ssl
from collections import Counter
from ipaddress import IPv6Address, ip_address
from typing import Final

from gamehall.rooms.counts import DoorCounts
from gamehall.rooms.room import Peer
from gamehall.rooms.timing import TokenBucket
from gamehall.server.connection import Connection
from gamehall.server.logged import about
from gamehall.server.plan import DoorPlan
from gamehall.server.room_host import RoomHost

log = logging.getLogger(__name__)

BACKLOG: Final = 4096
"""Connections that may wait to be accepted: a whole class may connect at the same moment."""

ACCEPTED_AT_A_TIME: Final = 64
"""How many connections are accepted before the event loop serves the open ones again."""

SECONDS_TO_REST: Final = 1.0
"""How long to wait before accepting again when the process has no more file descriptors."""

UNREAD_BYTES: Final = 32_768
"""The kernel's receive buffer of a connection."""

# A client that has vanished is noticed within half a minute: on an idle connection by
# three missed probes, otherwise by data that is not acknowledged in time (in milliseconds).
SOCKET_OPTIONS: Final = {
    "TCP_KEEPIDLE": 10,
    "TCP_KEEPINTVL": 5,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 25_000,
}


class Door:
    """Accepts connections, and connects them to a room."""

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
        """The number of connections from each address."""
        self._listening: socket.socket | None = None
        self._tls: ssl.SSLContext | None = None
        self._opening: set[asyncio.Task[object]] = set()
        self._all_gone: asyncio.Future[None] | None = None

    async def open(self, host: str, tls: ssl.SSLContext | None) -> str:
        """Start listening, and return the address as HOST:PORT. Raises OSError."""
        listening = listen(host, self.port)
        self.start(listening, tls)
        return address_of(listening)

    def start(self, listening: socket.socket, tls: ssl.SSLContext | None = None) -> None:
        """Accept connections of a listening socket, which is closed with the door."""
        self._listening, self._tls = listening, tls
        asyncio.get_running_loop().add_reader(listening, self._accept)

    def _accept(self) -> None:
        """Accept several waiting connections at once.

        The event loop's own servers accept one per turn, too few when many clients connect.
        """
        loop = asyncio.get_running_loop()
        for _ in range(ACCEPTED_AT_A_TIME):
            if self._listening is None:
                return
            try:
                accepted, _ = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._pause_accepting(error)
                return
            accepted.setblocking(False)
            opening = loop.create_task(
                loop.connect_accepted_socket(self.connection, accepted, ssl=self._tls)
            )
            self._opening.add(opening)
            opening.add_done_callback(self._opened)

    def connection(self) -> Connection:
        """Return the protocol object for an accepted connection. Subclasses may replace it."""
        return Connection(self)

    def _opened(self, opening: "asyncio.Task[object]") -> None:
        self._opening.discard(opening)
        error = None if opening.cancelled() else opening.exception()
        if error is not None:
            # Such as when the client does not speak TLS.
            log.info("%s: a connection failed to open: %s", self.name, error)

    def _pause_accepting(self, error: OSError) -> None:
        """Stop accepting for a while, such as when there are no more file descriptors."""
        log.error("%s: cannot accept connections: %s", self.name, error.strerror)
        loop, listening = asyncio.get_running_loop(), self._listening
        assert listening is not None
        loop.remove_reader(listening)

        def resume() -> None:
            if self._listening is listening:
                loop.add_reader(listening, self._accept)

        loop.call_later(SECONDS_TO_REST, resume)

    def admit(self, connection: Connection) -> str | None:
        """Connect a client to the room, or return why it is refused."""
        refusal = self._refusal(connection.address)
        if refusal is not None:
            self.counts.refused += 1
            return refusal
        self._connections.add(connection)
        self._from[connection.address] += 1
        self.counts.admitted += 1
        self.counts.open += 1
        self.host.connect(connection, self._room)
        return None

    def log_about(self, peer: Peer, address: str) -> "logging.LoggerAdapter[logging.Logger]":
        """Return a logger whose lines carry the door, the peer and its address."""
        return logging.LoggerAdapter(log, about(door=self.name, peer=peer, address=address))

    def _refusal(self, address: str) -> str | None:
        if self._listening is None:
            return "the door is closed"
        if len(self._connections) >= self.settings.max_connections:
            return "too many connections"
        limit = self.settings.max_per_address
        if limit and self._from[address] >= limit and not _is_loopback(address):
            return "too many connections from one address"
        return None

    def allowance(self) -> TokenBucket | None:
        """Return the rate limit of a connection, None if there is none.

        A message of one player may cause one to the other. So at a door with a pace, each of two
        players may send half of what can be written at that pace.
        """
        settings = self.settings
        per_second = float(settings.messages_per_second)
        if settings.pace_ms:
            written = 1000 / settings.pace_ms
            per_second = min(per_second, written / 2) if per_second else written / 2
        # A burst may have the messages of a tenth of a second.
        return TokenBucket(per_second, at_once=max(1, per_second / 10)) if per_second else None

    def release(self, connection: Connection) -> None:
        """Remove a connection that is lost, or was never admitted."""
        if connection in self._connections:
            self._connections.remove(connection)
            self.counts.open -= 1
            self._from[connection.address] -= 1
            if not self._from[connection.address]:
                del self._from[connection.address]
            self.host.disconnect(connection)
        if self._all_gone is not None and not self._connections and not self._all_gone.done():
            self._all_gone.set_result(None)

    def stop_listening(self) -> None:
        """Accept no further connections."""
        if self._listening is not None:
            asyncio.get_running_loop().remove_reader(self._listening)
            self._listening.close()
            self._listening = None

    async def close(self, reason: str) -> None:
        """Stop listening, and close every connection in an orderly way (X-13)."""
        self.stop_listening()
        self._all_gone = asyncio.get_running_loop().create_future()
        for connection in list(self._connections):
            connection.close(reason)
        if self._connections:
            await self._all_gone


def _is_loopback(text: str) -> bool:
    """Return True for a loopback address, and for anything else that is local, such as a path."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return True
    # A socket that also listens on IPv6 shows an IPv4 client as ::ffff:127.0.0.1, for example.
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def address_of(listening: socket.socket) -> str:
    """Return the address of a socket as HOST:PORT."""
    address, port = listening.getsockname()[:2]
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Its connections inherit the options that are set here (X-12)."""
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in SOCKET_OPTIONS.items():
            # Not every operating system has all of these.
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
