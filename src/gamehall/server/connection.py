"""The server's end of one TCP connection, for every protocol.

For all protocols: one message is one write; a client that does not read is dropped; a client that
sends too much is read more slowly, without delaying others; the last message always arrives.
"""

import asyncio
import logging
import math
from collections import deque
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from gamehall.rooms.notices import ChatSent, Closed, Notice
from gamehall.rooms.requests import Join
from gamehall.rooms.room import Peer
from gamehall.server.logged import loggable
from gamehall.server.room_host import Prepared
from gamehall.wire.session import Session

if TYPE_CHECKING:
    from gamehall.server.door import Door


BYTES_PER_MESSAGE: Final = 1024
"""The rate limit counts a longer message as several."""

MAX_BYTES_BEFORE_DROPPING_CHAT: Final = 131_072
"""While more output than this is queued for a client, chat for it is dropped (X-09)."""

SECONDS_TO_CLOSE: Final = 2.0
"""How long a client may take to read its last messages, and then to close its end (X-05)."""


class ConnectionState(Enum):
    """The states of a connection, in order."""

    OPEN = auto()
    CLOSING = auto()
    """The last messages are being written; input is ignored."""
    ENDED = auto()
    """The end of our stream is sent; the client may still close its own."""
    LOST = auto()
    """The socket is closed."""


class Droppable(NamedTuple):
    """A message that may be dropped for a slow reader: chat, never the game."""

    message: bytes


class LastMessage(NamedTuple):
    """A message after which the connection is closed in an orderly way."""

    message: bytes
    notice: Notice[Any] | None


class Drop:
    """Delivered instead of a message if the session has failed: closes the connection at once."""


class Connection(asyncio.Protocol):
    """Connects a socket, a session and the room host."""

    token: Final = ""
    """Always empty: a player of a session is recognised by its name and secret."""

    __slots__ = (
        "_abandon_at",
        "_allowance",
        "_clock",
        "_door",
        "_host",
        "_is_paused",
        "_is_request_pending",
        "_name",
        "_outbox",
        "_outbox_bytes",
        "_pace",
        "_peer_has_ended",
        "_read_again_at",
        "_remote",
        "_session",
        "_session_deadline",
        "_socket_is_full",
        "_state",
        "_transport",
        "_write_at",
        "address",
        "door_name",
        "peer",
        "return_seconds",
        "room_name",
    )

    def __init__(self, door: "Door") -> None:
        self.peer = Peer(0)
        self.room_name = ""
        self.address = ""
        self.door_name = door.name
        self.return_seconds = door.settings.return_seconds
        self._door = door
        self._host = door.host
        self._clock = door.timers.clock
        self._pace = door.settings.pace_ms / 1000
        self._allowance = door.allowance()
        self._state = ConnectionState.OPEN
        self._peer_has_ended = False
        """True if the client has closed its end of the stream. It may still read."""
        self._name: str | None = None
        self._is_request_pending = False
        self._is_paused = False
        """True while the socket is not read."""
        self._read_again_at: float | None = None
        """When to read again from a client that has sent too much; None if it has not."""
        self._socket_is_full = False
        self._outbox: deque[bytes] | None = None
        """Queued messages. None while every message can be written at once."""
        self._outbox_bytes = 0
        self._write_at: float | None = None
        """When the next message may be written at a door with a pace; None: at once."""
        self._session_deadline: float | None = None
        self._abandon_at = math.inf
        """When to abort a connection that is being closed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.address, port, *_ = transport.get_extra_info("peername") or ("unknown", 0)
        self._remote = f"{self.address}:{port}"
        # With a limit of 0 the transport never joins two messages into one write: it calls
        # pause_writing as soon as the kernel takes no more. With TLS, 0 would mean always full.
        self._transport.set_write_buffer_limits(high=0 if self._transport.can_write_eof() else 1)
        now = self._clock()
        self._session: Session[Any, Any] = self._door.open_session(now)
        refusal = self._door.admit(self)
        if refusal is not None:
            self._log.warning("%s: refused %s: %s", self.door_name, self._remote, refusal)
            self._session.close()
            self._begin_close()
            return
        self._set_timer()
        self._submit_next(now)

    def data_received(self, data: bytes) -> None:
        if self._state is not ConnectionState.OPEN:
            return
        now = self._clock()
        if self._write_at is not None:
            # The pace lets the client read one message at a time. It has answered, so it is ready.
            self._write_at = None
            self._flush()
        try:
            self._session.receive_data(data, now)
        except MemoryError:
            raise  # Not an error of this session: it ends the process.
        except Exception:
            self._fail("cannot read what %s sent")
            return
        if self._allowance and not self._allowance.spend(len(data) / BYTES_PER_MESSAGE, now):
            self._pause_reading_until(self._allowance.again_at)
        if self._is_request_pending:
            # One request at a time. Further input stays in the network's buffers.
            self._pause_reading()
            return
        self._submit_next(now)

    def eof_received(self) -> bool:
        """Return True to keep the connection open for writing.

        A client that has ended its input may still read (X-07).
        """
        self._peer_has_ended = True
        if self._state is not ConnectionState.OPEN:
            return bool(self._outbox)
        now = self._clock()
        try:
            self._session.receive_data(b"", now)
        except MemoryError:
            raise
        except Exception:
            self._fail("cannot read what %s sent")
            return False
        self._submit_next(now)
        # With TLS, the end of one direction also ends the other.
        return self._transport.can_write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self._state = ConnectionState.LOST
        self._session.close()
        self._door.timers.set(self, None)
        self._door.release(self)

    def pause_writing(self) -> None:
        self._socket_is_full = True
        self._start_queueing()

    def resume_writing(self) -> None:
        self._socket_is_full = False
        self._flush()

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        """Encode a notice; return None if the protocol has no message for it."""
        session = self._session
        if session.closed:
            return None
        try:
            message = session.send(notice)
        except MemoryError:
            raise
        except Exception:
            # An error of this session must not affect the game or other clients.
            self._log.exception("%s: cannot encode a notice for %s", self.door_name, self._label)
            session.close()
            return Drop()
        if session.closed:
            return LastMessage(message, notice)
        if type(notice) is ChatSent:
            return Droppable(message)
        return message if message or session.has_deferred_input else None

    def deliver(self, prepared: Prepared) -> None:
        if self._state is ConnectionState.LOST:
            return
        match prepared:
            case bytes(message):
                if message and self._outbox is None and not self._pace:
                    # The usual case, without another call.
                    self._transport.write(message)
                elif message:
                    self._send(message)
                if self._session.has_deferred_input:
                    # The session ignored input until this notice was sent.
                    self._session.has_deferred_input = False
                    now = self._clock()
                    self._tick_session(now)
                    self._submit_next(now)
            case Droppable(message):
                if self._outbox_bytes < MAX_BYTES_BEFORE_DROPPING_CHAT:
                    self._send(message)
            case LastMessage(message, notice):
                if message:
                    self._send(message)
                if self._session.fault is None and isinstance(notice, Closed):
                    level = logging.DEBUG if notice.is_expected else logging.INFO
                    self._log.log(level, "%s: %s: %s", self.door_name, self._label, notice.reason)
                self._begin_close()
            case _:
                assert isinstance(prepared, Drop)
                self._drop()

    def answered(self) -> None:
        """Submit the next request: the last one is committed, and its notices are delivered."""
        self._is_request_pending = False
        if self._state is not ConnectionState.OPEN or self._read_again_at is not None:
            return
        if self._session.has_input:
            self._submit_next(self._clock())
        if self._is_paused:
            self._resume_reading_if_idle()

    def close(self, reason: str) -> None:
        """Close the connection in an orderly way, unless it is being closed already."""
        if self._state is ConnectionState.OPEN:
            # If the session is closed, its last message may have been in an abandoned batch.
            self._host.enqueue(self, self.prepare(Closed(reason)) or LastMessage(b"", None))

    def tick(self, now: float) -> None:
        """Act on the deadlines that have passed."""
        if now >= self._abandon_at:
            self._transport.abort()
            return
        if self._write_at is not None and now >= self._write_at:
            self._write_at = None
            self._flush()
        is_read_again = self._read_again_at is not None and now >= self._read_again_at
        if is_read_again:
            self._read_again_at = None
        if self._state is ConnectionState.OPEN:
            self._tick_session(now)
            if self._read_again_at is None or self._session.fault is not None:
                self._submit_next(now)
        if is_read_again:
            self._resume_reading_if_idle()
        self._set_timer()

    @property
    def _log(self) -> logging.LoggerAdapter[logging.Logger]:
        return self._door.log_about(self.peer, self._remote)

    @property
    def _label(self) -> str:
        """The client's name, if it has one, and address, for the log."""
        return f"{loggable(self._name)} ({self._remote})" if self._name else self._remote

    def _submit_next(self, now: float) -> None:
        """Submit the client's next request, if the last one is answered."""
        session = self._session
        if self._is_request_pending or session.closed:
            return
        try:
            request = session.next_request()
        except MemoryError:
            raise
        except Exception:
            self._fail("cannot read what %s sent")
            return
        if session.pending_output:
            self._host.enqueue(self, session.pending_output)
            session.pending_output = b""
        if session.closed:
            # The session has ended the conversation by itself.
            self._host.enqueue(self, LastMessage(b"", None))
        if request is not None:
            if type(request) is Join:
                self._name = request.name
            self._is_request_pending = True
            self._door.counts.requests += 1
            self._host.submit(self, request, now)
            if self._allowance is not None and not self._allowance.spend(1, now):
                self._pause_reading_until(self._allowance.again_at)
        if session.deadline != self._session_deadline:
            self._set_timer()

    def _tick_session(self, now: float) -> None:
        try:
            self._session.tick(now)
        except MemoryError:
            raise
        except Exception:
            self._fail("the timer of %s failed")

    def _fail(self, what: str) -> None:
        """Drop a client whose session has failed. Others must not be affected (X-09)."""
        self._log.exception(f"%s: {what}", self.door_name, self._label)
        self._drop()

    def _send(self, message: bytes) -> None:
        """Write a message, or queue it. Drop a client for which too much is queued (X-08)."""
        if self._outbox is None:
            self._transport.write(message)
            if self._pace:
                self._wait_for_pace()
            return
        self._outbox.append(message)
        self._outbox_bytes += len(message)
        if self._outbox_bytes > self._door.settings.max_bytes_waiting:
            self._log.info("%s: dropping %s: it does not read", self.door_name, self._label)
            self._drop()

    def _resume_reading_if_idle(self) -> None:
        """Read the socket again if all requests so far are answered.

        Reading earlier would let a client that sends faster than it is answered fill the memory.
        """
        if self._is_paused and not self._is_request_pending and self._read_again_at is None:
            self._resume_reading()

    def _pause_reading(self) -> None:
        if not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        self._is_paused = False
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _pause_reading_until(self, until: float) -> None:
        self._read_again_at = until
        self._pause_reading()
        self._set_timer()

    def _wait_for_pace(self) -> None:
        """Queue the next messages until the pace of the door allows one."""
        self._write_at = self._clock() + self._pace
        self._start_queueing()
        self._set_timer()

    def _start_queueing(self) -> None:
        self._outbox = deque() if self._outbox is None else self._outbox

    def _drop(self) -> None:
        """Close at once, without sending the queued messages."""
        self._session.close()
        self._transport.abort()

    def _flush(self) -> None:
        """Write queued messages, as far as the socket and the pace allow."""
        outbox = self._outbox
        while outbox and not self._socket_is_full and self._write_at is None:
            message = outbox.popleft()
            self._outbox_bytes -= len(message)
            self._transport.write(message)
            if self._pace:
                self._wait_for_pace()
        if not outbox and not self._socket_is_full and self._write_at is None:
            self._outbox = None
        if (
            not outbox
            and self._state is ConnectionState.CLOSING
            and not self._transport.is_closing()
        ):
            self._end_writing()

    def _begin_close(self) -> None:
        """Begin the orderly close: last messages, end of stream, wait for the client's end.

        If the socket were closed with unread input, the kernel would reset the connection, and the
        client might never see the last message (X-05).
        """
        if self._state is not ConnectionState.OPEN or self._transport.is_closing():
            return
        if self._session.fault is not None:
            self._log.info("%s: %s: %s", self.door_name, self._label, self._session.fault)
        self._session.close()
        self._state = ConnectionState.CLOSING
        self._abandon_at = self._clock() + SECONDS_TO_CLOSE
        self._read_again_at = None
        # There is no time for the pace any more.
        self._write_at = None
        self._pace = 0
        self._resume_reading()
        self._set_timer()
        self._flush()

    def _end_writing(self) -> None:
        """End the stream after the last message."""
        if self._peer_has_ended or not self._transport.can_write_eof():
            self._transport.close()
        else:
            self._state = ConnectionState.ENDED
            self._abandon_at = self._clock() + SECONDS_TO_CLOSE
            self._set_timer()
            self._transport.write_eof()

    def _set_timer(self) -> None:
        self._session_deadline = (
            self._session.deadline if self._state is ConnectionState.OPEN else None
        )
        dues = (self._session_deadline, self._write_at, self._read_again_at, self._abandon_at)
        due = min(one for one in dues if one is not None)
        self._door.timers.set(self, None if due == math.inf else due)
