"""The log of a world, and the violations that were found in it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b

LONGEST_SHOWN = 90

EXPECTED_ERRORS = ("cannot write the journal", "batches of the journal could not be written")
"""Errors that the server may log, because the simulated disk is sometimes full."""


class Violation(AssertionError):
    """Something has happened that must not happen in any world."""


class EventLog:
    """Collects the log lines of a world. Equal seeds give equal logs."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[str] = []
        self.errors: list[str] = []
        """Violations that could not be raised at once, because the server was running."""

    def note(self, who: str, what: str) -> None:
        """Add a line."""
        self.lines.append(f"{self.now:10.4f} {who}: {what}")

    def report(self, what: str) -> None:
        """Report a violation, which `check` raises later."""
        self.note("WRONG", what)
        self.errors.append(what)

    def check(self) -> None:
        """Raise Violation if one was reported."""
        if self.errors:
            raise Violation(self.errors[0])

    @property
    def digest(self) -> str:
        """A hash of the log, to compare two of them."""
        return blake2b(self.text().encode(), digest_size=16).hexdigest()

    def text(self, last: int | None = None) -> str:
        """Return the log, or its last lines."""
        return "\n".join(self.lines if last is None else self.lines[-last:])


class LogCapture(logging.Handler):
    """Adds what the server logs. An unexpected error is a violation."""

    def __init__(self, event_log: EventLog) -> None:
        super().__init__()
        self._event_log = event_log

    def emit(self, record: logging.LogRecord) -> None:
        self._event_log.note("server", record.getMessage())
        is_expected = any(text in record.getMessage() for text in EXPECTED_ERRORS)
        if record.levelno >= logging.ERROR and not is_expected:
            trace = self.format(record) if record.exc_info else record.getMessage()
            self._event_log.report(f"the server logs an error: {trace}")


@contextmanager
def captured_logs(event_log: EventLog) -> Iterator[None]:
    """Add what the server logs within this context to the event log."""
    logger = logging.getLogger("gamehall")
    before, trap = (logger.level, logger.propagate), LogCapture(event_log)
    logger.addHandler(trap)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(trap)
        logger.setLevel(before[0])
        logger.propagate = before[1]


def shown(message: bytes) -> str:
    """Return a message for the log, cut if it is long."""
    if len(message) <= LONGEST_SHOWN:
        return repr(message)
    return f"{message[:LONGEST_SHOWN]!r}... ({len(message)} bytes)"
