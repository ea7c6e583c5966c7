"""Write logs and other output without blocking the server."""

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
"""The limit for lines with the same message template."""

MAX_TEMPLATES = 1000
"""Some callers log formatted texts, each of which is a template: forget all when there are more."""

LINES_WAITING = 10_000
"""The lines kept while standard error blocks; older ones are dropped."""

SECONDS_TO_FINISH = 1.0


class RateLimitFilter(logging.Filter):
    """Passes LINES_PER_SECOND lines per template and second, and counts the dropped ones.

    The next line with that template tells how many were dropped.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._counts: dict[str, tuple[int, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        second, template = int(self._clock()), str(record.msg)
        last, count = self._counts.get(template, (second, 0))
        if second != last:
            if count > LINES_PER_SECOND:
                record.msg = f"{template} (dropped {count - LINES_PER_SECOND} similar lines before)"
            count = 0
        if len(self._counts) > MAX_TEMPLATES:
            self._counts.clear()
        self._counts[template] = (second, count + 1)
        return count < LINES_PER_SECOND


class JsonFormatter(logging.Formatter):
    """Writes each line as a JSON object: the message, and fields such as the door and the match."""

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
    "json": JsonFormatter(),
}


class DescriptorHandler(logging.Handler):
    """Writes each line to a file descriptor, without lock and buffer.

    Python needs the lock and flushes the buffer when it exits, so it would wait for ever for a
    write that blocks.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    def createLock(self) -> None:  # noqa: N802
        self.lock = None

    def handle(self, record: logging.LogRecord) -> bool:
        # The inherited method needs a lock since Python 3.13.
        is_wanted = bool(self.filter(record))
        if is_wanted:
            self.emit(record)
        return is_wanted

    def emit(self, record: logging.LogRecord) -> None:
        line = (self.format(record) + "\n").encode("utf-8", "backslashreplace")
        # There is no other place to report a failure.
        with suppress(OSError):
            while line:
                line = line[os.write(self._descriptor, line) :]


class DroppingQueue(Queue[Any]):
    """A queue that drops its oldest item when it is full."""

    def put_nowait(self, item: object) -> None:
        while True:
            try:
                return super().put_nowait(item)
            except Full:
                with suppress(Empty):
                    self.get_nowait()


class BackgroundHandler(QueueHandler):
    """Writes lines to a stream in a thread of its own, so that the caller never waits.

    Lines are formatted in the thread of the caller. While the stream blocks, the last
    `lines_waiting` lines are kept.
    """

    def __init__(self, stream: TextIO | None, lines_waiting: int) -> None:
        """Start the thread. A stream is None if it was closed before the program started."""
        lines = DroppingQueue(lines_waiting)
        super().__init__(lines)
        descriptor = stream.fileno() if stream else os.open(os.devnull, os.O_WRONLY)
        self._listener = QueueListener(lines, DescriptorHandler(descriptor))
        self._listener.start()

    def write(self, line: str) -> None:
        """Write a line that is not a log message."""
        self.handle(logging.makeLogRecord({"msg": line}))

    def finish(self, seconds: float = SECONDS_TO_FINISH) -> None:
        """Stop the thread after it has written everything, or after this time."""
        # QueueListener.stop has no timeout.
        stopping = threading.Thread(target=self._listener.stop, daemon=True)
        stopping.start()
        stopping.join(seconds)


def set_up(level: str, form: str = "text") -> BackgroundHandler:
    """Send log messages of this level and above to standard error, in one of FORMATS."""
    background = BackgroundHandler(sys.stderr, LINES_WAITING)
    background.setFormatter(FORMATS[form])
    background.addFilter(RateLimitFilter())
    logging.basicConfig(level=level.upper(), handlers=[background])
    return background
