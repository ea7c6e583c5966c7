"""Cutting a stream of bytes into messages, however the network cut it (X-01)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

MessageT = TypeVar("MessageT")


class ProtocolError(Exception):
    """The stream cannot be read any further. The text says what was wrong with it."""


class Framing(ABC, Generic[MessageT]):
    """Takes bytes as they come and gives messages as they are complete."""

    __slots__ = ("has_more",)

    has_more: bool
    """Whether there are bytes that no message given so far was made of."""

    @abstractmethod
    def feed(self, data: bytes) -> None:
        """More bytes have come."""

    def end(self) -> None:
        """No more bytes will come."""

    @abstractmethod
    def next_message(self) -> MessageT | None:
        """The next whole message, None if it has not all come. Raises Malformed."""


class Packets(Framing[bytes]):
    """Packets that begin with four letters, their type.

    `lengths`: the types whose packets all have one length. For the others `measure` is given the
    bytes and where in them a packet begins, and says how long the whole packet is, None if that
    cannot be told yet; it raises Malformed for the beginning of no packet at all. It also bounds
    how much can be waiting: the longest packet it measures.
    """

    __slots__ = ("_buffer", "_lengths", "_measure", "_start")

    def __init__(
        self, lengths: Mapping[bytes, int], measure: Callable[[bytes, int], int | None]
    ) -> None:
        self.has_more = False
        self._lengths = lengths
        self._measure = measure
        self._buffer = b""
        self._start = 0

    def feed(self, data: bytes) -> None:
        # Mostly everything before has been read, and then nothing is copied. What was read is cut
        # off here and not packet by packet, since that would copy the rest once for each.
        self._buffer = self._buffer[self._start :] + data if self.has_more else data
        self._start = 0
        self.has_more = True

    def next_message(self) -> bytes | None:
        start = self._start
        buffer = self._buffer
        if not self.has_more:
            return None
        length = self._lengths.get(buffer[start : start + 4]) or self._measure(buffer, start)
        if length is None or len(buffer) < start + length:
            return None
        self._start = end = start + length
        self.has_more = end < len(buffer)
        return buffer[start:end]
