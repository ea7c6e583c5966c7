"""Cut a stream of bytes into messages, however the network has split it (X-01)."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from gamehall.core import GamehallError

MessageT = TypeVar("MessageT")


class ProtocolError(GamehallError):
    """The stream cannot be read any further. The text says what was wrong with it."""


class Framing(ABC, Generic[MessageT]):
    """Collects bytes as they arrive and returns messages as soon as they are complete."""

    __slots__ = ("has_more",)

    has_more: bool
    """Whether there are bytes that belong to no message returned so far."""

    @abstractmethod
    def feed(self, data: bytes) -> None:
        """Add bytes that have arrived."""

    def end(self) -> None:
        """Note that no more bytes will arrive."""

    @abstractmethod
    def next_message(self) -> MessageT | None:
        """Return the next whole message, None if it is incomplete. Raises ProtocolError."""


class Packets(Framing[bytes]):
    """Packets that begin with four letters, their type.

    The longest packet that can be measured also limits how much is buffered.

    Args:
        lengths: the types whose packets have a fixed length.
        measure: for the others, called with the buffer and the start of a packet. It returns the
            length of the packet, None if that is unknown yet, and raises ProtocolError for an
            unknown type.
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
        # Usually everything before has been read, and nothing is copied. What was read is cut off
        # here and not packet by packet, which would copy the rest once for each packet.
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


NOT_BLANK = re.compile(rb"[^ \t\r\n]")


class Lines(Framing[str]):
    """Lines that end in a newline, with or without a carriage return; blank ones are skipped.

    A line of more than `longest` bytes raises ProtocolError (X-08). Bytes that are not UTF-8
    become replacement characters; the reader of the line decides what to do about them.
    """

    __slots__ = ("_buffer", "_ended", "_longest", "_searched")

    def __init__(self, longest: int = 65_536) -> None:
        self.has_more = False
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        """How many bytes of the buffer were searched for a newline without finding one."""
        self._ended = False

    def feed(self, data: bytes) -> None:
        self._buffer += data
        self._skip_blank()

    def end(self) -> None:
        """Note that no more bytes will arrive: an unfinished line is complete as it is."""
        self._ended = True

    @property
    def bytes_buffered(self) -> int:
        return len(self._buffer)

    def next_message(self) -> str | None:
        if not self.has_more:
            return None
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = end = len(self._buffer)
            if end <= self._longest and not self._ended:
                return None
        if end > self._longest:
            raise ProtocolError(f"a line has more than {self._longest} bytes")
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        self._skip_blank()
        return line.decode("utf-8", "replace").strip()

    def _skip_blank(self) -> None:
        """Drop white space before the next line, so that it does not count as a begun line."""
        if not self._searched:
            found = NOT_BLANK.search(self._buffer)
            blank = len(self._buffer) if found is None else found.start()
            if blank:
                del self._buffer[:blank]
        self.has_more = bool(self._buffer)
