"""Servers as subprocesses, and what the kernel says about them: CPU time, memory, open files."""

import os
import re
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

SECONDS_TO_START = 30.0
SECONDS_TO_STOP = 15.0
SECONDS_BETWEEN_LOOKS = 0.01

LISTENING = re.compile(rb"^listening \S+ \S+:(\d+)$", re.MULTILINE)
PAGE = re.compile(rb"^listening web (\S+)$", re.MULTILINE)
READY = re.compile(rb"^ready$", re.MULTILINE)


class BenchError(Exception):
    """There is no figure; the message says what went wrong and with which command."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    pid: int
    port: int


@dataclass(frozen=True, slots=True)
class StartedServer(Server):
    """A server that runs as a subprocess of this program."""

    child: "subprocess.Popen[bytes]"
    command: Sequence[str]
    output: IO[bytes]
    errors: IO[bytes]

    @property
    def page(self) -> str:
        """Where its web door is. Raises BenchError if it has none."""
        found = PAGE.search(_contents(self.output))
        if found is None:
            raise BenchError(self.complaint("has no web door"))
        return found[1].decode()

    def output_at_end(self) -> str:
        """What it has written to standard output, when it has ended by itself.

        Raises BenchError if it does not end in time and with exit code 0.
        """
        self.wait("by itself")
        return _contents(self.output).decode()

    def wait(self, how: str) -> None:
        """Wait for it to end. Raises BenchError if it does not end in time and with exit code 0."""
        try:
            code = self.child.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            problem = f"has not ended {how} within {SECONDS_TO_STOP:g} s"
            raise BenchError(self.complaint(problem)) from None
        if code != 0:
            raise BenchError(self.complaint(f"ended {how} with {code}"))

    def complaint(self, problem: str) -> str:
        """The command, what is wrong with it, and what it wrote to standard error."""
        written = _contents(self.errors).decode(errors="replace").strip()
        return f"{' '.join(self.command)}: {problem}" + (f"\n{written[-2000:]}" if written else "")


def raise_open_files_limit() -> None:
    """Let this program, and those it starts, open as many files as the system allows at all."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def cpu_seconds(pid: int) -> float:
    """User and kernel time of all threads of a running program, exact to a tick of the scheduler.

    This is the clock that clock_getcpuclockid(3) names, which Python does not offer: the bits of
    the pid inverted, then 2 (scheduler time) in the lowest three bits.
    """
    return time.clock_gettime((~pid << 3) | 2)


def resident_bytes(pid: int) -> int:
    """Memory of a running program that is in RAM, shared libraries included.

    Rss and not Pss: Pss also changes when another program with the same libraries comes or goes.
    """
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    for line in rollup.splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) * 1024
    raise BenchError(f"/proc/{pid}/smaps_rollup has no line Rss")


def open_files(pid: int) -> int:
    """How many files and sockets a running program has open."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


@contextmanager
def running(command: Sequence[str]) -> Iterator[StartedServer]:
    """Start a server, wait until it says it is ready, and stop it at the end, whatever happens.

    Raises BenchError, with what the server wrote to standard error, if it does not get ready or
    does not end with exit code 0, by itself or upon SIGTERM.
    """
    # Files, not pipes: nobody reads along while a server is measured, and a full pipe stops it.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,  # Ctrl-C is for the benchmark, which then stops the server.
        )
        try:
            starting = StartedServer(child.pid, 0, child, command, output, errors)
            server = replace(starting, port=_port_when_ready(starting))
            yield server
            child.send_signal(signal.SIGTERM)  # to nobody if it has ended
            server.wait("upon SIGTERM")
        finally:
            # Only still alive if something failed, and then why it failed is what counts.
            if child.poll() is None:
                child.kill()
                child.wait()


def _port_when_ready(server: StartedServer) -> int:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        written = _contents(server.output)
        listening = LISTENING.search(written)
        if listening and READY.search(written):
            return int(listening[1])
        if server.child.poll() is not None:
            raise BenchError(server.complaint(f"ended with {server.child.returncode}"))
        time.sleep(SECONDS_BETWEEN_LOOKS)
    raise BenchError(server.complaint(f"not ready after {SECONDS_TO_START:g} s"))


def _contents(file: IO[bytes]) -> bytes:
    # pread leaves the place alone at which the server, sharing the open file, writes on.
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)
