"""Faulty servers: our own behind a relay that changes bytes, and some that serve nothing."""

import contextlib
import json
import re
import socket
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from tests.support.resets import reset_when_closed

Handler = Callable[[socket.socket], None]
"""Serves one connection."""

BYTES_AT_A_TIME = 65_536


class ThreadedServer:
    """Listens on a free port, and serves each connection in a thread of its own."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        for thread in self._threads:
            thread.join()

    def stop_listening(self) -> None:
        """Accept no more connections."""
        with contextlib.suppress(OSError):
            # It may have stopped already.
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def stop(self) -> None:
        """Accept no more connections, and close all there are."""
        self.stop_listening()
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            self._handler(connection)


class Fault:
    """The change that a relay makes to one connection. This one changes nothing.

    There is a new one for each connection; `number` counts them from 0.
    """

    is_buffered = False
    """Whether the server's output is changed as a whole, after it has closed: for HTTP."""

    def __init__(self, number: int) -> None:
        self.number = number

    def change_output(self, data: bytes) -> bytes:
        """Change what the server sends."""
        return data

    def change_input(self, data: bytes) -> bytes:
        """Change what the client sends."""
        return data


MakeFault = Callable[[int], Fault]


def sends(old: bytes, new: bytes, *, times: int = 0, on: int | None = None) -> MakeFault:
    """Return a fault: the server sends `new` instead of the pattern `old`.

    Args:
        times: the number of replacements on a connection, 0 for all.
        on: the number of the only connection to change, None for all.
    """

    class Sends(Fault):
        def __init__(self, number: int) -> None:
            super().__init__(number)
            self._left = times

        def change_output(self, data: bytes) -> bytes:
            if on not in (None, self.number):
                return data
            if times and self._left == 0:
                return data
            data, count = re.subn(old, new, data, count=self._left, flags=re.DOTALL)
            self._left -= min(count, self._left)
            return data

    return Sends


def receives(old: bytes, new: bytes) -> MakeFault:
    """Return a fault: the server receives `new` instead of the pattern `old`."""

    class Receives(Fault):
        def change_input(self, data: bytes) -> bytes:
            return re.sub(old, new, data, flags=re.DOTALL)

    return Receives


def answers(edit: Callable[[dict[str, Any]], object]) -> MakeFault:
    """Return a fault: the JSON objects in HTTP responses are edited, in place."""

    class Answers(Fault):
        is_buffered = True

        def change_output(self, data: bytes) -> bytes:
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


def relay(
    port: int,
    make_fault: MakeFault,
    linger_seconds: Callable[[], float] = lambda: 0.0,
    stop_at: bytes | None = None,
) -> ThreadedServer:
    """Return a server between a client and the server on this port, with a fault.

    Args:
        linger_seconds: returns how long the server does not learn that a client has left.
        stop_at: when the server has sent this, the relay passes it on and stops.
    """
    numbers = iter(range(1 << 30))
    relays: list[ThreadedServer] = []

    def serve(client: socket.socket) -> None:
        seconds = linger_seconds()
        fault = make_fault(next(numbers))
        with socket.create_connection(("127.0.0.1", port)) as server:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reset_when_closed(server)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            upward = threading.Thread(target=_pass_input, args=(client, server, fault, seconds))
            upward.start()
            with contextlib.suppress(OSError):
                pass_output(server, client, fault)
                client.shutdown(socket.SHUT_WR)
            upward.join()

    def pass_output(server: socket.socket, client: socket.socket, fault: Fault) -> None:
        whole = b""
        while message := server.recv(BYTES_AT_A_TIME):
            is_last = stop_at is not None and stop_at in message
            if is_last:
                # Before the client receives it, since it might connect again at once.
                relays[0].stop_listening()
            if fault.is_buffered:
                whole += message
            else:
                client.sendall(fault.change_output(message))
            if is_last:
                relays[0].stop()
        if whole:
            client.sendall(fault.change_output(whole))

    relays.append(ThreadedServer(serve))
    return relays[0]


def _pass_input(
    client: socket.socket, server: socket.socket, fault: Fault, linger_seconds: float
) -> None:
    try:
        while message := client.recv(BYTES_AT_A_TIME):
            server.sendall(fault.change_input(message))
        time.sleep(linger_seconds)
        server.shutdown(socket.SHUT_WR)
    except OSError:
        # The client has reset its connection.
        time.sleep(linger_seconds)
        with contextlib.suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)


def stay_silent(connection: socket.socket) -> None:
    while connection.recv(BYTES_AT_A_TIME):
        pass


def close_at_once(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_RDWR)


def send_without_end(message: bytes) -> Handler:
    def serve(connection: socket.socket) -> None:
        while True:
            connection.sendall(message)

    return serve
