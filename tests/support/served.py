"""`gamehall serve` in a separate process, with real sockets and real time."""

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
"""The program with a check at exit that its rooms can be rebuilt from their journals."""
PATIENCE_SECONDS = 60


class Served:
    """A running `gamehall serve`. The default is one TTTP door on a free port.

    Unless the arguments have `--data`, its data are in a temporary folder.
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
        """Wait until each pattern has matched a line of standard error, in any order."""
        assert self.program.stderr is not None
        missing = set(patterns)
        while missing:
            line = self.program.stderr.readline()
            assert line, f"the server exited without printing {missing}"
            self._errors_read += line
            missing = {pattern for pattern in missing if not re.search(pattern, line)}

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send the signal, wait for the exit, and return the exit code."""
        self.program.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait for the exit and return the exit code."""
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


def start_error(*arguments: str) -> str:
    """Return the one error line of a `gamehall serve` that does not start."""
    done = subprocess.run(
        [GAMEHALL, "serve", *arguments], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith("gamehall: ")
    return line
