"""GNU Go as an independent engine: find the program and talk to it in GTP, the Go Text Protocol."""

import os
import select
import subprocess
from types import TracebackType
from typing import Self

from tests.support.programs import find_program

PLACES = ("/usr/games", "/usr/local/games")
"""Where Debian installs it, which is not always on the PATH."""
PATIENCE_SECONDS = 60


def find() -> str:
    """Return the path of GNU Go. Without it, skip the test, or fail if CI is `true`."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *PLACES])
    return find_program("gnugo", path, "gnugo")


class GnuGoError(Exception):
    """GNU Go refused a command, or its answer was not valid GTP."""


class GnuGo:
    """A running GNU Go for one game. Its cache of scores does not distinguish games.

    Commands are numbered, so that an answer to another command is noticed.
    """

    def __init__(self, *options: str) -> None:
        self.program = subprocess.Popen(
            [find(), "--mode", "gtp", "--quiet", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        self._commands, self._answers = self.program.stdin, self.program.stdout
        self._number = 0

    def ask(self, command: str) -> str:
        """Send a command and return the text of the answer.

        Raises GnuGoError if GNU Go refuses the command, exits, or takes too long.
        """
        if not command.strip() or not command.isprintable():
            raise ValueError(f"{command!r} is not one line with a command")
        self._number += 1
        self._commands.write(f"{self._number} {command}\n".encode("ascii"))
        answer = self._read(command)
        mark = answer[:1]
        number, _, text = answer[1:].partition(" ")
        if mark not in ("=", "?") or number != str(self._number):
            raise GnuGoError(f"{command!r} was answered with {answer!r}, which is not GTP")
        if mark == "?":
            raise GnuGoError(f"{command!r} was refused: {text}")
        return text.lstrip("\n").rstrip()

    def _read(self, command: str) -> str:
        """Read an answer, which ends with an empty line."""
        answer = b""
        while not answer.endswith(b"\n\n"):
            ready, _, _ = select.select([self._answers], [], [], PATIENCE_SECONDS)
            if not ready:
                raise GnuGoError(f"{command!r} had no answer for {PATIENCE_SECONDS} seconds")
            data = self._answers.read(65536)
            if not data:
                raise GnuGoError(f"GNU Go exited at {command!r} after {answer!r}")
            answer += data
        return answer.decode("ascii")[:-2]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.program.kill()
        self.program.communicate()
