"""Output that never holds up the hall: written by a thread, whether anybody reads it or not."""

import os
import threading
from collections import deque
from typing import TextIO


class BackgroundWriter:
    """Writes lines to a stream, in order, from a thread of its own.

    Of what nobody reads the last so many lines are kept. If the file takes nothing any more, the
    rest is lost: nobody can be told that nobody can be told.
    """

    def __init__(self, stream: TextIO | None, lines_waiting: int) -> None:
        """`stream` is None if it was closed before the program began."""
        self._descriptor = stream.fileno() if stream else os.open(os.devnull, os.O_WRONLY)
        self._lines: deque[bytes | None] = deque(maxlen=lines_waiting)
        self._something = threading.Semaphore(0)
        self._finished = threading.Event()
        # A daemon, so that a file that takes nothing cannot keep the program from ending.
        threading.Thread(target=self._write, name="writer", daemon=True).start()

    def write(self, line: str) -> None:
        """Has a line written, whenever that may be."""
        self._put(line.encode("utf-8", "backslashreplace") + b"\n")

    def finish(self, seconds: float) -> None:
        """Waits so long at most until everything is written."""
        self._put(None)
        self._finished.wait(seconds)

    def _put(self, line: bytes | None) -> None:
        self._lines.append(line)
        self._something.release()

    def _write(self) -> None:
        while True:
            self._something.acquire()
            if not self._lines:
                continue
            line = self._lines.popleft()
            if line is None:
                break
            try:
                while line:
                    line = line[os.write(self._descriptor, line) :]
            except OSError:
                break
        self._finished.set()
