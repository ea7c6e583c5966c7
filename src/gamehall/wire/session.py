"""One peer's conversation on one wire, without the wire: bytes in, requests out, and back.

There is a session for each end. They read the same document from opposite sides, so each is the
test of the other.
"""

from abc import ABC, abstractmethod
from typing import Generic

import msgspec

from gamehall.core.game import MoveT
from gamehall.hosting.notices import Dismissed, Notice
from gamehall.hosting.requests import HangUp, Leave, Request
from gamehall.wire.framing import Framing, Malformed, MessageT


class Patience(msgspec.Struct, frozen=True):
    """How long a session waits; None: for ever."""

    seconds_to_join: float | None
    """From the beginning until the house has let the peer in."""
    seconds_per_message: float | None
    """From the first byte of a message to the last."""


class Session(ABC, Generic[MessageT, MoveT]):
    """The house's end of a conversation. Nothing that a peer sends raises out of it.

    After `receive_data`, ask `next_request` until it gives None, and act on each request before
    asking for the next: then two messages in one segment are judged like two in two. A peer that
    breaks the protocol gives `Leave` with its fault, once, and is not listened to any more. One
    that hangs up gives `HangUp` when all it said before has been read.
    """

    __slots__ = (
        "_ended",
        "_finish_by",
        "_framing",
        "_hung_up",
        "_join_by",
        "_now",
        "_patience",
        "closed",
        "deadline",
        "fault",
    )

    def __init__(self, framing: Framing[MessageT], patience: Patience, now: float) -> None:
        self.closed = False
        """Whether the conversation is over: nothing more is read or sent."""
        self.deadline: float | None = None
        """When `tick` wants to be called, None if it need not be."""
        self.fault: str | None = None
        """How the peer broke the protocol, None if it has not."""
        self._framing = framing
        self._patience = patience
        self._now = now
        self._ended = False
        self._hung_up = False
        self._finish_by: float | None = None
        self._join_by: float | None = None
        if patience.seconds_to_join is not None:
            self._join_by = self.deadline = now + patience.seconds_to_join

    @abstractmethod
    def read(self, message: MessageT) -> Request[MoveT]:
        """What the peer wants by this message. Raises Malformed if it is none of the document's."""

    @abstractmethod
    def send(self, notice: Notice[MoveT]) -> bytes:
        """The notice in the words of this wire, b"" if it has none for it.

        To be dismissed closes the session. Not checked: that it is not closed already.
        """

    def receive_data(self, data: bytes, now: float) -> None:
        """Bytes have come from the peer; b"" says that it has hung up."""
        self._now = now
        if data:
            self._framing.feed(data)
        else:
            self._ended = True

    def next_request(self) -> Request[MoveT] | None:
        """What the peer wants next, None until more of it has come."""
        if self.closed:
            return None
        if self._framing.unfinished and self.fault is None:
            try:
                message = self._framing.next_message()
                if message is not None:
                    if self._finish_by is not None:
                        self._wait_for_rest(None)
                    return self.read(message)
            except Malformed as fault:
                self.fault = str(fault)
            else:
                if self._finish_by is None and self._patience.seconds_per_message is not None:
                    self._wait_for_rest(self._now + self._patience.seconds_per_message)
        if self.fault is not None:
            self.close()
            return Leave(self.fault)
        if self._ended and not self._hung_up:
            self._hung_up = True
            self._join_by = None
            self._wait_for_rest(None)
            return HangUp()
        return None

    def tick(self, now: float) -> None:
        """Time has passed; `next_request` tells whether patience is at its end."""
        self._now = now
        if self.deadline is None or now < self.deadline:
            return
        if self._join_by is not None and now >= self._join_by:
            self.fault = "has not joined in time"
        else:
            self.fault = "has left a message unfinished for too long"

    def _let_in(self) -> None:
        """The house has let the peer in: it need not hurry any more."""
        self._join_by = None
        self.deadline = self._finish_by

    def _wait_for_rest(self, until: float | None) -> None:
        """Part of a message has come, or all of it if `until` is None."""
        self._finish_by = until
        known = [when for when in (self._join_by, until) if when is not None]
        self.deadline = min(known, default=None)

    def close(self) -> None:
        """The conversation is over."""
        self.closed = True
        self.deadline = None


class ClientSession(ABC, Generic[MessageT, MoveT]):
    """A player's end of a conversation: the mirror image of a session.

    Requests go out as bytes, notices come in. A server that breaks the protocol or hangs up gives
    `Dismissed`, once, and the session is closed.
    """

    __slots__ = ("_ended", "_framing", "closed")

    def __init__(self, framing: Framing[MessageT]) -> None:
        self.closed = False
        self._framing = framing
        self._ended = False

    @abstractmethod
    def read(self, message: MessageT) -> Notice[MoveT]:
        """What the house says by this message. Raises Malformed if it is none of the document's."""

    @abstractmethod
    def send(self, request: Request[MoveT]) -> bytes:
        """The request in the words of this wire, b"" if it has none for it."""

    def receive_data(self, data: bytes) -> None:
        """Bytes have come from the server; b"" says that it has hung up."""
        if data:
            self._framing.feed(data)
        else:
            self._ended = True

    def next_notice(self) -> Notice[MoveT] | None:
        """What the house says next, None until more of it has come."""
        if self.closed:
            return None
        try:
            message = self._framing.next_message()
            if message is not None:
                return self.read(message)
        except Malformed as fault:
            self.closed = True
            return Dismissed(f"the server does not keep to the protocol: {fault}")
        if self._ended:
            self.closed = True
            return Dismissed("the server has closed the connection")
        return None
