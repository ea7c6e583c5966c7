"""A TCP connection without TCP: bytes on their way in both directions, and all that can befall it.

The hall's end behaves as uvloop's transports do: what is written goes to the socket at once, as
far as that has room; while reading is paused nothing is noticed, not even that the peer is gone;
to write to what is lost already is an error.
"""

import asyncio
import typing
from collections.abc import Callable
from typing import Any

from gamehall.server.connection import Connection
from tests.simulation.clockwork import Clockwork, Weather

BYTES_AT_A_TIME = 65_536


class Listener(typing.Protocol):
    """Who sits at the client's end."""

    address: str

    def heard(self, wire: "Wire", data: bytes) -> None: ...

    def ended(self, wire: "Wire") -> None: ...


class Wire:
    """A connection, with the client's end of it."""

    def __init__(
        self,
        clockwork: Clockwork,
        weather: Weather,
        client: Listener,
        address: tuple[str, int],
        call_in_hall: Callable[[Callable[[], None]], None],
    ) -> None:
        """`call_in_hall` calls something as soon as the hall's process can handle it."""
        self.hall_end = HallEnd(self, clockwork, weather, address, call_in_hall)
        self.address = address
        self.peer: int | None = None
        """As whom the hall has last spoken to the client."""
        self.is_disturbed = False
        """Whether something else than the two ends has ended it, or will."""
        self.has_ended = False
        """Whether the client has heard that nothing more will come."""
        self._clockwork = clockwork
        self._weather = weather
        self._client = client
        self._is_gone = False
        """Whether the client is not there any more."""
        self._is_broken = False
        """Whether nothing that the client says arrives."""
        self._has_hung_up = False
        self._is_reading = True
        self._unread: list[bytes | None] = []
        self._up_at = self._down_at = 0.0
        self._generation = 0
        """What was sent down in an earlier one is lost on its way."""

    def send(self, message: bytes) -> None:
        if self._is_gone or self._has_hung_up:
            return
        for piece in self._weather.pieces(message):
            self._up(lambda piece=piece: self.hall_end.receive(piece))  # type: ignore[misc]

    def hang_up(self) -> None:
        """The client says nothing more, and listens on."""
        if not self._has_hung_up and not self._is_gone:
            self._has_hung_up = True
            self._up(self.hall_end.receive_end)

    def close(self) -> None:
        """The client is gone, in an orderly way."""
        self.hang_up()
        self._is_gone = True

    def reset(self) -> None:
        """The client is gone, at once."""
        if not self._is_gone:
            self._is_gone = True
            self._up(self.hall_end.receive_reset)

    def stop_reading(self) -> None:
        self._is_reading = False

    def read_on(self) -> None:
        self._is_reading = True
        unread, self._unread = self._unread, []
        for piece in unread:
            self._reach_client(piece, self._generation)

    def break_down(self, seconds_until_noticed: float) -> None:
        """The network fails: both ends hear so, the hall perhaps much later."""
        self.is_disturbed = self._is_broken = True
        self.end_client()
        self._clockwork.after(seconds_until_noticed, self.hall_end.receive_reset)

    def end_client(self) -> None:
        """Nothing that is on its way to the client arrives, except the end."""
        self._generation += 1
        self.send_down([None])

    def send_down(self, pieces: list[bytes | None]) -> None:
        """From the hall to the client; None is the end."""
        generation = self._generation
        for piece in pieces:
            self._down_at = max(self._down_at, self._clockwork.now + self._weather.delay())
            self._clockwork.at(
                self._down_at,
                lambda piece=piece: self._reach_client(piece, generation),  # type: ignore[misc]
            )

    def _up(self, arrive: Callable[[], None]) -> None:
        if self._is_broken:
            return
        self._up_at = max(self._up_at, self._clockwork.now + self._weather.delay())
        self._clockwork.at(self._up_at, arrive)

    def _reach_client(self, piece: bytes | None, generation: int) -> None:
        if generation != self._generation or self.has_ended:
            return
        if self._is_gone:
            if piece is not None:
                # The client's system says that nobody is there.
                self._clockwork.after(self._weather.delay(), self.hall_end.receive_reset)
            return
        if not self._is_reading:
            self._unread.append(piece)
        elif piece is None:
            self.has_ended = True
            self._client.ended(self)
        else:
            self.hall_end.make_room(len(piece))
            self._client.heard(self, piece)


class HallEnd(asyncio.Transport):
    """The hall's end of a connection, as far as a Connection uses it."""

    def __init__(
        self,
        wire: Wire,
        clockwork: Clockwork,
        weather: Weather,
        address: tuple[str, int],
        call_in_hall: Callable[[Callable[[], None]], None],
    ) -> None:
        super().__init__({"peername": address})
        self._call_in_hall = call_in_hall
        self._wire = wire
        self._clockwork = clockwork
        self._weather = weather
        self._connection: Connection | None = None
        self._whoami: Callable[[], int] = lambda: 0
        self._inbox = bytearray()
        self._peer_has_hung_up = False
        self._is_reset = False
        """Whether the connection does not exist any more, which may not have been noticed."""
        self._is_reading = True
        self._has_heard_end = False
        self._unsent = bytearray()
        self._in_socket = 0
        """Bytes that the client has not read yet."""
        self._is_full = False
        self._has_ended_writing = self._writes_end = False
        self._is_closing = self._is_lost = False

    def start(self, connection: Connection, whoami: Callable[[], int]) -> None:
        """`whoami` says as whom the hall knows the client."""
        self._connection, self._whoami = connection, whoami
        connection.connection_made(self)
        self._clockwork.soon(lambda: self._call_in_hall(self._read))

    def vanish(self) -> None:
        """The program that the hall was is no more."""
        self._connection = None

    # What the network does.

    def receive(self, piece: bytes) -> None:
        if not self._is_reset:
            self._inbox += piece
            self._call_in_hall(self._read)

    def receive_end(self) -> None:
        self._peer_has_hung_up = True
        self._call_in_hall(self._read)

    def receive_reset(self) -> None:
        self._is_reset = True
        self._call_in_hall(self._read)

    def make_room(self, length: int) -> None:
        """The client has read so much."""
        self._in_socket -= length
        self._clockwork.soon(lambda: self._call_in_hall(self._write_on))

    def _read(self) -> None:
        """Has the connection hear what has come, at most so much at a time."""
        connection = self._connection
        deaf = not self._is_reading or self._is_closing or self._has_heard_end
        if connection is None or deaf:
            return
        if self._inbox:
            piece = bytes(self._inbox[:BYTES_AT_A_TIME])
            del self._inbox[:BYTES_AT_A_TIME]
            connection.data_received(piece)
            if self._inbox or self._peer_has_hung_up or self._is_reset:
                self._clockwork.soon(lambda: self._call_in_hall(self._read))
        elif self._is_reset:
            self._lose(ConnectionResetError())
        elif self._peer_has_hung_up:
            self._has_heard_end = True
            if not connection.eof_received():
                self.close()

    def _write_on(self) -> None:
        if self._connection is None or self._is_lost:
            return
        self._push()
        if self._is_full and not self._unsent and not self._is_closing:
            self._is_full = False
            self._connection.resume_writing()

    def _push(self) -> None:
        """Gives to the network what the socket has room for."""
        room = self._weather.socket_bytes - self._in_socket
        if self._unsent and room > 0:
            piece = bytes(self._unsent[:room])
            del self._unsent[:room]
            self._in_socket += len(piece)
            self._wire.send_down(list(self._weather.pieces(piece)))
        if not self._unsent and self._writes_end:
            self._writes_end = False
            self._wire.send_down([None])
        if not self._unsent and self._is_closing:
            self._end(None)

    def _lose(self, error: Exception | None) -> None:
        self._is_closing = True
        self._unsent.clear()
        self._end(error)

    def _end(self, error: Exception | None) -> None:
        """Tells the connection, a little later, that it is lost."""
        if self._is_lost:
            return
        self._is_lost = True
        if self._inbox or error is not None:
            # The peer is reset, and may not see the last that was sent to it.
            self._wire.end_client()
        else:
            self._wire.send_down([None])
        self._clockwork.soon(lambda: self._call_in_hall(lambda: self._tell_lost(error)))

    def _tell_lost(self, error: Exception | None) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.connection_lost(error)

    # What a Connection asks for.

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
        self._wire.peer = self._whoami()
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
            self._clockwork.soon(lambda: self._call_in_hall(self._read))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high == 0, "one message is one write"
