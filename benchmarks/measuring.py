"""What the benchmarks share: servers as subprocesses, what the kernel counts, and tables."""

import os
import re
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
HOST = "127.0.0.1"
SECONDS_TO_START = 60.0
SECONDS_TO_STOP = 60.0
SECONDS_TO_ANSWER = 30.0

LISTENING = re.compile(r"^listening (\S+) (?:http://)?\S+:(\d+)/?$", re.MULTILINE)

CONNECTIONS_AT_A_TIME = 50
"""Fewer than the 100 that a listening socket keeps waiting. Beyond those, a connection attempt is
dropped and repeated only after a second."""


class BenchmarkError(Exception):
    """There is no figure. The message says what went wrong, and with which command."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured."""

    rounds: int = 3
    seconds: float = 2.0
    """How long each competitor is measured in a round."""
    connections: int = 64
    """How many play at the same time in the benchmarks of doors."""
    idle_connections: int = 10_000
    rooms: int = 1_000
    watchers: int = 500
    watched_moves: int = 200
    busy_tables: int = 400
    """In a room in which all play at a steady rate while it is watched."""
    journal_moves: int = 20_000
    arena_games: int = 10_000


TINY = Effort(
    rounds=1,
    seconds=0.1,
    connections=4,
    idle_connections=20,
    rooms=10,
    watchers=5,
    watched_moves=10,
    busy_tables=4,
    journal_moves=100,
    arena_games=40,
)
"""Enough to see that a benchmark runs. The figures mean nothing."""


def show_progress(text: str) -> None:
    """Show what is being measured on a line of the terminal that the next one overwrites."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


# Servers


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs as a subprocess."""

    child: "subprocess.Popen[bytes]"
    ports: Mapping[str, int]
    """By the name of the door. A bare server has one, called bare."""

    @property
    def pid(self) -> int:
        return self.child.pid

    @property
    def port(self) -> int:
        """The port of the first door."""
        return next(iter(self.ports.values()))


def hall_command(
    doors: Mapping[str, Mapping[str, object]], data: Path | None, *options: str
) -> Sequence[str]:
    """Return the command of a hall with these doors, each with its settings, on free ports.

    data: where the journal is, None for a hall without one.
    """
    command = [sys.executable, "-m", "gamehall", "serve", f"--data={data or 'none'}"]
    for door, settings in doors.items():
        command.append(f"--door={door}=0")
        command += [f"--set={door}.{name}={value}" for name, value in settings.items()]
    return [*command, "--log-level=error", *options]


def bare_command(*arguments: object) -> Sequence[str]:
    """Return the command of a server without a game; see `benchmarks.bare`."""
    return [sys.executable, "-m", "benchmarks.bare", *map(str, arguments)]


@contextmanager
def running(command: Sequence[str], stop: signal.Signals = signal.SIGTERM) -> Iterator[Server]:
    """Start a server, wait until it is ready, and stop it at the end.

    Raises BenchmarkError, with what the server wrote to standard error, if it does not get ready,
    or does not end with exit code 0 upon SIGTERM.
    """
    # Files instead of pipes: nobody reads them during the measurement, and a full pipe blocks.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=ROOT,
            start_new_session=True,  # Ctrl-C ends the benchmark, which then stops the server.
        )
        try:
            yield Server(child, _ports_when_ready(child, output, errors, command))
            child.send_signal(stop)
            code = child.wait(SECONDS_TO_STOP)
            if code not in (0, -signal.SIGKILL):
                raise BenchmarkError(_complaint(command, f"ended with {code}", errors))
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()


def _ports_when_ready(
    child: "subprocess.Popen[bytes]", output: IO[bytes], errors: IO[bytes], command: Sequence[str]
) -> dict[str, int]:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        # Read at an offset: the file position is shared with the server, which appends there.
        written = os.pread(output.fileno(), 1 << 16, 0).decode()
        if "\nready\n" in written:
            return {door: int(port) for door, port in LISTENING.findall(written)}
        if child.poll() is not None:
            raise BenchmarkError(_complaint(command, f"ended with {child.returncode}", errors))
        time.sleep(0.005)
    raise BenchmarkError(_complaint(command, "is not ready", errors))


def _complaint(command: Sequence[str], problem: str, errors: IO[bytes]) -> str:
    written = os.pread(errors.fileno(), 1 << 16, 0).decode(errors="replace").strip()
    return f"{' '.join(command)}: {problem}\n{written[-2000:]}"


def connect(server: Server, count: int, port: int | None = None) -> list[socket.socket]:
    """Open so many connections, and wait until the server has accepted all of them."""
    files_before = open_files(server.pid)
    sockets: list[socket.socket] = []
    while len(sockets) < count:
        for _ in range(min(CONNECTIONS_AT_A_TIME, count - len(sockets))):
            one = socket.create_connection((HOST, port or server.port), SECONDS_TO_ANSWER)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sockets.append(one)
        deadline = time.monotonic() + SECONDS_TO_ANSWER
        while open_files(server.pid) < files_before + len(sockets):
            if time.monotonic() > deadline:
                raise BenchmarkError(f"the server does not accept {len(sockets)} connections")
            time.sleep(0.001)
    return sockets


@contextmanager
def connected(server: Server, count: int, port: int | None = None) -> Iterator[list[socket.socket]]:
    """Open connections as `connect` does, and close them at the end."""
    with ExitStack() as stack:
        yield [stack.enter_context(one) for one in connect(server, count, port)]


# What the kernel counts


def cpu_seconds(pid: int) -> float:
    """Return the user and kernel time of all threads of a running process.

    This is the clock that clock_getcpuclockid(3) returns, which Python does not offer: the bits of
    the pid inverted, then 2 (scheduler time) in the lowest three bits.
    """
    return time.clock_gettime((~pid << 3) | 2)


def resident_bytes(pid: int) -> int:
    """Return the memory of a process that is in RAM, shared libraries included."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    [kilobytes] = re.findall(r"^Rss:\s+(\d+) kB$", rollup, re.MULTILINE)
    return int(kilobytes) * 1024


def open_files(pid: int) -> int:
    """Return how many files and sockets a process has open."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def raise_open_files_limit() -> None:
    """Let this process, and those it starts, open as many files as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


# Tables


def spread(values: Iterable[float], form: str = ".2f") -> str:
    """Format the median, and the lowest and the highest value: `2.04 (1.98 - 2.21)`."""
    ordered = sorted(values)
    median = statistics.median(ordered)
    if len(ordered) == 1:
        return f"{median:{form}}"
    return f"{median:{form}} ({ordered[0]:{form}} - {ordered[-1]:{form}})"


def ratios(mine: Sequence[float], others: Sequence[float]) -> list[float]:
    """Divide the values of the same round."""
    return [one / other for one, other in zip(mine, others, strict=True)]


def short(value: float) -> str:
    """Round to three digits, with G, M and k: `8.34M`."""
    rounded = float(f"{value:.3g}")
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rounded >= unit:
            return f"{rounded / unit:.3g}{letter}"
    return f"{rounded:.3g}"


def short_spread(values: Iterable[float]) -> str:
    """Like `spread`, with short numbers: `8.34M (7.79M - 8.9M)`."""
    ordered = sorted(values)
    ends = f" ({short(ordered[0])} - {short(ordered[-1])})" if len(ordered) > 1 else ""
    return short(statistics.median(ordered)) + ends


def table(title: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table: names on the left, everything else aligned right."""
    yield title
    widths = [
        max(len(cell) for cell in cells) + 3 for cells in zip(columns, *rows.values(), strict=True)
    ]
    first = max(map(len, rows)) + 2
    for name, cells in {"": columns, **rows}.items():
        line = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"  {name:{first}}{line}".rstrip()
