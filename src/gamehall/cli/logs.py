"""Logs and other output that never block the server, whether they are read or not."""

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TextIO

import msgspec


class BackgroundWriter:
    """Writes lines to a stream, in order, from a thread of its own.

    If the stream blocks, the last `lines_waiting` lines are kept. If writing fails, the rest is
    lost: there is no place left to report it.
    """

    def __init__(self, stream: TextIO | None, lines_waiting: int) -> None:
        """`stream` is None if it was closed before the program began."""
        self._descriptor = stream.fileno() if stream else os.open(os.devnull, os.O_WRONLY)
        self._lines: deque[bytes | None] = deque(maxlen=lines_waiting)
        self._something = threading.Semaphore(0)
        self._finished = threading.Event()
        # A daemon, so that a stream that blocks cannot keep the program from ending.
        threading.Thread(target=self._write, name="writer", daemon=True).start()

    def write(self, line: str) -> None:
        """Have a line written as soon as possible."""
        self._put(line.encode("utf-8", "backslashreplace") + b"\n")

    def finish(self, seconds: float) -> None:
        """Wait until everything is written, but no longer than so many seconds."""
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


LEVELS = ("debug", "info", "warning", "error")

LINES_PER_SECOND = 20
"""Of one kind, that is with one message template."""

KINDS_KNOWN = 1000
"""Formatted texts are a kind each: forget them when there are too many."""

LINES_WAITING = 10_000
"""What is kept while standard error blocks; older lines are lost."""

SECONDS_TO_FINISH = 1.0


class Thinned(logging.Filter):
    """Lets so many lines of a kind through per second, and then says how many were dropped."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seconds: dict[str, tuple[int, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        second, kind = int(self._clock()), str(record.msg)
        last, count = self._seconds.get(kind, (second, 0))
        if second != last:
            if count > LINES_PER_SECOND:
                record.msg = f"{kind} (and {count - LINES_PER_SECOND} more like it before)"
            count = 0
        if len(self._seconds) > KINDS_KNOWN:
            self._seconds.clear()
        self._seconds[kind] = (second, count + 1)
        return count < LINES_PER_SECOND


class JsonLines(logging.Formatter):
    """Writes each line as a JSON object: the message, and its subject in fields."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": when,
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


FORMATS: dict[str, logging.Formatter] = {
    "text": logging.Formatter("%(asctime)s %(levelname)s %(message)s"),
    "json": JsonLines(),
}


class Background(logging.Handler):
    """Writes the lines to standard error in the background."""

    def __init__(self) -> None:
        super().__init__()
        self._writer = BackgroundWriter(sys.stderr, LINES_WAITING)

    def emit(self, record: logging.LogRecord) -> None:
        self._writer.write(self.format(record))

    def finish(self) -> None:
        """Wait a little until everything is written."""
        self._writer.finish(SECONDS_TO_FINISH)


def set_up(level: str, form: str = "text") -> Background:
    """Send logs of this level and above to standard error, in one of the formats."""
    background = Background()
    background.setFormatter(FORMATS[form])
    background.addFilter(Thinned())
    logging.basicConfig(level=level.upper(), handlers=[background])
    return background
