"""One session over one socket: the driver of every TCP protocol.

What it sees to, so that no protocol has to: one message is one write; a peer that does not read
is dropped and one that writes without end is slowed down, and neither delays anybody else; the
last message always arrives.
"""

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from gamehall.rooms.notices import ChatSent, Closed, Notice
from gamehall.rooms.reaction import Peer
from gamehall.rooms.requests import Join
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


class Expendable(NamedTuple):
    """A message that a client who has much to read already may miss: chat, never the game."""

    message: bytes


class Goodbye(NamedTuple):
    """The last message, after which the connection is closed in an orderly way."""

    message: bytes
    notice: Notice[Any] | None


DROP: Final = object()
"""Delivered to a connection whose session has failed: it is closed at once."""


class Connection(asyncio.Protocol):
    """Takes bytes from a socket to a session, requests to the host, and notices back."""

    __slots__ = (
        "_abandon_at",
        "_allowance",
        "_clock",
        "_door",
        "_hung_up",
        "_is_lost",
        "_is_paused",
        "_is_waiting",
        "_listen_at",
        "_name",
        "_outbox",
        "_outbox_bytes",
        "_pace",
        "_rooms",
        "_session",
        "_session_deadline",
        "_socket_full",
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
        self._hung_up = False
        self._name: str | None = None
        """What the peer calls itself, if it has said so."""
        self._is_waiting = False
        """Whether the last request of the peer is not answered yet."""
        self._is_paused = False
        """Whether the socket is not read for now."""
        self._is_lost = False
        """Whether the socket is gone."""
        self._socket_full = False
        """Whether the peer's side of the socket is full."""
        self._outbox: deque[bytes] | None = None
        """Messages that have to wait. None while every message can be written at once."""
        self._outbox_bytes = 0
        self._session_deadline: float | None = None
        self._write_at: float | None = None
        """When the next message may be written, if the door sets a pace."""
        self._listen_at: float | None = None
        """When the peer is listened to again, if it has talked too much."""
        self._abandon_at: float | None = None
        """When the socket is closed whatever the peer does; set once the close has begun."""

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

    @property
    def token(self) -> str:
        """What a page has that comes through this door; others have none."""
        return self._rooms.tokens.get(self._where, "")

    def data_received(self, data: bytes) -> None:
        if self._abandon_at is not None:
            return
        now = self._clock()
        if self._write_at is not None:
            self._write_at = None  # The peer has answered, so it has read what came before.
            self._flush()
        try:
            self._session.receive_data(data, now)
        except Exception:
            self._fail("cannot read what %s sent")
            return
        if self._allowance and not self._allowance.spend(len(data) / BYTES_PER_MESSAGE, now):
            self._stop_listening(self._allowance.again_at)
        if self._is_waiting:
            # It has said enough for now; the network holds back the rest.
            self._pause_reading()
            return
        self._work(now)

    def eof_received(self) -> bool:
        """Whether the socket stays open: a peer that has hung up may still be listening (X-07)."""
        self._hung_up = True
        if self._abandon_at is not None:
            return bool(self._outbox)
        now = self._clock()
        try:
            self._session.receive_data(b"", now)
        except Exception:
            self._fail("cannot read what %s sent")
            return False
        self._work(now)
        # Over TLS nobody can listen on when they have hung up.
        return self._transport.can_write_eof()

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_lost = True
        self._session.close()
        self._door.timers.set(self, None)
        self._door.release(self, self.address)
        self._rooms.tokens.pop(self._where, None)

    def pause_writing(self) -> None:
        self._socket_full = True
        self._hold_back()

    def resume_writing(self) -> None:
        self._socket_full = False
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
        return message if message or session.has_kept_input else None

    def deliver(self, prepared: Prepared) -> None:
        """Send what was prepared: what led to it is committed."""
        if self._is_lost:
            return
        if type(prepared) is bytes:
            if prepared and self._outbox is None and not self._pace:
                self._transport.write(prepared)
            elif prepared:
                self._send(prepared)
            if self._session.has_kept_input:
                self._session.has_kept_input = False
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
        if self._is_lost or self._abandon_at is not None or self._listen_at is not None:
            return
        if self._session.has_input:
            self._work(self._clock())
        if self._is_paused:
            self._listen_if_idle()

    def dismiss(self, reason: str) -> None:
        """Close the connection in an orderly way, unless the peer is leaving already."""
        if self._abandon_at is None:
            # Of a session that is closed already the goodbye may be in a batch that was abandoned.
            self._rooms.say(self, self.prepare(Closed(reason)) or Goodbye(b"", None))

    def tick(self, now: float) -> None:
        """One of the deadlines has come."""
        if self._abandon_at is not None and now >= self._abandon_at:
            self._transport.abort()
            return
        if self._write_at is not None and now >= self._write_at:
            self._write_at = None
            self._flush()
        is_rested = self._listen_at is not None and now >= self._listen_at
        if is_rested:
            self._listen_at = None
        if self._abandon_at is None:
            self._tick_session(now)
            if self._listen_at is None or self._session.fault is not None:
                self._work(now)
        if is_rested:
            self._listen_if_idle()
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
                self._stop_listening(self._allowance.again_at)
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
                self._wait_a_little()
        else:
            self._keep(message, self._outbox)

    def _listen_if_idle(self) -> None:
        """Read on, if all that the peer has said was acted on.

        To read before that would let a peer that sends faster than it is answered fill the memory.
        """
        if self._is_paused and not self._is_waiting and self._listen_at is None:
            self._resume_reading()

    def _pause_reading(self) -> None:
        if not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        self._is_paused = False
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _stop_listening(self, until: float) -> None:
        """Reads nothing more from the peer for a while; the network holds it back."""
        self._listen_at = until
        self._pause_reading()
        self._set_timer()

    def _wait_a_little(self) -> None:
        """A message was written: the next one has to wait for as long as the pace says."""
        self._write_at = self._clock() + self._pace
        self._hold_back()
        self._set_timer()

    def _hold_back(self) -> None:
        """From now on messages have to wait."""
        self._outbox = deque() if self._outbox is None else self._outbox

    def _keep(self, message: bytes, outbox: deque[bytes]) -> None:
        """Keeps a message for later. A peer for which too many are kept is dropped (X-08)."""
        outbox.append(message)
        self._outbox_bytes += len(message)
        if self._outbox_bytes > self._door.settings.max_bytes_waiting:
            self._log.info("%s: dropping %s: it does not read", self.door, self._who)
            self._drop()

    def _drop(self) -> None:
        """Closes at once, whatever the peer may still be waiting for."""
        self._session.close()
        self._transport.abort()

    def _flush(self) -> None:
        """Writes what was kept, as far as the peer's side of the socket and the pace allow."""
        outbox = self._outbox
        while outbox and not self._socket_full and self._write_at is None:
            message = outbox.popleft()
            self._outbox_bytes -= len(message)
            self._transport.write(message)
            if self._pace:
                self._wait_a_little()
        if not outbox and not self._socket_full and self._write_at is None:
            self._outbox = None
        if not outbox and self._abandon_at is not None and not self._transport.is_closing():
            self._end_writing()

    def _begin_close(self) -> None:
        """The orderly close: last messages, end of stream, then wait for the peer to hang up.

        To close at once with unread input would make the kernel reset the connection, and the
        peer might never see the last message (X-05).
        """
        if self._abandon_at is not None or self._transport.is_closing():
            return
        if self._session.fault is not None:
            self._log.info("%s: %s: %s", self.door, self._who, self._session.fault)
        self._session.close()
        self._abandon_at = self._clock() + SECONDS_TO_CLOSE
        self._listen_at = None
        # The last messages are worth more than the gaps between them.
        self._write_at = None
        self._pace = 0
        self._resume_reading()
        self._set_timer()
        self._flush()

    def _end_writing(self) -> None:
        """Everything is written: the rest is up to the peer."""
        if self._hung_up or not self._transport.can_write_eof():
            self._transport.close()
        else:
            self._abandon_at = self._clock() + SECONDS_TO_CLOSE
            self._set_timer()
            self._transport.write_eof()

    def _set_timer(self) -> None:
        self._session_deadline = self._session.deadline if self._abandon_at is None else None
        due = (self._session_deadline, self._write_at, self._listen_at, self._abandon_at)
        self._door.timers.set(self, min((w for w in due if w is not None), default=None))
