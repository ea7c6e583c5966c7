"""Servers that are not quite true to their protocol: ours, behind a relay that changes things.

Also servers that are none at all.
"""

import contextlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

Spoil = Callable[[bytes], bytes]
"""What becomes of what is sent in one direction of a connection."""

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
        self.vanish()
        for thread in self._threads:
            thread.join()

    def stop_listening(self) -> None:
        """Accept no more connections."""
        with contextlib.suppress(OSError):
            # It may have stopped already.
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def vanish(self) -> None:
        """Accept no more connections, and close all there are."""
        self.stop_listening()
        for plug in self._plugs:
            with contextlib.suppress(OSError):
                plug.shutdown(socket.SHUT_RDWR)

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


class Fault:
    """What a relay does to one connection. This one does nothing.

    There is a new one for each connection; `number` says how many came before it.
    """

    is_buffered = False
    """Whether what the server says is changed as a whole, when it has closed: for HTTP."""

    def __init__(self, number: int) -> None:
        self.number = number

    def down(self, data: bytes) -> bytes:
        """Change what the server says."""
        return data

    def up(self, data: bytes) -> bytes:
        """Change what the client says."""
        return data


MakeFault = Callable[[int], Fault]


def says(old: bytes, new: bytes, *, times: int = 0, on: int | None = None) -> MakeFault:
    """The server says the one instead of the other.

    `times`: only so often on a connection. `on`: only on the connection of this number.
    """

    class Says(Fault):
        def __init__(self, number: int) -> None:
            super().__init__(number)
            self._left = times

        def down(self, data: bytes) -> bytes:
            if on not in (None, self.number):
                return data
            if times and self._left == 0:
                return data
            data, count = re.subn(old, new, data, count=self._left, flags=re.DOTALL)
            self._left -= min(count, self._left)
            return data

    return Says


def hears(old: bytes, new: bytes) -> MakeFault:
    """The server hears the one instead of the other."""

    class Hears(Fault):
        def up(self, data: bytes) -> bytes:
            return re.sub(old, new, data, flags=re.DOTALL)

    return Hears


def answers(edit: Callable[[dict[str, Any]], object]) -> MakeFault:
    """The server answers HTTP requests with an object that was edited, in place."""

    class Answers(Fault):
        is_buffered = True

        def down(self, data: bytes) -> bytes:
            head, _, body = data.partition(b"\r\n\r\n")
            try:
                value = json.loads(body)
            except ValueError:
                return data
            edit(value)
            body = json.dumps(value).encode()
            length = b"Content-Length: %d" % len(body)
            head = re.sub(rb"(?i)content-length: \d+", length, head)
            return head + b"\r\n\r\n" + body

    return Answers


def nothing_wrong() -> MakeFault:
    """A relay that changes nothing."""
    return Fault


def relay(
    port: int,
    fault: MakeFault,
    linger_seconds: Callable[[], float] = lambda: 0.0,
    vanishes_at: bytes | None = None,
) -> Listening:
    """A server between a client and the one on this port, with a fault.

    That one hears of each client that has gone only after a while. When the server has said
    `vanishes_at`, the relay passes that on and is gone.
    """
    numbers = iter(range(1 << 30))
    listening: list[Listening] = []

    def serve(client: socket.socket) -> None:
        patience = linger_seconds()
        change = fault(next(numbers))
        with socket.create_connection(("127.0.0.1", port)) as server:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            upward = threading.Thread(target=_carry_up, args=(client, server, change, patience))
            upward.start()
            with contextlib.suppress(OSError):
                _carry_down(server, client, change)
                client.shutdown(socket.SHUT_WR)
            upward.join()

    def _carry_down(server: socket.socket, client: socket.socket, change: Fault) -> None:
        whole = b""
        while message := server.recv(BYTES_AT_A_TIME):
            is_last = vanishes_at is not None and vanishes_at in message
            if is_last:
                # Before the client hears of it: it might connect again at once.
                listening[0].stop_listening()
            if change.is_buffered:
                whole += message
            else:
                client.sendall(change.down(message))
            if is_last:
                listening[0].vanish()
        if whole:
            client.sendall(change.down(whole))

    listening.append(Listening(serve))
    return listening[0]


def _carry_up(
    client: socket.socket, server: socket.socket, change: Fault, linger_seconds: float
) -> None:
    try:
        while message := client.recv(BYTES_AT_A_TIME):
            server.sendall(change.up(message))
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
