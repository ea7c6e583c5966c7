"""A proxy for PostgreSQL that can cut connections at any message."""

import contextlib
import socket
from collections.abc import Callable
from enum import Enum
from urllib.parse import urlsplit

from tests.support.forwarding_proxy import ForwardedConnection, ForwardingProxy, shut
from tests.support.postgres import PostgresServer


class To(Enum):
    """The direction of a message."""

    SERVER = "to the server"
    CLIENT = "to the client"


Watch = Callable[[To, bytes], bool]
"""Called with each message. Returns True to drop the message and cut the connection."""


def is_commit(to: To, data: bytes) -> bool:
    """Return True for the message that tells the client that a transaction was committed."""
    return to is To.CLIENT and b"COMMIT\0" in data


class PostgresProxy(ForwardingProxy):
    """Forwards messages between clients and PostgreSQL, and cuts connections on request.

    A message is the data of one read, as PostgreSQL sends the answer to a statement at once.
    """

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._watch: Watch | None = None
        self.is_refusing = False
        """Whether new connections are closed at once."""
        self.tells_server = True
        """Whether connections to PostgreSQL are closed when a connection is cut."""
        self.cuts = 0
        """How many connections the watch function has cut."""
        super().__init__()

    def url(self, url: str) -> str:
        """Return the URL of a database, through the proxy."""
        parts = urlsplit(url)
        return f"postgresql://hall@127.0.0.1:{self.port}{parts.path}"

    def watch(self, watch: Watch | None) -> None:
        """Set the watch function."""
        with self._lock:
            self._watch = watch

    def cut_message(self, to: To, number: int) -> None:
        """Cut the connection instead of forwarding the message of this number, from 1."""
        left = number

        def watch(where: To, _: bytes) -> bool:
            nonlocal left
            left -= where is to
            return where is to and left == 0

        self.watch(watch)

    def cut_answer_to_commit(self) -> None:
        """Cut the connection after the next commit, before the client gets the answer."""
        before = self.cuts
        self.watch(lambda to, data: self.cuts == before and is_commit(to, data))

    def cut(self) -> None:
        with self._lock:
            for connection in self._connections:
                self._cut(connection)

    def close(self) -> None:
        self.tells_server = True
        super().close()

    def _connect_to_server(self) -> socket.socket:
        if self.is_refusing:
            raise ConnectionRefusedError
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(str(self._server.socket_path))
        except OSError:
            server.close()
            raise
        return server

    def _forward_input(self, connection: ForwardedConnection) -> None:
        if self._forward(connection, To.SERVER) and self.tells_server:
            shut(connection.server)

    def _forward_output(self, connection: ForwardedConnection) -> None:
        if self._forward(connection, To.CLIENT):
            # PostgreSQL has closed the connection.
            shut(connection.client)

    def _forward(self, connection: ForwardedConnection, to: To) -> bool:
        """Forward messages in one direction. Return False if the connection was cut."""
        client, server = connection
        source, target = (client, server) if to is To.SERVER else (server, client)
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                with self._lock:
                    is_cut = self._watch is not None and self._watch(to, data)
                    self.cuts += is_cut
                if is_cut:
                    self._cut(connection)
                    return False
                target.sendall(data)
        return True

    def _cut(self, connection: ForwardedConnection) -> None:
        shut(connection.client)
        if self.tells_server:
            shut(connection.server)
