"""What the proxies of tests share: threads that accept connections and forward their data."""

import contextlib
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self


class ForwardedConnection(NamedTuple):
    """The two sockets of a connection through the proxy."""

    client: socket.socket
    server: socket.socket


class ForwardingProxy(ABC):
    """Forwards each connection to a server, in threads, until `cut` or `close`."""

    def __init__(self) -> None:
        """Listen. Subclasses call this when all else is prepared."""
        self._lock = threading.Lock()
        self._connections: list[ForwardedConnection] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)

    @abstractmethod
    def cut(self) -> None:
        """Cut all connections. New connections are still accepted."""

    @abstractmethod
    def _connect_to_server(self) -> socket.socket:
        """Connect to the server. After an OSError the client's connection is closed."""

    @abstractmethod
    def _forward_input(self, connection: ForwardedConnection) -> None:
        """Forward what the client sends, until one side has ended."""

    @abstractmethod
    def _forward_output(self, connection: ForwardedConnection) -> None:
        """Forward what the server sends, until one side has ended."""

    def close(self) -> None:
        """Stop listening and cut all connections."""
        shut(self._listener)
        self._threads[0].join()
        self.cut()
        for thread in self._threads:
            thread.join()
        for connection in self._connections:
            for end in connection:
                end.close()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = self._connect_to_server()
            except OSError:
                client.close()
                continue
            connection = ForwardedConnection(client, server)
            with self._lock:
                self._connections.append(connection)
            self._start(self._forward_input, connection)
            self._start(self._forward_output, connection)

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def shut(connection: socket.socket) -> None:
    """End both directions, without closing: another thread may be reading from the socket."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
