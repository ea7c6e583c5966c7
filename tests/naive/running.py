"""Run the naive clients as programs."""

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


class Client:
    """A running naive client of a door.

    It is killed after PATIENCE_SECONDS, so that a server which lets it wait fails the test.
    """

    def __init__(self, hall: Served, door: str, *options: str) -> None:
        self.name = f"{door} {' '.join(options)}"
        self.lines: list[str] = []
        self._program = subprocess.Popen(
            [
                sys.executable,
                "-I",
                FOLDER / f"{door.replace('-', '_')}.py",
                str(hall.port(door)),
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._time_is_up = threading.Timer(PATIENCE_SECONDS, self._program.kill)
        self._time_is_up.start()

    def wait_for(self, beginning: str) -> str:
        """Read up to a line with this beginning, and return the line."""
        while line := self._next_line():
            if line.startswith(beginning):
                return line
        raise AssertionError(f"no {beginning} came: {self._last_lines()}")

    def kill(self) -> None:
        """End the program like a crash, without a message to the server."""
        self._program.kill()
        self._program.wait(PATIENCE_SECONDS)

    def finish(self) -> list[str]:
        """Wait until the program ends by itself, and return all lines that it printed."""
        while self._next_line():
            pass
        assert self._program.wait(PATIENCE_SECONDS) == 0, self._last_lines()
        return self.lines

    def _next_line(self) -> str | None:
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        if not line:
            return None
        self.lines.append(line.rstrip("\n"))
        return self.lines[-1]

    def _last_lines(self) -> str:
        return "\n".join([self.name, *self.lines[-20:]])

    def messages(self) -> list[Any]:
        """Wait like `finish`, and return the JSON values that the client printed."""
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
        self._program.communicate()  # Also closes the pipe.
