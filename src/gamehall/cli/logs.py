"""Logs that never hold up the hall: neither by their number nor by nobody reading them."""

import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from gamehall.cli.writer import BackgroundWriter

LEVELS = ("debug", "info", "warning", "error")

LINES_PER_SECOND = 20
"""Of one kind, which is to say from one place in the code."""

KINDS_KNOWN = 1000
"""Lines whose text is put together before it is logged make a kind each: forget them in time."""

LINES_WAITING = 10_000
"""What is kept for a standard error that nobody reads; older lines are lost."""

SECONDS_TO_FINISH = 1.0


class Thinned(logging.Filter):
    """Lets through so many lines of a kind per second, and then tells how many there were more."""

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
    """A line is a JSON object: what happened in words, and what it is about in fields."""

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
        """Waits a little until everything is written."""
        self._writer.finish(SECONDS_TO_FINISH)


def set_up(level: str, form: str = "text") -> Background:
    """Logs of this level and above go to standard error, in one of the formats."""
    background = Background()
    background.setFormatter(FORMATS[form])
    background.addFilter(Thinned())
    logging.basicConfig(level=level.upper(), handlers=[background])
    return background
