"""Servers that are not quite true to their protocol: ours, with somebody in between; and worse."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

Spoil = Callable[[bytes], bytes]
"""What becomes of what a server sends."""

Serve = Callable[[socket.socket], None]
"""What is done with one connection."""

BYTES_AT_A_TIME = 65_536


class Listening:
    """A program of threads that listens; each connection is served in a thread of its own."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._plugs: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._listen)]
        self._threads[0].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self._threads[0].join()
        for plug in self._plugs:
            with contextlib.suppress(OSError):
                plug.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _listen(self) -> None:
        while True:
            try:
                plug, _ = self._door.accept()
            except OSError:
                return
            self._plugs.append(plug)
            thread = threading.Thread(target=self._converse, args=(plug,))
            self._threads.append(thread)
            thread.start()

    def _converse(self, plug: socket.socket) -> None:
        with plug, contextlib.suppress(OSError):
            self._serve(plug)


def between(
    port: int, spoil: Spoil, linger_seconds: Callable[[], float] = lambda: 0.0
) -> Listening:
    """Somebody between a client and the server on this port, who spoils what the server says.

    The server hears of each client that has gone only after a while.
    """

    def serve(client: socket.socket) -> None:
        patience = linger_seconds()
        with socket.create_connection(("127.0.0.1", port)) as server:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            upward = threading.Thread(target=_carry_up, args=(client, server, patience))
            upward.start()
            with contextlib.suppress(OSError):
                while message := server.recv(BYTES_AT_A_TIME):
                    client.sendall(spoil(message))
                client.shutdown(socket.SHUT_WR)
            upward.join()

    return Listening(serve)


def _carry_up(client: socket.socket, server: socket.socket, linger_seconds: float) -> None:
    try:
        while message := client.recv(BYTES_AT_A_TIME):
            server.sendall(message)
        time.sleep(linger_seconds)
        server.shutdown(socket.SHUT_WR)
    except OSError:
        # The client is gone without a word, and so are we.
        time.sleep(linger_seconds)
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)


def says_nothing(plug: socket.socket) -> None:
    while plug.recv(BYTES_AT_A_TIME):
        pass


def closes_at_once(plug: socket.socket) -> None:
    plug.shutdown(socket.SHUT_RDWR)


def says_without_end(message: bytes) -> Serve:
    def serve(plug: socket.socket) -> None:
        while True:
            plug.sendall(message)

    return serve
