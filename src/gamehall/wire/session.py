"""One peer's conversation on one wire, without the wire: bytes in, requests out, and back.

There is a session for each end. They read the same document from opposite sides, so each is the
test of the other.
"""

from abc import ABC, abstractmethod
from typing import Generic

import msgspec

from gamehall.core import GamehallError, MoveT
from gamehall.rooms.notices import Closed, Notice
from gamehall.rooms.requests import EndOfInput, Leave, Request
from gamehall.wire.framing import Framing, MessageT, ProtocolError


class UnreadableMoveError(GamehallError):
    """A message that would be a move, and is none at all, for this reason."""


class Timeouts(msgspec.Struct, frozen=True):
    """How long a session waits; None: for ever."""

    seconds_to_join: float | None
    """From the beginning until the house has let the peer in."""
    seconds_per_message: float | None
    """From the first byte of a message to the last."""


class Session(ABC, Generic[MessageT, MoveT]):
    """The house's end of a conversation. Nothing that a peer sends raises out of it.

    After `receive_data`, ask `next_request` until it gives None, and act on each request before
    asking for the next: then two messages in one segment are judged like two in two. A peer that
    breaks the protocol gives `Leave` with its fault, once, and is not listened to any more; the
    house may still have parting words for it. One that hangs up gives `EndOfInput`, once, when all
    it said before has been read, and no script of answers is left (X-07). What is a matter of the
    wire alone, the session answers by `pending_output`.
    """

    __slots__ = (
        "_at_end",
        "_finish_by",
        "_framing",
        "_join_by",
        "_now",
        "_reminder",
        "_said_goodbye",
        "_timeouts",
        "closed",
        "deadline",
        "fault",
        "has_deferred_input",
        "pending_output",
    )

    def __init__(self, framing: Framing[MessageT], timeouts: Timeouts, now: float) -> None:
        self.closed = False
        """Whether the conversation is over: nothing more is read or sent."""
        self.deadline: float | None = None
        """When `tick` wants to be called, None if it need not be."""
        self.fault: str | None = None
        """How the peer broke the protocol, None if it has not."""
        self.has_deferred_input = False
        """Whether something was not listened to before, and is to be asked for now."""
        self.pending_output = b""
        """What is to be sent at once, besides what `send` gives; whoever sends it empties it."""
        self._framing = framing
        self._timeouts = timeouts
        self._now = now
        self._at_end = False
        """Whether the peer has hung up."""
        self._said_goodbye = False
        """Whether the last request has been given."""
        self._reminder: float | None = None
        self._finish_by: float | None = None
        self._join_by: float | None = None
        if timeouts.seconds_to_join is not None:
            self._join_by = self.deadline = now + timeouts.seconds_to_join

    @property
    def has_input(self) -> bool:
        """Return False if `next_request` is sure to give None until more data has come."""
        return self._framing.has_more or self._at_end or self.fault is not None

    @property
    def has_script(self) -> bool:
        """Whether answers are left that the peer has sent ahead, for prompts to come."""
        return False

    @abstractmethod
    def read(self, message: MessageT) -> Request[MoveT]:
        """Return the request in this message. Raises ProtocolError if it is not in the document."""

    @abstractmethod
    def send(self, notice: Notice[MoveT]) -> bytes:
        """The notice in the words of this wire, b"" if it has none for it.

        To be dismissed closes the session. Not checked: that it is not closed already.
        """

    def receive_data(self, data: bytes, now: float) -> None:
        """Bytes have come from the peer; b"" says that it has hung up."""
        self._now = now
        if self.closed or self._said_goodbye:
            # Nobody will listen, so nothing is kept.
            return
        if data:
            self._framing.feed(data)
        else:
            self._framing.end()
            self._at_end = True

    def next_request(self) -> Request[MoveT] | None:
        """What the peer wants next, None until more of it has come."""
        if self.closed or self._said_goodbye:
            return None
        if self._framing.has_more and self.fault is None:
            try:
                message = self._framing.next_message()
                if message is not None:
                    if self._finish_by is not None:
                        self._stop_waiting_for_rest()
                    return self.read(message)
            except ProtocolError as fault:
                self.fault = str(fault)
            else:
                if self._framing.has_more:
                    self._wait_for_rest()
        if self.fault is None and (not self._at_end or self.has_script):
            return None
        self._said_goodbye = True
        self._join_by = None
        self._stop_waiting_for_rest()
        return EndOfInput() if self.fault is None else Leave(self.fault)

    def tick(self, now: float) -> None:
        """Time has passed; `next_request` tells whether timeouts is at its end."""
        self._now = now
        if self.deadline is None or now < self.deadline:
            return
        if self._join_by is not None and now >= self._join_by:
            self.fault = "has not joined in time"
        elif self._finish_by is not None and now >= self._finish_by:
            self.fault = "has left a message unfinished for too long"
        elif self._reminder is not None and now >= self._reminder:
            self._set_reminder(None)
            self._remind()

    def close(self) -> None:
        """The conversation is over."""
        self.closed = True
        self.deadline = None

    def _note_joined(self) -> None:
        """The house has let the peer in: it need not hurry any more."""
        self._join_by = None
        self._note_deadline()

    def _set_reminder(self, when: float | None) -> None:
        """Have `tick` called at that time, and `_remind` by it; None: not at all."""
        self._reminder = when
        self._note_deadline()

    def _remind(self) -> None:
        """The time of the reminder has come. `next_request` is called after this, too."""

    def _note_deadline(self) -> None:
        if self.closed:
            return
        due = (self._join_by, self._finish_by, self._reminder)
        self.deadline = min((when for when in due if when is not None), default=None)

    def _wait_for_rest(self) -> None:
        """Part of a message has come, and the rest must follow in time."""
        seconds = self._timeouts.seconds_per_message
        if self._finish_by is None and seconds is not None:
            self._finish_by = self._now + seconds
            self._note_deadline()

    def _stop_waiting_for_rest(self) -> None:
        self._finish_by = None
        self._note_deadline()


class ClientSession(ABC, Generic[MessageT, MoveT]):
    """A player's end of a conversation: the mirror image of a session.

    Requests go out as bytes, notices come in. A server that breaks the protocol or hangs up gives
    `Closed`, once, and the session is closed.
    """

    __slots__ = ("_ended", "_framing", "_further", "closed")

    def __init__(self, framing: Framing[MessageT]) -> None:
        self.closed = False
        self._framing = framing
        self._ended = False
        self._further: Notice[MoveT] | None = None
        """What follows from the last message besides what `read` has given."""

    @property
    def seconds_to_poll(self) -> float | None:
        """After how many seconds of silence the server is to be asked, None if it is not."""
        return None

    @property
    def seat_token(self) -> str | None:
        """What another client needs to go on in this player's seat, None if that is impossible.

        On most wires a player who hangs up has left its seat; on some the seat stays taken.
        """
        return None

    def resume(self, seat_token: str) -> None:
        """Go on in a seat that another client has taken, instead of joining.

        `place` is what the property of that name was there. Raises ValueError if it is not, or
        if this wire does not know such a thing.
        """
        raise ValueError("at this door a player who hangs up has left its seat")

    def poll(self) -> bytes:
        """Asks the server for news, on wires that do not tell by themselves."""
        return b""

    @abstractmethod
    def read(self, message: MessageT) -> Notice[MoveT] | None:
        """What the house says by this message, None if that is nothing.

        Raises ProtocolError if it is none of the document's.
        """

    @abstractmethod
    def send(self, request: Request[MoveT]) -> bytes:
        """The request in the words of this wire, b"" if it has none for it."""

    def receive_data(self, data: bytes) -> None:
        """Bytes have come from the server; b"" says that it has hung up."""
        if data:
            self._framing.feed(data)
        else:
            self._framing.end()
            self._ended = True

    def next_notice(self) -> Notice[MoveT] | None:
        """What the house says next, None until more of it has come."""
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
