"""GNU Go as a second opinion: the program, found and asked in GTP, the Go Text Protocol.

Debian has it as `gnugo`, in /usr/games, which is not on everybody's PATH.
"""

import os
import select
import shutil
import subprocess
from types import TracebackType
from typing import Self

import pytest

PLACES = ("/usr/games", "/usr/local/games")
"""Where it may be if it is not on the PATH."""
PATIENCE_SECONDS = 60


def find() -> str:
    """Where GNU Go is. Without it a test is skipped; where CI is `true` it fails."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *PLACES])
    found = shutil.which("gnugo", path=path)
    if found is not None:
        return found
    words = f"GNU Go is neither on the PATH nor in {' or '.join(PLACES)}: apt install gnugo"
    if os.environ.get("CI") == "true":
        pytest.fail(words)
    pytest.skip(words)


class GnuGoFault(Exception):
    """GNU Go refused a command, or did not answer as GTP wants. Its text says to what."""


class GnuGo:
    """A running GNU Go with these options, for one game: it remembers scores by the stones alone.

    Commands are numbered, so that an answer to another question is not taken for this one's.
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
        self._questions, self._answers = self.program.stdin, self.program.stdout
        self._asked = 0

    def ask(self, command: str) -> str:
        """The answer, without the mark and the number before it and the empty line after it.

        Raises GnuGoFault if GNU Go refuses the command, breaks off, or takes too long.
        """
        if not command.strip() or not command.isprintable():
            raise ValueError(f"{command!r} is not one line with a command")
        self._asked += 1
        self._questions.write(f"{self._asked} {command}\n".encode("ascii"))
        answer = self._read(command)
        mark, said = answer[:1], answer[1:]
        number, _, text = said.partition(" ")
        if mark not in ("=", "?") or number != str(self._asked):
            raise GnuGoFault(f"{command!r} was answered with {answer!r}, which is not GTP")
        if mark == "?":
            raise GnuGoFault(f"{command!r} was refused: {text}")
        return text.lstrip("\n").rstrip()

    def _read(self, command: str) -> str:
        """All up to the empty line that ends an answer."""
        answer = b""
        while not answer.endswith(b"\n\n"):
            ready, _, _ = select.select([self._answers], [], [], PATIENCE_SECONDS)
            if not ready:
                raise GnuGoFault(f"{command!r} had no answer for {PATIENCE_SECONDS} seconds")
            some = self._answers.read(65536)
            if not some:
                raise GnuGoFault(f"GNU Go ended at {command!r}, having said {answer!r}")
            answer += some
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
