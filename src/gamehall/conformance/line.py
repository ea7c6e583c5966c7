"""A line to the other side: bytes go out, bytes come in, and nobody waits for ever."""

import contextlib
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Self

from gamehall.conformance.faults import Broken, CannotCheck, shown

BYTES_AT_A_TIME = 65_536
LONGEST_LINE = 1 << 20
MOST_KEPT = 1 << 26


class Line:
    """A connected socket. Whatever is expected and does not come raises Broken."""

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
        """Sends all of it, at once. That the other side is gone is seen when it is read."""
        unsent = memoryview(message)
        end = self._end(None)
        while unsent:
            try:
                unsent = unsent[self._plug.send(unsent) :]
            except BlockingIOError:
                if not select.select([], [self._plug], [], max(0, end - time.monotonic()))[1]:
                    raise CannotCheck("the server does not read what is sent to it") from None
            except OSError:
                return

    def send_in_pieces(self, message: bytes) -> None:
        """Sends it byte by byte."""
        for byte in message:
            self.send(bytes((byte,)))
            time.sleep(0)

    def read_exactly(
        self, length: int, expected: str, clause: str, seconds: float | None = None
    ) -> bytes:
        """So many bytes. That they do not come breaks `clause`."""
        end = self._end(seconds)
        while len(self.kept) < length:
            self._read_more(end, expected, clause)
        return self._take(length)

    def read_line(self, expected: str, clause: str, seconds: float | None = None) -> bytes:
        """Everything up to the next line break, without it. That none comes breaks `clause`."""
        end = self._end(seconds)
        searched = 0
        while (at := self.kept.find(b"\n", searched)) < 0:
            searched = len(self.kept)
            if searched > LONGEST_LINE:
                raise Broken(expected, "a line without an end", clause)
            self._read_more(end, expected, clause)
        return self._take(at + 1)[:-1]

    def read_to_end(self, expected: str, clause: str, seconds: float | None = None) -> bytes:
        """Everything until the other side has closed, however it does so."""
        end = self._end(seconds)
        while self._ended is None:
            self._read_more(end, expected, clause)
        return self._take(len(self.kept))

    def expect_end(self, clause: str, seconds: float | None = None) -> bool:
        """The other side closes, and says nothing more. Return whether it closed in order (X-05).

        That it does not close, or says more, breaks `clause`.
        """
        rest = self.read_to_end(END, clause, seconds)
        if rest:
            raise Broken(END, shown(rest), clause)
        return self._ended == END

    def expect_silence(self, seconds: float, clause: str) -> None:
        """Nothing comes for so long, not even the end."""
        if self.says_something(seconds):
            came = shown(bytes(self.kept)) if self.kept else str(self._ended)
            raise Broken("silence", came, clause)

    def says_something(self, seconds: float) -> bool:
        """Return whether something comes, or the end, before so many seconds are over."""
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
        """Wait until something more has come. Raises Broken if that does not happen."""
        before = len(self.kept)
        if before > MOST_KEPT:
            raise Broken(expected, f"more than {MOST_KEPT} bytes", clause)
        left = end - time.monotonic()
        if self._ended is None and left > 0:
            self._wait(end)
            if len(self.kept) > before or self._ended is not None:
                return
        came = f"only {shown(bytes(self.kept))}" if self.kept else "nothing"
        if self._ended is not None:
            raise Broken(expected, f"{came}, then {self._ended}", clause)
        if time.monotonic() > self._give_up_at:
            raise CannotCheck("the check took too long as a whole")
        raise Broken(expected, f"{came} in time", clause, is_silence=not self.kept)

    def _wait(self, end: float) -> None:
        """Takes what comes first, waiting no longer than until then."""
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


def first_to_speak(lines: Sequence[Line], seconds: float) -> Line | None:
    """Whoever has something unread, or has ended; waits for somebody for so long."""
    for line in lines:
        if line.kept:
            return line
    ready = select.select(lines, [], [], max(0.0, seconds))[0]
    return ready[0] if ready else None


END = "the end of the connection"
RESET = "a broken connection"
