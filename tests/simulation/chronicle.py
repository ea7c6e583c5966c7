"""What happened in a world, line by line, and what should not have happened."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b

LONGEST_SHOWN = 90

EXPECTED_ERRORS = ("cannot write the journal", "batches of the journal could not be written")
"""What the hall may log as an error: the simulated disk is full now and then."""


class Violation(AssertionError):
    """Something that must not happen in any world has happened."""


class Chronicle:
    """Everything worth reading when a world fails. Equal seeds give equal chronicles."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[str] = []
        self.complaints: list[str] = []
        """What was found wrong where nothing could be raised, because the hall was at work."""

    def note(self, who: str, what: str) -> None:
        """Something has happened."""
        self.lines.append(f"{self.now:10.4f} {who}: {what}")

    def complain(self, what: str) -> None:
        """Something is wrong; it is raised when the hall has come to rest."""
        self.note("WRONG", what)
        self.complaints.append(what)

    def check(self) -> None:
        """Raises Violation if there was a complaint."""
        if self.complaints:
            raise Violation(self.complaints[0])

    @property
    def digest(self) -> str:
        """By which two chronicles can be compared."""
        return blake2b(self.text().encode(), digest_size=16).hexdigest()

    def text(self, last: int | None = None) -> str:
        """The chronicle for people, or the last lines of it."""
        return "\n".join(self.lines if last is None else self.lines[-last:])


class LogTrap(logging.Handler):
    """Writes into the chronicle what the hall logs. A logged fault of ours is a violation."""

    def __init__(self, chronicle: Chronicle) -> None:
        super().__init__()
        self._chronicle = chronicle

    def emit(self, record: logging.LogRecord) -> None:
        self._chronicle.note("hall", record.getMessage())
        is_expected = any(text in record.getMessage() for text in EXPECTED_ERRORS)
        if record.levelno >= logging.ERROR and not is_expected:
            trace = self.format(record) if record.exc_info else record.getMessage()
            self._chronicle.complain(f"the hall logs a fault: {trace}")


@contextmanager
def trapped_logs(chronicle: Chronicle) -> Iterator[None]:
    """As long as this lasts, whatever the hall logs goes into the chronicle."""
    logger = logging.getLogger("gamehall")
    before, trap = (logger.level, logger.propagate), LogTrap(chronicle)
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
    """A message for people, cut short if it is long."""
    if len(message) <= LONGEST_SHOWN:
        return repr(message)
    return f"{message[:LONGEST_SHOWN]!r}... ({len(message)} bytes)"
