"""The one raw connection of the checker, and the exceptions that end a check.

Checks play whole games over it, too, instead of using the sessions and drivers of our own players
(`clients.tcp`): those would hide what the bytes are, and a misreading that both of our ends share.
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
    """The server did not do what `clause` demands."""

    def __init__(self, expected: str, came: str, clause: str, *, is_silence: bool = False) -> None:
        super().__init__(f"expected {expected}; came {came}")
        self.expected = expected
        self.came = came
        self.clause = clause
        self.is_silence = is_silence
        """Whether nothing came at all."""


class CheckSkippedError(GamehallError):
    """The check cannot go on, and that is no fault of the server. The text says why."""


class ServerGoneError(CheckSkippedError):
    """The server accepts no connections, or no more of them. The text says why."""


def demand(holds: bool, clause: str, expected: str, came: object) -> None:
    """Raise ClauseError unless it holds."""
    if not holds:
        raise ClauseError(expected, shown(came), clause)


def shown(thing: object) -> str:
    """Return what came, short enough for a report."""
    text = thing if isinstance(thing, str) else repr(thing)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"


class RawConnection:
    """A connection to the server. What is expected and does not come raises ClauseError.

    Methods that read are given what is expected, for the report, and the clause that is broken if
    it does not come.
    """

    def __init__(self, host: str, port: int, patience_seconds: float, give_up_at: float) -> None:
        """Connect. Raises OSError.

        Args:
            patience_seconds: how long to wait where a method is not told otherwise.
            give_up_at: after this time nothing is waited for any more.
        """
        self._socket = socket.create_connection((host, port), patience_seconds)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._patience_seconds = patience_seconds
        self._give_up_at = give_up_at
        self._ended: str | None = None
        """How the server has closed its side, None if it has not."""
        self.is_closed = False
        """Whether we have closed it."""
        self.kept = bytearray()
        """What has come and has not been read."""

    def send(self, message: bytes) -> None:
        """Send all of it at once. If the server is gone, the next read shows it."""
        self._socket.settimeout(max(0.0, self._end(None) - time.monotonic()))
        try:
            self._socket.sendall(message)
        except (BlockingIOError, TimeoutError):
            raise CheckSkippedError("the server does not read what is sent to it") from None
        except OSError:
            return

    def send_in_pieces(self, message: bytes) -> None:
        """Send it byte by byte."""
        for byte in message:
            self.send(bytes((byte,)))
            time.sleep(0)

    def read_exactly(
        self, length: int, expected: str, clause: str, seconds: float | None = None
    ) -> bytes:
        """Read this many bytes."""
        end = self._end(seconds)
        while len(self.kept) < length:
            self._read_more(end, expected, clause)
        return self._take(length)

    def read_line(self, expected: str, clause: str, seconds: float | None = None) -> bytes:
        """Read up to the next line break; return the line without it."""
        end = self._end(seconds)
        searched = 0
        while (at := self.kept.find(b"\n", searched)) < 0:
            searched = len(self.kept)
            if searched > LONGEST_LINE:
                raise ClauseError(expected, "a line without an end", clause)
            self._read_more(end, expected, clause)
        return self._take(at + 1)[:-1]

    def read_some(self, most: int, expected: str, clause: str) -> bytes:
        """Read what has come, b"" at the end."""
        if not self.kept and self._ended is None:
            self._read_more(self._end(None), expected, clause)
        return self._take(most)

    def expect_end(self, clause: str, seconds: float | None = None) -> bool:
        """Expect the server to close without sending more; return whether in order (X-05)."""
        end = self._end(seconds)
        while self._ended is None:
            self._read_more(end, END, clause)
        demand(not self.kept, clause, END, bytes(self.kept))
        return self._ended == END

    def expect_silence(self, seconds: float, clause: str) -> None:
        """Expect that nothing comes for this long, not even the end."""
        came = self.says_something(seconds)
        demand(not came, clause, "silence", bytes(self.kept) if self.kept else str(self._ended))

    def says_something(self, seconds: float) -> bool:
        """Return whether something comes, or the end, within these seconds."""
        # What has come already is seen even if there is no time to wait.
        self._wait(time.monotonic() + (0 if self.kept else seconds))
        return bool(self.kept) or self._ended is not None

    @property
    def has_ended(self) -> bool:
        """Whether the server has ended, and everything has been read."""
        self._wait(time.monotonic())
        return self._ended is not None and not self.kept

    def close(self) -> None:
        """Reset the connection, so that the server does not take it for a half-close (X-07)."""
        self.is_closed = True
        with contextlib.suppress(OSError):
            # It cannot be set on a connection that the server has reset.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def fileno(self) -> int:
        """For select."""
        return self._socket.fileno()

    def _end(self, seconds: float | None) -> float:
        patience = self._patience_seconds if seconds is None else seconds
        return min(time.monotonic() + patience, self._give_up_at)

    def _take(self, length: int) -> bytes:
        taken = bytes(self.kept[:length])
        del self.kept[:length]
        return taken

    def _read_more(self, end: float, expected: str, clause: str) -> None:
        """Wait until something more has come. Raises ClauseError if that does not happen."""
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
        """Read what comes first, waiting no longer than until `end`."""
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


def first_to_speak(connections: Sequence[RawConnection], seconds: float) -> RawConnection | None:
    """Return a connection with something unread, or that has ended; None if none is in time."""
    for connection in connections:
        if connection.kept:
            return connection
    ready = select.select(connections, [], [], max(0.0, seconds))[0]
    return ready[0] if ready else None
