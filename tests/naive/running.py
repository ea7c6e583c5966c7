"""Naive clients as programs of their own, started, read and killed by the tests."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.served import Served

PATIENCE_SECONDS = 60
FOLDER = Path(__file__).parent
PROGRAMS = {
    "santorini-lobby": "santorini_lobby.py",
    "santorini-tournament": "santorini_tournament.py",
    "go-text": "go_text.py",
    "tttp": "tttp.py",
    "ascension-http": "ascension_http.py",
}


def serve(*doors: str, arguments: tuple[str, ...] = ()) -> Served:
    """A hall on its default settings, with these doors on free ports."""
    return Served(*(word for door in doors for word in ("--door", f"{door}=0")), *arguments)


class Client:
    """A running naive client of a door.

    It is killed if it has not ended after PATIENCE_SECONDS, so that a hall which leaves it waiting
    fails the test instead of hanging it.
    """

    def __init__(self, hall: Served, door: str, *options: str) -> None:
        self.name = f"{door} {' '.join(options)}"
        self.lines: list[str] = []
        self._program = subprocess.Popen(
            [sys.executable, "-I", FOLDER / PROGRAMS[door], str(hall.port(door)), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._time_is_up = threading.Timer(PATIENCE_SECONDS, self._program.kill)
        self._time_is_up.start()

    def wait_for(self, beginning: str) -> str:
        """Read until a line begins like this, and return it."""
        while line := self._next_line():
            if line.startswith(beginning):
                return line
        raise AssertionError(f"never got {beginning}: {self._story()}")

    def kill(self) -> None:
        """End the program as a crash would: without a word to the server."""
        self._program.kill()
        self._program.wait(PATIENCE_SECONDS)

    def finish(self) -> list[str]:
        """Wait until the program has ended by itself, and return everything that it printed."""
        while self._next_line():
            pass
        assert self._program.wait(PATIENCE_SECONDS) == 0, self._story()
        return self.lines

    def _next_line(self) -> str | None:
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        if not line:
            return None
        self.lines.append(line.rstrip("\n"))
        return self.lines[-1]

    def _story(self) -> str:
        return "\n".join([self.name, *self.lines[-20:]])

    def messages(self) -> list[Any]:
        """Like `finish`, for clients that print JSON."""
        return [json.loads(line) for line in self.finish()]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._time_is_up.cancel()
        if self._program.poll() is None:
            self._program.kill()
        self._program.communicate()  # Closes the pipe, too.
