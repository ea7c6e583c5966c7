"""Logs and other output that never block the server, whether they are read or not."""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from logging.handlers import QueueHandler, QueueListener
from queue import Empty, Full, Queue
from typing import Any, TextIO

import msgspec

LEVELS = ("debug", "info", "warning", "error")

LINES_PER_SECOND = 20
"""Of one kind, that is with one message template."""

KINDS_KNOWN = 1000
"""Formatted texts are a kind each: forget them when there are too many."""

LINES_WAITING = 10_000
"""What is kept while standard error blocks; older lines are lost."""

SECONDS_TO_FINISH = 1.0


class Thinned(logging.Filter):
    """Passes at most LINES_PER_SECOND lines of a kind a second, then says how many were dropped."""

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


class DescriptorHandler(logging.Handler):
    """Writes each line to a file descriptor.

    There is no lock and no buffer: a write that blocks would hold them, and Python, which flushes
    both at its end, would never end.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def createLock(self) -> None:  # noqa: N802
        self.lock = None

    def handle(self, record: logging.LogRecord) -> bool:
        # From Python 3.13 on, the inherited one needs a lock.
        is_wanted = bool(self.filter(record))
        if is_wanted:
            self.emit(record)
        return is_wanted

    def emit(self, record: logging.LogRecord) -> None:
        line = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
        # If it cannot be written, there is no place left to report that.
        with suppress(OSError):
            while line:
                line = line[os.write(self._descriptor, line) :]


class LastItems(Queue[Any]):
    """A queue that drops its oldest item when it is full."""

    def put_nowait(self, item: object) -> None:
        while True:
            try:
                return super().put_nowait(item)
            except Full:
                with suppress(Empty):
                    self.get_nowait()


class BackgroundHandler(QueueHandler):
    """Writes lines to a stream, in order, from another thread; the caller never waits.

    Lines are formatted by the caller. If the stream blocks, the last `lines_waiting` are kept.
    """

    def __init__(self, stream: TextIO | None, lines_waiting: int) -> None:
        """`stream` is None if it was closed before the program began."""
        lines = LastItems(lines_waiting)
        super().__init__(lines)
        descriptor = stream.fileno() if stream else os.open(os.devnull, os.O_WRONLY)
        self._listener = QueueListener(lines, DescriptorHandler(descriptor))
        self._listener.start()

    def write(self, line: str) -> None:
        """Have a line written that is not a message of the log."""
        self.handle(logging.makeLogRecord({"msg": line}))

    def finish(self, seconds: float = SECONDS_TO_FINISH) -> None:
        """Wait until everything is written, but no longer than `seconds`."""
        # QueueListener.stop waits without a limit.
        stopping = threading.Thread(target=self._listener.stop, daemon=True)
        stopping.start()
        stopping.join(seconds)


def set_up(level: str, form: str = "text") -> BackgroundHandler:
    """Send logs of this level and above to standard error, in one of the formats."""
    background = BackgroundHandler(sys.stderr, LINES_WAITING)
    background.setFormatter(FORMATS[form])
    background.addFilter(Thinned())
    logging.basicConfig(level=level.upper(), handlers=[background])
    return background
