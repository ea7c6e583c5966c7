"""A TCP proxy that can reset its connections."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

from tests.support.resets import reset_when_closed


class TcpProxy:
    """Forwards data between clients and a server on this machine."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._lines: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def cut(self) -> None:
        """Reset all connections. New connections are still accepted."""
        lines, self._lines[:] = list(self._lines), []
        for line in lines:
            with contextlib.suppress(OSError):
                reset_when_closed(line)
                # Wake the reading thread. Only the close below sends the reset.
                line.shutdown(socket.SHUT_RD)
            line.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._lines += [client, server]
            self._start(self._pass_on, client, server)
            self._start(self._pass_on, server, client)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def _start(self, run: object, *arguments: object) -> None:
        assert callable(run)
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
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join()
