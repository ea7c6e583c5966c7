"""One client's connection without the socket: bytes in, requests out; notices in, bytes out.

Each protocol has a session for the server's end and one for the client's end. Both are written
from the same document, so each tests the other.
"""

from abc import ABC, abstractmethod
from typing import Final, Generic

import msgspec

from gamehall.core import GamehallError, MoveT
from gamehall.rooms.notices import Closed, Notice
from gamehall.rooms.requests import EndOfInput, Leave, Request
from gamehall.wire.framing import Framing, MessageT, ProtocolError

# The faults of a client that exceeds a time limit of its session.
JOIN_TIMEOUT: Final = "did not join in time"
MESSAGE_TIMEOUT: Final = "a message was not complete in time"


class UnreadableMoveError(GamehallError):
    """A well-formed message that stands where a move belongs, but does not describe one."""


class Timeouts(msgspec.Struct, frozen=True):
    """The time limits of a session; None means no limit."""

    seconds_to_join: float | None
    """From the connection until the server has accepted the client."""
    seconds_per_message: float | None
    """From the first byte of a message to the last."""


class Session(ABC, Generic[MessageT, MoveT]):
    """The server's end of a connection. Nothing that a client sends raises out of it.

    After `receive_data`, call `next_request` until it returns None, and handle each request before
    asking for the next. Then two messages in one segment are judged like two in two.

    A client that breaks the protocol results in one `Leave` with its fault, and is not read any
    more; the server may still send it last messages. A client that ends its input results in one
    `EndOfInput`, after everything that it sent before has been read, and all answers that it sent
    ahead have been used (X-07). `pending_output` holds what the session answers without the room.
    """

    __slots__ = (
        "_at_end",
        "_framing",
        "_gave_last_request",
        "_join_by",
        "_message_due",
        "_now",
        "_reminder",
        "_timeouts",
        "closed",
        "deadline",
        "fault",
        "has_deferred_input",
        "pending_output",
    )

    def __init__(self, framing: Framing[MessageT], timeouts: Timeouts, now: float) -> None:
        self.closed = False
        """True when nothing more is read or sent."""
        self.deadline: float | None = None
        """When `tick` must be called, None if it need not be."""
        self.fault: str | None = None
        """How the client broke the protocol, None if it has not."""
        self.has_deferred_input = False
        """Whether `next_request` must be called again for input that it did not read before."""
        self.pending_output = b""
        """Bytes to send at once, besides those that `send` returns. The sender empties it."""
        self._framing = framing
        self._timeouts = timeouts
        self._now = now
        self._at_end = False
        """Whether the client has ended its input."""
        self._gave_last_request = False
        self._reminder: float | None = None
        self._message_due: float | None = None
        """When the unfinished message must be complete."""
        self._join_by: float | None = None
        if timeouts.seconds_to_join is not None:
            self._join_by = self.deadline = now + timeouts.seconds_to_join

    @property
    def has_input(self) -> bool:
        """Return False if `next_request` is sure to return None until more data arrives."""
        return self._framing.has_more or self._at_end or self.fault is not None

    @property
    def has_script(self) -> bool:
        """Return True if answers are left that the client sent ahead, before it was prompted."""
        return False

    @abstractmethod
    def read(self, message: MessageT) -> Request[MoveT]:
        """Return the request of a message. Raises ProtocolError if the document has none such."""

    @abstractmethod
    def send(self, notice: Notice[MoveT]) -> bytes:
        """Return the bytes of a notice, b"" if the protocol has no message for it.

        `Closed` closes the session. Not checked: that it is not closed already.
        """

    def receive_data(self, data: bytes, now: float) -> None:
        """Take bytes from the client; b"" means that it has ended its input."""
        self._now = now
        if self.closed or self._gave_last_request:
            return
        if data:
            self._framing.feed(data)
        else:
            self._framing.end()
            self._at_end = True

    def next_request(self) -> Request[MoveT] | None:
        """Return the next request of the client, None until more data arrives."""
        if self.closed or self._gave_last_request:
            return None
        if self._framing.has_more and self.fault is None:
            try:
                message = self._framing.next_message()
                if message is not None:
                    if self._message_due is not None:
                        self._stop_waiting_for_rest()
                    return self.read(message)
            except ProtocolError as fault:
                self.fault = str(fault)
            else:
                if self._framing.has_more:
                    self._wait_for_rest()
        if self.fault is None and (not self._at_end or self.has_script):
            return None
        self._gave_last_request = True
        self._join_by = None
        self._stop_waiting_for_rest()
        return EndOfInput() if self.fault is None else Leave(self.fault)

    def tick(self, now: float) -> None:
        """Check the time limits. Call `next_request` afterwards: one may have passed."""
        self._now = now
        if self.deadline is None or now < self.deadline:
            return
        if self._join_by is not None and now >= self._join_by:
            self.fault = JOIN_TIMEOUT
        elif self._message_due is not None and now >= self._message_due:
            self.fault = MESSAGE_TIMEOUT
        elif self._reminder is not None and now >= self._reminder:
            self._set_reminder(None)
            self._remind()

    def close(self) -> None:
        self.closed = True
        self.deadline = None

    def _note_joined(self) -> None:
        """Note that the server has accepted the client: the time limit for joining ends."""
        self._join_by = None
        self._update_deadline()

    def _set_reminder(self, when: float | None) -> None:
        """Have `tick` call `_remind` at that time; None: not at all."""
        self._reminder = when
        self._update_deadline()

    def _remind(self) -> None:
        """Act on the reminder. `next_request` is called afterwards."""

    def _update_deadline(self) -> None:
        if self.closed:
            return
        due = (self._join_by, self._message_due, self._reminder)
        self.deadline = min((when for when in due if when is not None), default=None)

    def _wait_for_rest(self) -> None:
        """Set the time limit for the rest of an unfinished message."""
        seconds = self._timeouts.seconds_per_message
        if self._message_due is None and seconds is not None:
            self._message_due = self._now + seconds
            self._update_deadline()

    def _stop_waiting_for_rest(self) -> None:
        self._message_due = None
        self._update_deadline()


class ClientSession(ABC, Generic[MessageT, MoveT]):
    """The client's end of a connection: notices come in as bytes, requests go out.

    A server that breaks the protocol or closes the connection results in one `Closed`; then the
    session is closed.
    """

    __slots__ = ("_ended", "_framing", "_further", "closed")

    def __init__(self, framing: Framing[MessageT]) -> None:
        self.closed = False
        self._framing = framing
        self._ended = False
        self._further: Notice[MoveT] | None = None
        """A second notice of the last message, returned after the one that `read` returned."""

    @property
    def seconds_to_poll(self) -> float | None:
        """Return after how many seconds to call `poll`, None if the server sends by itself."""
        return None

    @property
    def seat_token(self) -> str | None:
        """Return what another client session needs to continue in this seat.

        None where a player that disconnects loses its seat, as in most protocols.
        """
        return None

    def resume(self, seat_token: str) -> None:
        """Continue in the seat of another client session instead of joining.

        Raises ValueError if this is no token of this protocol, or the protocol has none.
        """
        raise ValueError("at this door a player that disconnects loses its seat")

    def poll(self) -> bytes:
        """Return a request for news, b"" for protocols whose server sends by itself."""
        return b""

    @abstractmethod
    def read(self, message: MessageT) -> Notice[MoveT] | None:
        """Return the notice of a message, None if it contains nothing new.

        Raises ProtocolError if the document has no such message.
        """

    @abstractmethod
    def send(self, request: Request[MoveT]) -> bytes:
        """Return the bytes of a request, b"" if the protocol has no message for it."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the server; b"" means that it has closed the connection."""
        if data:
            self._framing.feed(data)
        else:
            self._framing.end()
            self._ended = True

    def next_notice(self) -> Notice[MoveT] | None:
        """Return the next notice of the server, None until more data arrives."""
        if self.closed:
            return None
        further, self._further = self._further, None
        if further is not None:
            return further
        try:
            while (message := self._framing.next_message()) is not None:
                notice = self.read(message)
                if notice is not None:
                    return notice
        except ProtocolError as fault:
            self.closed = True
            return Closed(f"the server does not keep to the protocol: {fault}")
        if self._ended:
            self.closed = True
            return Closed("the server has closed the connection")
        return None
