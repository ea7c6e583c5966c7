"""A connection to the other side with timeouts, and the exceptions that end a check."""

import contextlib
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Self

from gamehall.core import GamehallError

BYTES_AT_A_TIME = 65_536
LONGEST_LINE = 1 << 20
MOST_KEPT = 1 << 26
LONGEST_SHOWN = 160
END = "the end of the connection"
RESET = "a broken connection"


class ClauseError(GamehallError):
    """The other side did not do what `clause` demands."""

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
    """A connected socket. Whatever is expected and does not come raises ClauseError."""

    def __init__(self, plug: socket.socket, patience_seconds: float, give_up_at: float) -> None:
        self._plug = plug
        self._patience_seconds = patience_seconds
        self._give_up_at = give_up_at
        self._ended: str | None = None
        """How the other side ended its sending, None as long as it has not."""
        self.is_closed = False
        """Whether we have closed it."""
        self.kept = bytearray()
        """What has come and has not been read."""
        plug.setblocking(False)
        plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @classmethod
    def to(cls, host: str, port: int, patience_seconds: float, give_up_at: float) -> Self:
        """Raises OSError."""
        plug = socket.create_connection((host, port), patience_seconds)
        return cls(plug, patience_seconds, give_up_at)

    def send(self, message: bytes) -> None:
        """Send all of it at once. If the other side is gone, the next read shows it."""
        unsent = memoryview(message)
        end = self._end(None)
        while unsent:
            try:
                unsent = unsent[self._plug.send(unsent) :]
            except BlockingIOError:
                if not select.select([], [self._plug], [], max(0, end - time.monotonic()))[1]:
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
        """Read this many bytes. That they do not come breaks `clause`."""
        end = self._end(seconds)
        while len(self.kept) < length:
            self._read_more(end, expected, clause)
        return self._take(length)

    def read_line(self, expected: str, clause: str, seconds: float | None = None) -> bytes:
        """Read up to the next line break, without it. That none comes breaks `clause`."""
        end = self._end(seconds)
        searched = 0
        while (at := self.kept.find(b"\n", searched)) < 0:
            searched = len(self.kept)
            if searched > LONGEST_LINE:
                raise ClauseError(expected, "a line without an end", clause)
            self._read_more(end, expected, clause)
        return self._take(at + 1)[:-1]

    def read_to_end(self, expected: str, clause: str, seconds: float | None = None) -> bytes:
        """Read everything until the other side has closed, however it does so."""
        end = self._end(seconds)
        while self._ended is None:
            self._read_more(end, expected, clause)
        return self._take(len(self.kept))

    def read_some(self, most: int, expected: str, clause: str) -> bytes:
        """Read what has come, b"" at the end. That nothing comes breaks `clause`."""
        if not self.kept and self._ended is None:
            self._read_more(self._end(None), expected, clause)
        return self._take(most)

    def expect_end(self, clause: str, seconds: float | None = None) -> bool:
        """Expect the other side to close without a word; return whether in order (X-05).

        That it does not close, or says more, breaks `clause`.
        """
        rest = self.read_to_end(END, clause, seconds)
        if rest:
            raise ClauseError(END, shown(rest), clause)
        return self._ended == END

    def expect_silence(self, seconds: float, clause: str) -> None:
        """Expect that nothing comes for so long, not even the end."""
        if self.says_something(seconds):
            came = shown(bytes(self.kept)) if self.kept else str(self._ended)
            raise ClauseError("silence", came, clause)

    def says_something(self, seconds: float) -> bool:
        """Return whether something comes, or the end, within these seconds."""
        # What has come already is seen even if there is no time to wait.
        self._wait(time.monotonic())
        end = time.monotonic() + seconds
        while not self.kept and self._ended is None and time.monotonic() < end:
            self._wait(end)
        return bool(self.kept) or self._ended is not None

    @property
    def has_ended(self) -> bool:
        """Whether the other side has ended, and everything has been read."""
        self._wait(time.monotonic())
        return self._ended is not None and not self.kept

    def close(self) -> None:
        """Break the connection: the server must not take it for a hang-up of one side."""
        self.is_closed = True
        with contextlib.suppress(OSError):
            # Whatever it is that cannot be set any more has been broken by the other side.
            self._plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._plug.close()

    def fileno(self) -> int:
        """For select."""
        return self._plug.fileno()

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
        if not select.select([self._plug], [], [], max(0, end - time.monotonic()))[0]:
            return
        try:
            got = self._plug.recv(BYTES_AT_A_TIME)
        except BlockingIOError:
            return
        except OSError:
            self._ended = RESET
            return
        self.kept += got
        if not got:
            self._ended = END


def first_to_speak(lines: Sequence[RawConnection], seconds: float) -> RawConnection | None:
    """Return a line with something unread, or that has ended; wait so long for one."""
    for line in lines:
        if line.kept:
            return line
    ready = select.select(lines, [], [], max(0.0, seconds))[0]
    return ready[0] if ready else None
