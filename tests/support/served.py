"""`gamehall serve` as people run it: a program of its own, with real sockets and the real time."""

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

GAMEHALL = Path(sys.executable).with_name("gamehall")
CHECKED_GAMEHALL = (sys.executable, "-m", "tests.support.checked_hall")
"""The same program, which also checks at the end that its rooms replay from their journals."""
PATIENCE_SECONDS = 60


class Served:
    """A running hall. Its doors listen on free ports unless the arguments say otherwise.

    What it keeps is in a folder of its own, which is gone at the end, unless they name one.
    """

    def __init__(self, *arguments: str, program: Sequence[str] = CHECKED_GAMEHALL) -> None:
        self._folder = tempfile.TemporaryDirectory()
        kept = () if "--data" in arguments else ("--data", self._folder.name)
        self.program = subprocess.Popen(
            [*program, "serve", *kept, *(arguments or ("--door", "tttp=0"))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.program.stdout is not None
        self._errors_read = ""
        self.lines: list[str] = []
        for line in self.program.stdout:
            self.lines.append(line.rstrip("\n"))
            if line == "ready\n":
                break

    def port(self, door: str = "tttp") -> int:
        [address] = [line.split()[2] for line in self.lines if line.split()[1:2] == [door]]
        return int(address.rsplit(":", 1)[1])

    def wait_for_errors(self, *patterns: str) -> None:
        """Waits until a line of the standard error fits each of these, in whatever order."""
        assert self.program.stderr is not None
        missing = set(patterns)
        while missing:
            line = self.program.stderr.readline()
            assert line, f"the hall has ended without having said {missing}"
            self._errors_read += line
            missing = {pattern for pattern in missing if not re.search(pattern, line)}

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Asks the hall to close, and gives its exit code."""
        self.program.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Waits for the hall to exit of itself, and gives its exit code."""
        self.output, errors = self.program.communicate(timeout=PATIENCE_SECONDS)
        self.errors = self._errors_read + errors
        return self.program.returncode

    def resident_bytes(self) -> int:
        pages = Path(f"/proc/{self.program.pid}/statm").read_text().split()[1]
        return int(pages) * 4096

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.program.poll() is None:
            self.program.kill()
            self.program.communicate()
        self._folder.cleanup()
