"""One session over one socket: the driver of every TCP protocol.

Done here for all protocols: one message is one write; a peer that does not read is dropped, and
one that sends too much is read more slowly, without delaying other peers; the last message always
arrives.
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
from gamehall.server.limits import (
    BYTES_PER_MESSAGE,
    EXPENDABLE_BYTES_WAITING,
    SECONDS_TO_CLOSE,
)
from gamehall.server.logged import loggable
from gamehall.server.room_host import Prepared
from gamehall.wire.session import Session

if TYPE_CHECKING:
    from gamehall.server.door import Door


class ConnectionState(Enum):
    """How far the life of a connection has come."""

    OPEN = auto()
    """Requests are read, messages are written."""
    CLOSING = auto()
    """The last messages are being written; what the peer sends is ignored."""
    ENDED = auto()
    """Our end of the stream is sent; the peer has a while to end its own."""
    LOST = auto()
    """The socket is gone."""


class Expendable(NamedTuple):
    """A message that is dropped if the client has much to read already: chat, never the game."""

    message: bytes


class Goodbye(NamedTuple):
    """The last message, after which the connection is closed in an orderly way."""

    message: bytes
    notice: Notice[Any] | None


DROP: Final = object()
"""Delivered to a connection whose session has failed: it is closed at once."""


class Connection(asyncio.Protocol):
    """Takes bytes from a socket to a session, requests to the host, and notices back."""

    token: Final = ""
    """Clients without a wire have one; here the requests of the session say who its player is."""

    __slots__ = (
        "_abandon_at",
        "_allowance",
        "_clock",
        "_door",
        "_is_paused",
        "_is_waiting",
        "_name",
        "_outbox",
        "_outbox_bytes",
        "_pace",
        "_peer_has_ended",
        "_read_at",
        "_rooms",
        "_session",
        "_session_deadline",
        "_socket_is_full",
        "_state",
        "_transport",
        "_where",
        "_write_at",
        "address",
        "door",
        "peer",
        "return_seconds",
        "room",
    )

    def __init__(self, door: "Door") -> None:
        self.peer = Peer(0)
        self.room = ""
        self.address = ""
        self.door = door.name
        self.return_seconds = door.settings.return_seconds
        self._door = door
        self._rooms = door.host
        self._clock = door.timers.clock
        self._pace = door.settings.pace_ms / 1000
        self._allowance = door.allowance()
        self._state = ConnectionState.OPEN
        self._peer_has_ended = False
        """Whether the peer has sent its end of the stream; it may still read."""
        self._name: str | None = None
        """The name with which the peer has joined."""
        self._is_waiting = False
        """Whether the last request of the peer is not answered yet."""
        self._is_paused = False
        """Whether the socket is not read for now."""
        self._read_at: float | None = None
        """When the peer is read again that has sent too much; None: it has not."""
        self._socket_is_full = False
        """Whether the kernel takes no more bytes for now."""
        self._outbox: deque[bytes] | None = None
        """Messages that have to wait. None while every message can be written at once."""
        self._outbox_bytes = 0
        self._write_at: float | None = None
        """When the next message may be written at a door with a pace; None: at once."""
        self._session_deadline: float | None = None
        self._abandon_at = math.inf
        """When the socket is closed whatever the peer does, once the close has begun."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.address, port, *_ = transport.get_extra_info("peername") or ("somewhere", 0)
        self._where = f"{self.address}:{port}"
        # So every message goes to the kernel at once, by a write of its own, and the loop
        # says so as soon as the peer's side is full. A loop over TLS takes 0 for full already.
        self._transport.set_write_buffer_limits(high=0 if self._transport.can_write_eof() else 1)
        now = self._clock()
        self._session: Session[Any, Any] = self._door.open_session(now)
        refusal = self._door.admit(self, self.address)
        if refusal is not None:
            self._log.warning("%s: refused %s: %s", self.door, self._where, refusal)
            self._session.close()
            self._begin_close()
            return
        self._set_timer()
        self._work(now)

    def data_received(self, data: bytes) -> None:
        if self._state is not ConnectionState.OPEN:
            return
        now = self._clock()
        if self._write_at is not None:
            # The peer has answered, so it has read what came before.
            self._write_at = None
            self._flush()
        try:
            self._session.receive_data(data, now)
        except Exception:
            self._fail("cannot read what %s sent")
            return
        if self._allowance and not self._allowance.spend(len(data) / BYTES_PER_MESSAGE, now):
            self._rest_reading(self._allowance.again_at)
        if self._is_waiting:
            # One request at a time: the network holds back the rest.
            self._pause_reading()
            return
        self._work(now)

    def eof_received(self) -> bool:
        """Return True to keep the socket: a peer that has ended its input may still read (X-07)."""
        self._peer_has_ended = True
        if self._state is not ConnectionState.OPEN:
            return bool(self._outbox)
        now = self._clock()
        try:
            self._session.receive_data(b"", now)
        except Exception:
            self._fail("cannot read what %s sent")
            return False
        self._work(now)
        # Over TLS the end of one direction ends the other.
        return self._transport.can_write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self._state = ConnectionState.LOST
        self._session.close()
        self._door.timers.set(self, None)
        self._door.release(self, self.address)

    def pause_writing(self) -> None:
        self._socket_is_full = True
        self._hold_back()

    def resume_writing(self) -> None:
        self._socket_is_full = False
        self._flush()

    def prepare(self, notice: Notice[Any]) -> Prepared | None:
        """Write a notice in the words of the wire; None if it has none for it."""
        session = self._session
        if session.closed:
            return None
        try:
            message = session.send(notice)
        except MemoryError:
            raise
        except Exception:
            # An error of ours, which must end neither the game nor what others are told.
            self._log.exception("%s: cannot tell %s", self.door, self._who)
            session.close()
            return DROP
        if session.closed:
            return Goodbye(message, notice)
        if type(notice) is ChatSent:
            return Expendable(message)
        return message if message or session.has_deferred_input else None

    def deliver(self, prepared: Prepared) -> None:
        """Send what was prepared: what led to it is committed."""
        if self._state is ConnectionState.LOST:
            return
        if type(prepared) is bytes:
            if prepared and self._outbox is None and not self._pace:
                self._transport.write(prepared)
            elif prepared:
                self._send(prepared)
            if self._session.has_deferred_input:
                self._session.has_deferred_input = False
                now = self._clock()
                self._tick_session(now)
                self._work(now)
        elif type(prepared) is Expendable:
            if self._outbox_bytes < EXPENDABLE_BYTES_WAITING:
                self._send(prepared.message)
        elif type(prepared) is Goodbye:
            if prepared.message:
                self._send(prepared.message)
            if self._session.fault is None and type(prepared.notice) is Closed:
                level = logging.DEBUG if prepared.notice.is_expected else logging.INFO
                self._log.log(level, "%s: %s: %s", self.door, self._who, prepared.notice.reason)
            self._begin_close()
        else:
            self._drop()

    def answered(self) -> None:
        """The last request is answered: go on with what the peer sent after it."""
        self._is_waiting = False
        if self._state is not ConnectionState.OPEN or self._read_at is not None:
            return
        if self._session.has_input:
            self._work(self._clock())
        if self._is_paused:
            self._read_if_idle()

    def dismiss(self, reason: str) -> None:
        """Close the connection in an orderly way, unless the peer is leaving already."""
        if self._state is ConnectionState.OPEN:
            # Of a session that is closed already the goodbye may be in a batch that was abandoned.
            self._rooms.say(self, self.prepare(Closed(reason)) or Goodbye(b"", None))

    def tick(self, now: float) -> None:
        """One of the deadlines has come."""
        if now >= self._abandon_at:
            self._transport.abort()
            return
        if self._write_at is not None and now >= self._write_at:
            self._write_at = None
            self._flush()
        is_read_again = self._read_at is not None and now >= self._read_at
        if is_read_again:
            self._read_at = None
        if self._state is ConnectionState.OPEN:
            self._tick_session(now)
            if self._read_at is None or self._session.fault is not None:
                self._work(now)
        if is_read_again:
            self._read_if_idle()
        self._set_timer()

    @property
    def _log(self) -> logging.LoggerAdapter[logging.Logger]:
        return self._door.log_about(self.peer, self._where)

    @property
    def _who(self) -> str:
        """The peer as the log names it: by its address, and its name where that is known."""
        return f"{loggable(self._name)} ({self._where})" if self._name else self._where

    def _work(self, now: float) -> None:
        """Submit the next request of the peer, if the last one is answered."""
        session = self._session
        if self._is_waiting or session.closed:
            return
        try:
            request = session.next_request()
        except MemoryError:
            raise
        except Exception:
            self._fail("cannot read what %s sent")
            return
        if session.pending_output:
            self._rooms.say(self, session.pending_output)
            session.pending_output = b""
        if session.closed:
            # It has answered by itself, and is done.
            self._rooms.say(self, Goodbye(b"", None))
        if request is not None:
            if type(request) is Join:
                self._name = request.name
            self._is_waiting = True
            self._door.counts.requests += 1
            self._rooms.submit(self, request, now)
            if self._allowance is not None and not self._allowance.spend(1, now):
                self._rest_reading(self._allowance.again_at)
        if session.deadline != self._session_deadline:
            self._set_timer()

    def _tick_session(self, now: float) -> None:
        try:
            self._session.tick(now)
        except Exception:
            self._fail("cannot go on with %s")

    def _fail(self, what: str) -> None:
        """Drop a client whose session has failed: our error must not affect others (X-09)."""
        self._log.exception(f"%s: {what}", self.door, self._who)
        self._drop()

    def _send(self, message: bytes) -> None:
        """Write a message, or keep it for later."""
        if self._outbox is None:
            self._transport.write(message)
            if self._pace:
                self._keep_pace()
        else:
            self._keep(message, self._outbox)

    def _read_if_idle(self) -> None:
        """Read the socket again if all requests that have come are answered.

        Reading earlier would let a peer that sends faster than it is answered fill the memory.
        """
        if self._is_paused and not self._is_waiting and self._read_at is None:
            self._resume_reading()

    def _pause_reading(self) -> None:
        if not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        self._is_paused = False
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _rest_reading(self, until: float) -> None:
        """Read nothing from the peer for a while: the network holds it back."""
        self._read_at = until
        self._pause_reading()
        self._set_timer()

    def _keep_pace(self) -> None:
        """Keep the next messages until the pace of the door allows one."""
        self._write_at = self._clock() + self._pace
        self._hold_back()
        self._set_timer()

    def _hold_back(self) -> None:
        """Keep messages from now on."""
        self._outbox = deque() if self._outbox is None else self._outbox

    def _keep(self, message: bytes, outbox: deque[bytes]) -> None:
        """Keep a message for later. Drop a peer for which too many are kept (X-08)."""
        outbox.append(message)
        self._outbox_bytes += len(message)
        if self._outbox_bytes > self._door.settings.max_bytes_waiting:
            self._log.info("%s: dropping %s: it does not read", self.door, self._who)
            self._drop()

    def _drop(self) -> None:
        """Close at once, without the messages that are kept."""
        self._session.close()
        self._transport.abort()

    def _flush(self) -> None:
        """Write what was kept, as far as the socket and the pace allow."""
        outbox = self._outbox
        while outbox and not self._socket_is_full and self._write_at is None:
            message = outbox.popleft()
            self._outbox_bytes -= len(message)
            self._transport.write(message)
            if self._pace:
                self._keep_pace()
        if not outbox and not self._socket_is_full and self._write_at is None:
            self._outbox = None
        if (
            not outbox
            and self._state is ConnectionState.CLOSING
            and not self._transport.is_closing()
        ):
            self._end_writing()

    def _begin_close(self) -> None:
        """Begin the orderly close: last messages, end of stream, wait for the peer's end.

        Closing at once with unread input would make the kernel reset the connection, and the peer
        might never see the last message (X-05).
        """
        if self._state is not ConnectionState.OPEN or self._transport.is_closing():
            return
        if self._session.fault is not None:
            self._log.info("%s: %s: %s", self.door, self._who, self._session.fault)
        self._session.close()
        self._state = ConnectionState.CLOSING
        self._abandon_at = self._clock() + SECONDS_TO_CLOSE
        self._read_at = None
        # The last messages are worth more than the gaps between them.
        self._write_at = None
        self._pace = 0
        self._resume_reading()
        self._set_timer()
        self._flush()

    def _end_writing(self) -> None:
        """Send the end of the stream, everything being written."""
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
        dues = (self._session_deadline, self._write_at, self._read_at, self._abandon_at)
        due = min(one for one in dues if one is not None)
        self._door.timers.set(self, None if due == math.inf else due)
