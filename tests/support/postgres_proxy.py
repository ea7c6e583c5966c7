"""A proxy for PostgreSQL that can cut connections at any message."""

import contextlib
import socket
import threading
from collections.abc import Callable
from enum import Enum
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

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


class PostgresProxy:
    """Forwards messages between clients and PostgreSQL, and cuts connections on request.

    A message is the data of one read, as PostgreSQL sends the answer to a statement at once.
    """

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._watch: Watch | None = None
        self._lines: list[tuple[socket.socket, socket.socket]] = []
        self.is_refusing = False
        """Whether new connections are closed at once."""
        self.tells_server = True
        """Whether connections to PostgreSQL are closed when a connection is cut."""
        self.cuts = 0
        """How many connections the watch function has cut."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def url(self, url: str) -> str:
        """Return the URL of a database, through the proxy."""
        parts = urlsplit(url)
        return f"postgresql://hall@127.0.0.1:{self._listener.getsockname()[1]}{parts.path}"

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
        """Cut all connections."""
        with self._lock:
            for line in self._lines:
                self._cut(*line)

    def close(self) -> None:
        """Cut all connections and stop listening."""
        self.tells_server = True
        self._shut(self._listener)
        self._threads[0].join()
        self.cut()
        for thread in self._threads:
            thread.join()
        for line in self._lines:
            for end in line:
                end.close()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.is_refusing:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._server.socket_path))
            except OSError:
                client.close()
                server.close()
                continue
            with self._lock:
                self._lines.append((client, server))
            for to in To:
                self._start(self._pass_on, client, server, to)

    def _start(self, run: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _pass_on(self, client: socket.socket, server: socket.socket, to: To) -> None:
        source, target = (client, server) if to is To.SERVER else (server, client)
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                with self._lock:
                    is_cut = self._watch is not None and self._watch(to, data)
                    self.cuts += is_cut
                if is_cut:
                    self._cut(client, server)
                    return
                target.sendall(data)
        if to is To.CLIENT:
            # PostgreSQL has closed the connection.
            self._shut(client)
        elif self.tells_server:
            self._shut(server)

    def _cut(self, client: socket.socket, server: socket.socket) -> None:
        self._shut(client)
        if self.tells_server:
            self._shut(server)

    @staticmethod
    def _shut(line: socket.socket) -> None:
        # Do not close it, because another thread may be reading from it.
        with contextlib.suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
