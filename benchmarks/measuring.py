"""Shared by all benchmarks: servers as subprocesses, CPU time and memory, and tables."""

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
"""Less than the backlog of 100 of a listening socket. Connection attempts beyond that are dropped,
and repeated only after a second."""


class BenchmarkError(Exception):
    """A benchmark gives no result. The message says why, and for which command."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much to measure."""

    rounds: int = 3
    seconds: float = 2.0
    """The time of each server or program in a round."""
    connections: int = 64
    """Players at the same time in the benchmarks of doors."""
    idle_connections: int = 10_000
    rooms: int = 1_000
    watchers: int = 500
    watched_moves: int = 200
    busy_tables: int = 400
    """Tables in the benchmark of a busy room."""
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
"""Enough to check that a benchmark runs. The results mean nothing."""


def show_progress(text: str) -> None:
    """Show a message on the terminal. The next one overwrites it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


# Servers


@dataclass(frozen=True, slots=True)
class Server:
    """A server in a subprocess."""

    child: "subprocess.Popen[bytes]"
    ports: Mapping[str, int]
    """Ports by the name of the door, which is `bare` for a bare server."""

    @property
    def pid(self) -> int:
        return self.child.pid

    @property
    def port(self) -> int:
        """The port of the first door."""
        return next(iter(self.ports.values()))


def gamehall_command(
    doors: Mapping[str, Mapping[str, object]], data: Path | None, *options: str
) -> Sequence[str]:
    """Return the command of a server with these doors and their settings, on free ports.

    `data` is the folder of the journal, None for a server without one.
    """
    command = [sys.executable, "-m", "gamehall", "serve", f"--data={data or 'none'}"]
    for door, settings in doors.items():
        command.append(f"--door={door}=0")
        command += [f"--set={door}.{name}={value}" for name, value in settings.items()]
    return [*command, "--log-level=error", *options]


def bare_command(*arguments: object) -> Sequence[str]:
    """Return the command of a server without a game (see `benchmarks.bare`)."""
    return [sys.executable, "-m", "benchmarks.bare", *map(str, arguments)]


@contextmanager
def running(command: Sequence[str], stop: signal.Signals = signal.SIGTERM) -> Iterator[Server]:
    """Start a server, wait until it is ready, and stop it at the end.

    Raises BenchmarkError with its standard error if the server does not become ready, or does not
    end with exit code 0 upon SIGTERM.
    """
    # Files instead of pipes, which would block when full, as they are not read meanwhile.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=ROOT,
            start_new_session=True,  # Ctrl-C reaches the benchmark only, which stops the server.
        )
        try:
            yield Server(child, _ports_when_ready(child, output, errors, command))
            child.send_signal(stop)
            code = child.wait(SECONDS_TO_STOP)
            if code not in (0, -signal.SIGKILL):
                raise BenchmarkError(_error(command, f"ended with {code}", errors))
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()


def _ports_when_ready(
    child: "subprocess.Popen[bytes]", output: IO[bytes], errors: IO[bytes], command: Sequence[str]
) -> dict[str, int]:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        # Not `read`, which would move the file position that is shared with the server.
        written = os.pread(output.fileno(), 1 << 16, 0).decode()
        if "\nready\n" in written:
            return {door: int(port) for door, port in LISTENING.findall(written)}
        if child.poll() is not None:
            raise BenchmarkError(_error(command, f"ended with {child.returncode}", errors))
        time.sleep(0.005)
    raise BenchmarkError(_error(command, "is not ready", errors))


def _error(command: Sequence[str], problem: str, errors: IO[bytes]) -> str:
    written = os.pread(errors.fileno(), 1 << 16, 0).decode(errors="replace").strip()
    return f"{' '.join(command)}: {problem}\n{written[-2000:]}"


def connect(server: Server, count: int, port: int | None = None) -> list[socket.socket]:
    """Open connections, and wait until the server has accepted all of them."""
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


# Figures of the kernel


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of all threads of a running process."""
    # The clock of clock_getcpuclockid(3), which Python does not offer: the inverted bits of the
    # pid, then 2 (scheduler time) in the lowest three bits.
    return time.clock_gettime((~pid << 3) | 2)


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process, including shared libraries."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    [kilobytes] = re.findall(r"^Rss:\s+(\d+) kB$", rollup, re.MULTILINE)
    return int(kilobytes) * 1024


def open_files(pid: int) -> int:
    """Return the number of open files and sockets of a process."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def raise_open_files_limit() -> None:
    """Raise the limit of open files to the maximum, for this process and its children."""
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
    """Return the ratio for each round."""
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
    """Yield the lines of a table: names on the left, values aligned right."""
    yield title
    widths = [
        max(len(cell) for cell in cells) + 3 for cells in zip(columns, *rows.values(), strict=True)
    ]
    first = max(map(len, rows)) + 2
    for name, cells in {"": columns, **rows}.items():
        line = "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"  {name:{first}}{line}".rstrip()
