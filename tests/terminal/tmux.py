"""A terminal of 80 by 24 characters for tests, by tmux, which must be on the PATH.

The Debian package is `tmux`.
"""

import os
import select
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

COLUMNS, LINES = 80, 24
TIMEOUT_SECONDS = 60
EXITED = "exit code "


def find() -> str:
    """Return the path of tmux. Without it, skip the test; if CI is `true`, fail."""
    found = shutil.which("tmux")
    if found is not None:
        return found
    words = "tmux is not on the PATH: apt install tmux"
    if os.environ.get("CI") == "true":
        pytest.fail(words)
    pytest.skip(words)


class Tmux:
    """A command in a terminal of its own, which shows the exit code at the end."""

    def __init__(self, *command: str | Path, environment: Mapping[str, str] | None = None) -> None:
        self._program = find()
        self._folder = tempfile.TemporaryDirectory()
        words = shlex.join(["env", *_assignments(environment or {}), *map(str, command)])
        # tmux closes the terminal when the command ends; `cat` keeps it open.
        kept = f"{words}; echo {EXITED}$?; cat"
        news = Path(self._folder.name) / "news"
        os.mkfifo(news)
        self._news = os.open(news, os.O_RDONLY | os.O_NONBLOCK)
        self._do("-f", os.devnull, "new-session", "-d", "-x", str(COLUMNS), "-y", str(LINES), kept)
        self._do("pipe-pane", f"cat > {shlex.quote(str(news))}")

    def enter(self, line: str) -> None:
        """Type a line, and Enter."""
        self.press(line)
        self._do("send-keys", "Enter")

    def press(self, letters: str) -> None:
        """Type characters literally."""
        self._do("send-keys", "-l", letters)

    def key(self, *names: str) -> None:
        """Press keys, by their tmux names: C-c, Left, Tab."""
        self._do("send-keys", *names)

    def resize(self, columns: int, lines: int) -> None:
        """Resize the terminal."""
        self._do("resize-window", "-x", str(columns), "-y", str(lines))

    def screen(self) -> str:
        """Return the visible text, without trailing spaces."""
        return self._do("capture-pane", "-p")

    def coloured(self) -> str:
        """Return the visible text with escape sequences."""
        return self._do("capture-pane", "-p", "-e")

    def history(self) -> str:
        """Return all text so far."""
        return self._do("capture-pane", "-p", "-S", "-", "-J")

    def wait(self, until: str | Callable[[str], bool]) -> str:
        """Wait until the visible text contains a string or meets a condition, and return it."""
        while True:
            shown = self.screen()
            if until in shown if isinstance(until, str) else until(shown):
                return shown
            if not select.select([self._news], [], [], TIMEOUT_SECONDS)[0]:
                pytest.fail(f"waited for {until} in vain:\n{self.history()}")
            os.read(self._news, 1 << 20)

    def exit_code(self) -> int:
        """Wait for the command to end, and return its exit code."""
        shown = self.wait(EXITED)
        [line] = [line for line in shown.splitlines() if line.startswith(EXITED)]
        return int(line.removeprefix(EXITED))

    def _do(self, *words: str) -> str:
        done = subprocess.run(
            [self._program, "-S", f"{self._folder.name}/socket", *words],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "TMUX": ""},
        )
        return done.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._do("kill-server")
        os.close(self._news)
        self._folder.cleanup()


def _assignments(environment: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in environment.items()]
