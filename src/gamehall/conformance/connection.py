"""The raw connection of the checks, and the exceptions that end a check.

The checks do not use our own client driver and sessions (`clients.tcp`): those would hide the
bytes, and every mistake that our client and our server have in common (decision 36).
"""

import contextlib
import select
import socket
import struct
import time
from collections.abc import Sequence

from gamehall.core import GamehallError

BYTES_AT_A_TIME = 65_536
LONGEST_LINE = 1 << 20
MOST_KEPT = 1 << 26
LONGEST_SHOWN = 160
END = "the end of the connection"
RESET = "a broken connection"


class ClauseError(GamehallError):
    """The server broke a clause."""

    def __init__(self, expected: str, came: str, clause: str, *, is_silence: bool = False) -> None:
        super().__init__(f"expected {expected}; came {came}")
        self.expected = expected
        self.came = came
        self.clause = clause
        self.is_silence = is_silence
        """Whether nothing was received at all."""


class CheckSkippedError(GamehallError):
    """The check cannot continue, but no clause is broken. The text says why."""


class ServerGoneError(CheckSkippedError):
    """The server does not accept connections any more. The text says why."""


def demand(holds: bool, clause: str, expected: str, came: object) -> None:
    """Raise ClauseError unless `holds` is true."""
    if not holds:
        raise ClauseError(expected, shown(came), clause)


def shown(thing: object) -> str:
    """Return a value as text, short enough for a report."""
    text = thing if isinstance(thing, str) else repr(thing)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


class RawConnection:
    """A blocking connection to the server.

    The methods that read take the expected message, in words for the report, and the clause that
    is broken if it does not come. They raise ClauseError then, and CheckSkippedError if the whole
    check has taken too long.
    """

    def __init__(self, host: str, port: int, patience_seconds: float, give_up_at: float) -> None:
        """Connect. Raises OSError.

        Args:
            patience_seconds: how long a read waits unless it has a time of its own.
            give_up_at: the time of the monotonic clock after which no read waits.
        """
        self._socket = socket.create_connection((host, port), patience_seconds)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._patience_seconds = patience_seconds
        self._give_up_at = give_up_at
        self._ended: str | None = None
        """How the server has closed the connection, None if it has not."""
        self.is_closed = False
        """Whether we have closed the connection."""
        self.kept = bytearray()
        """The bytes that were received, but not yet read by a check."""

    def send(self, message: bytes) -> None:
        """Send a message. If the server has closed the connection, the next read shows it.

        Raises CheckSkippedError if the server does not read.
        """
        self._socket.settimeout(max(0.0, self._end(None) - time.monotonic()))
        try:
            self._socket.sendall(message)
        except (BlockingIOError, TimeoutError):
            raise CheckSkippedError("the server does not read what is sent to it") from None
        except OSError:
            return

    def send_in_pieces(self, message: bytes) -> None:
        """Send a message byte by byte."""
        for byte in message:
            self.send(bytes((byte,)))
            time.sleep(0)

    def read_exactly(
        self, length: int, expected: str, clause: str, seconds: float | None = None
    ) -> bytes:
        """Return the next `length` bytes."""
        end = self._end(seconds)
        while len(self.kept) < length:
            self._read_more(end, expected, clause)
        return self._take(length)

    def read_line(self, expected: str, clause: str, seconds: float | None = None) -> bytes:
        """Return the next line, without its line break."""
        end = self._end(seconds)
        searched = 0
        while (at := self.kept.find(b"\n", searched)) < 0:
            searched = len(self.kept)
            if searched > LONGEST_LINE:
                raise ClauseError(expected, "a line without an end", clause)
            self._read_more(end, expected, clause)
        return self._take(at + 1)[:-1]

    def read_some(self, limit: int, expected: str, clause: str) -> bytes:
        """Return up to `limit` bytes, b"" at the end of the stream."""
        if not self.kept and self._ended is None:
            self._read_more(self._end(None), expected, clause)
        return self._take(limit)

    def expect_end(self, clause: str, seconds: float | None = None) -> bool:
        """Expect the server to close without sending more.

        Return whether the stream was ended in order, and not reset (X-05).
        """
        end = self._end(seconds)
        while self._ended is None:
            self._read_more(end, END, clause)
        demand(not self.kept, clause, END, bytes(self.kept))
        return self._ended == END

    def expect_silence(self, seconds: float, clause: str) -> None:
        """Expect to receive nothing for this long, not even the end of the stream."""
        came = self.receives_something(seconds)
        demand(not came, clause, "silence", bytes(self.kept) if self.kept else str(self._ended))

    def receives_something(self, seconds: float) -> bool:
        """Return whether there is something to read, or the end, within these seconds."""
        # With 0 seconds this still receives what has arrived.
        self._wait(time.monotonic() + (0 if self.kept else seconds))
        return bool(self.kept) or self._ended is not None

    @property
    def has_ended(self) -> bool:
        """Whether the server has closed the connection, and everything has been read."""
        self._wait(time.monotonic())
        return self._ended is not None and not self.kept

    def close(self) -> None:
        """Reset the connection, so that the server does not take it for a half-close (X-07)."""
        self.is_closed = True
        with contextlib.suppress(OSError):
            # This fails on a connection that the server has reset.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def fileno(self) -> int:
        """Return the socket's file descriptor, for select."""
        return self._socket.fileno()

    def _end(self, seconds: float | None) -> float:
        patience = self._patience_seconds if seconds is None else seconds
        return min(time.monotonic() + patience, self._give_up_at)

    def _take(self, length: int) -> bytes:
        taken = bytes(self.kept[:length])
        del self.kept[:length]
        return taken

    def _read_more(self, end: float, expected: str, clause: str) -> None:
        """Wait until more bytes or the end of the stream have come. Raises ClauseError."""
        before = len(self.kept)
        if before > MOST_KEPT:
            raise ClauseError(expected, f"more than {MOST_KEPT} bytes", clause)
        left = end - time.monotonic()
        if self._ended is None and left > 0:
            self._wait(end)
            if len(self.kept) > before or self._ended is not None:
                return
        came = f"only {shown(bytes(self.kept))}" if self.kept else "nothing"
        if self._ended is not None:
            raise ClauseError(expected, f"{came}, then {self._ended}", clause)
        if time.monotonic() > self._give_up_at:
            raise CheckSkippedError("the check took too long as a whole")
        raise ClauseError(expected, f"{came} in time", clause, is_silence=not self.kept)

    def _wait(self, end: float) -> None:
        """Receive once, waiting no longer than until `end`."""
        if self._ended is not None:
            return
        self._socket.settimeout(max(0.0, end - time.monotonic()))
        try:
            got = self._socket.recv(BYTES_AT_A_TIME)
        except (BlockingIOError, TimeoutError):
            return
        except OSError:
            self._ended = RESET
            return
        self.kept += got
        if not got:
            self._ended = END


def first_to_receive(connections: Sequence[RawConnection], seconds: float) -> RawConnection | None:
    """Return a connection with something to read, or that has ended; None if none in time."""
    for connection in connections:
        if connection.kept:
            return connection
    ready = select.select(connections, [], [], max(0.0, seconds))[0]
    return ready[0] if ready else None
