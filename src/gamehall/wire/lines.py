"""Cutting a stream of bytes into lines of text (X-04)."""

import re

from gamehall.wire.framing import Framing, ProtocolError

NOT_BLANK = re.compile(rb"[^ \t\r\n]")


class Lines(Framing[str]):
    """Lines that end in a newline, with or without a carriage return; blank ones are skipped.

    A line of more than `longest` bytes is Malformed (X-08). What is not UTF-8 is marked as such
    and left to whoever reads it.
    """

    __slots__ = ("_buffer", "_ended", "_longest", "_searched")

    def __init__(self, longest: int = 65_536) -> None:
        self.has_more = False
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        """How much of the buffer is known to have no newline."""
        self._ended = False

    def feed(self, data: bytes) -> None:
        self._buffer += data
        self._skip_blank()

    def end(self) -> None:
        """No more bytes will come: what has come of a line is all of it."""
        self._ended = True

    @property
    def bytes_kept(self) -> int:
        """How much waits to be read."""
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
        """Drops white space before the next line, so that it is not taken for the beginning."""
        if not self._searched:
            found = NOT_BLANK.search(self._buffer)
            blank = len(self._buffer) if found is None else found.start()
            if blank:
                del self._buffer[:blank]
        self.has_more = bool(self._buffer)
