"""Simulated TCP connections.

The server's end behaves like the transports of uvloop: data is written to the socket at once, as
far as there is room; while reading is paused nothing is noticed, not even that the peer is gone;
writing to a lost connection is an error.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from gamehall.server.connection import Connection
from tests.simulation.scheduler import Conditions, Scheduler

BYTES_AT_A_TIME = 65_536


class Listener(Protocol):
    """The client's end of a connection."""

    address: str

    def data_received(self, link: "Link", data: bytes) -> None: ...

    def connection_ended(self, link: "Link") -> None: ...


class Link:
    """A connection between a client and the server."""

    def __init__(
        self,
        scheduler: Scheduler,
        conditions: Conditions,
        client: Listener,
        address: tuple[str, int],
        call_in_server: Callable[[Callable[[], None]], None],
    ) -> None:
        """`call_in_server` calls a function as soon as the server's process runs."""
        self.server_end = ServerEnd(self, scheduler, conditions, address, call_in_server)
        self.address = address
        self.peer: int | None = None
        """The peer number of the client when the server has last written to it."""
        self.is_disturbed = False
        """Whether the network or a crash has ended it, or will."""
        self.has_ended = False
        """Whether the client has received the end of the stream."""
        self._scheduler = scheduler
        self._conditions = conditions
        self._client = client
        self._is_gone = False
        """Whether the client has closed its socket."""
        self._is_broken = False
        """Whether no data of the client arrives any more."""
        self._has_ended_input = False
        self._is_reading = True
        self._unread: list[bytes | None] = []
        self._up_at = self._down_at = 0.0
        self._generation = 0
        """Data of the server that was sent in an earlier generation does not arrive."""

    def send(self, message: bytes) -> None:
        if self._is_gone or self._has_ended_input:
            return
        for piece in self._conditions.pieces(message):
            self._up(lambda piece=piece: self.server_end.receive(piece))  # type: ignore[misc]

    def end_input(self) -> None:
        """End the client's stream; it continues to read."""
        if not self._has_ended_input and not self._is_gone:
            self._has_ended_input = True
            self._up(self.server_end.receive_end)

    def close(self) -> None:
        """Close the client's socket."""
        self.end_input()
        self._is_gone = True

    def reset(self) -> None:
        """Reset the connection at the client's end."""
        if not self._is_gone:
            self._is_gone = True
            self._up(self.server_end.receive_reset)

    def stop_reading(self) -> None:
        self._is_reading = False

    def resume_reading(self) -> None:
        self._is_reading = True
        unread, self._unread = self._unread, []
        for piece in unread:
            self._reach_client(piece, self._generation)

    def fail(self, seconds_until_noticed: float) -> None:
        """Lose the connection. The server notices it after some seconds."""
        self.is_disturbed = self._is_broken = True
        self.end_client()
        self._scheduler.after(seconds_until_noticed, self.server_end.receive_reset)

    def end_client(self) -> None:
        """Drop all data on its way to the client, and send it the end of the stream."""
        self._generation += 1
        self.send_down([None])

    def send_down(self, pieces: list[bytes | None]) -> None:
        """Send data from the server to the client; None is the end of the stream."""
        generation = self._generation
        for piece in pieces:
            self._down_at = max(self._down_at, self._scheduler.now + self._conditions.delay())
            self._scheduler.at(
                self._down_at,
                lambda piece=piece: self._reach_client(piece, generation),  # type: ignore[misc]
            )

    def _up(self, arrive: Callable[[], None]) -> None:
        if self._is_broken:
            return
        self._up_at = max(self._up_at, self._scheduler.now + self._conditions.delay())
        self._scheduler.at(self._up_at, arrive)

    def _reach_client(self, piece: bytes | None, generation: int) -> None:
        if generation != self._generation or self.has_ended:
            return
        if self._is_gone:
            if piece is not None:
                # The client's system resets the connection.
                self._scheduler.after(self._conditions.delay(), self.server_end.receive_reset)
            return
        if not self._is_reading:
            self._unread.append(piece)
        elif piece is None:
            self.has_ended = True
            self._client.connection_ended(self)
        else:
            self.server_end.make_room(len(piece))
            self._client.data_received(self, piece)


class ServerEnd(asyncio.Transport):
    """The server's end of a connection: the methods that a Connection needs."""

    def __init__(
        self,
        link: Link,
        scheduler: Scheduler,
        conditions: Conditions,
        address: tuple[str, int],
        call_in_server: Callable[[Callable[[], None]], None],
    ) -> None:
        super().__init__({"peername": address})
        self._call_in_server = call_in_server
        self._link = link
        self._scheduler = scheduler
        self._conditions = conditions
        self._connection: Connection | None = None
        self._whoami: Callable[[], int] = lambda: 0
        self._inbox = bytearray()
        self._has_received_end = False
        self._is_reset = False
        """Whether the connection is reset, which the server may not have noticed."""
        self._is_reading = True
        self._has_read_end = False
        self._unsent = bytearray()
        self._in_socket = 0
        """The number of bytes that the client has not read yet."""
        self._is_full = False
        self._has_ended_writing = self._writes_end = False
        self._is_closing = self._is_lost = False

    def start(self, connection: Connection, whoami: Callable[[], int]) -> None:
        """`whoami` returns the peer number of the client."""
        self._connection, self._whoami = connection, whoami
        connection.connection_made(self)
        self._scheduler.soon(lambda: self._call_in_server(self._read))

    def disappear(self) -> None:
        """Stop calling the Connection, because its process has ended."""
        self._connection = None

    # Called by the network

    def receive(self, piece: bytes) -> None:
        if not self._is_reset:
            self._inbox += piece
            self._call_in_server(self._read)

    def receive_end(self) -> None:
        self._has_received_end = True
        self._call_in_server(self._read)

    def receive_reset(self) -> None:
        self._is_reset = True
        self._call_in_server(self._read)

    def make_room(self, length: int) -> None:
        """Note that the client has read some bytes."""
        self._in_socket -= length
        self._scheduler.soon(lambda: self._call_in_server(self._continue_writing))

    def _read(self) -> None:
        """Pass data to the Connection, at most BYTES_AT_A_TIME per call."""
        connection = self._connection
        is_paused = not self._is_reading or self._is_closing or self._has_read_end
        if connection is None or is_paused:
            return
        if self._inbox:
            piece = bytes(self._inbox[:BYTES_AT_A_TIME])
            del self._inbox[:BYTES_AT_A_TIME]
            connection.data_received(piece)
            if self._inbox or self._has_received_end or self._is_reset:
                self._scheduler.soon(lambda: self._call_in_server(self._read))
        elif self._is_reset:
            self._lose(ConnectionResetError())
        elif self._has_received_end:
            self._has_read_end = True
            if not connection.eof_received():
                self.close()

    def _continue_writing(self) -> None:
        if self._connection is None or self._is_lost:
            return
        self._push()
        if self._is_full and not self._unsent and not self._is_closing:
            self._is_full = False
            self._connection.resume_writing()

    def _push(self) -> None:
        """Write as much to the network as the socket has room for."""
        room = self._conditions.socket_bytes - self._in_socket
        if self._unsent and room > 0:
            piece = bytes(self._unsent[:room])
            del self._unsent[:room]
            self._in_socket += len(piece)
            self._link.send_down(list(self._conditions.pieces(piece)))
        if not self._unsent and self._writes_end:
            self._writes_end = False
            self._link.send_down([None])
        if not self._unsent and self._is_closing:
            self._end(None)

    def _lose(self, error: Exception | None) -> None:
        self._is_closing = True
        self._unsent.clear()
        self._end(error)

    def _end(self, error: Exception | None) -> None:
        """Tell the Connection, a little later, that it is lost."""
        if self._is_lost:
            return
        self._is_lost = True
        if self._inbox or error is not None:
            # The connection is reset, so the client may not receive the last data.
            self._link.end_client()
        else:
            self._link.send_down([None])
        self._scheduler.soon(lambda: self._call_in_server(lambda: self._tell_lost(error)))

    def _tell_lost(self, error: Exception | None) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.connection_lost(error)

    # Called by a Connection

    def write(self, data: Any) -> None:
        if self._connection is None:
            raise RuntimeError("unable to perform operation; the handler is closed")
        if self._has_ended_writing:
            raise RuntimeError("Cannot call write() after write_eof()")
        if self._is_lost or self._is_closing:
            return
        if self._is_reset:
            self._lose(BrokenPipeError())
            return
        self._link.peer = self._whoami()
        self._unsent += data
        self._push()
        if self._unsent and not self._is_full:
            self._is_full = True
            self._connection.pause_writing()

    def write_eof(self) -> None:
        if self._connection is None:
            raise RuntimeError("unable to perform operation; the handler is closed")
        if not self._has_ended_writing:
            self._has_ended_writing = self._writes_end = True
            self._push()

    def can_write_eof(self) -> bool:
        return True

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            self._push()

    def abort(self) -> None:
        if not self._is_lost:
            self._lose(ConnectionAbortedError())

    def is_closing(self) -> bool:
        return self._is_closing

    def pause_reading(self) -> None:
        self._is_reading = False

    def resume_reading(self) -> None:
        if not self._is_reading:
            self._is_reading = True
            self._scheduler.soon(lambda: self._call_in_server(self._read))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high == 0, "one message is one write"
