"""A TCP proxy that can reset its connections."""

import contextlib
import socket

from tests.support.forwarding_proxy import ForwardedConnection, ForwardingProxy
from tests.support.resets import reset_when_closed


class TcpProxy(ForwardingProxy):
    """Forwards data between clients and a server on this machine."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        super().__init__()

    def cut(self) -> None:
        """Reset all connections. New connections are still accepted."""
        with self._lock:
            connections, self._connections = self._connections, []
        for connection in connections:
            for end in connection:
                with contextlib.suppress(OSError):
                    reset_when_closed(end)
                    # Wake the reading thread. Only the close below sends the reset.
                    end.shutdown(socket.SHUT_RD)
                end.close()

    def _connect_to_server(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._server_port))

    def _forward_input(self, connection: ForwardedConnection) -> None:
        _forward(connection.client, connection.server)

    def _forward_output(self, connection: ForwardedConnection) -> None:
        _forward(connection.server, connection.client)


def _forward(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
