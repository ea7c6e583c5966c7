"""Where a check takes place: a server somewhere, and the lines to it that are open."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from gamehall.check.faults import Broken
from gamehall.check.line import Line
from gamehall.wire.settings import SettingsT

PATIENCE_SECONDS = 3.0
"""How long a server may take over an answer for which no document gives it a time."""

LONGEST_CHECK_SECONDS = 40.0

PeerT = TypeVar("PeerT")


class Field(Generic[SettingsT]):
    """One check's view of the server. Leaving it closes every line that was opened in it."""

    def __init__(
        self,
        host: str,
        port: int,
        settings: SettingsT,
        story: dict[str, Any],
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """`story` is for checks that go on from one another: what they leave to the next."""
        self.settings = settings
        self.story = story
        self.patience_seconds = patience_seconds
        self.host, self.port = host, port
        self.give_up_at = time.monotonic() + LONGEST_CHECK_SECONDS
        self._lines: list[Line] = []

    def connect(self) -> Line:
        """A fresh line to the server. Raises Broken."""
        try:
            line = Line.to(self.host, self.port, self.patience_seconds, self.give_up_at)
        except OSError as error:
            raise Broken("to be let in", f"{error}", is_silence=True) from None
        self._lines.append(line)
        return line

    def close(self) -> None:
        """Closes every line, the first one last: it is its seat that the next check waits for."""
        for line in reversed(self._lines):
            line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def insistently(attempt: Callable[[], PeerT | None], seconds: float) -> PeerT | None:
    """What an attempt gives as soon as it gives something; it is repeated for so many seconds.

    A server needs a moment to see that the players of the last check have gone.
    """
    end = time.monotonic() + seconds
    while (got := attempt()) is None and time.monotonic() < end:
        time.sleep(PAUSE_SECONDS)
    return got


PAUSE_SECONDS = 0.05
