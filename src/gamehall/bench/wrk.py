"""wrk, somebody else's load generator: many connections ask for a page as fast as they get it."""

import re
import resource
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from gamehall.bench.contest import Load
from gamehall.bench.machine import BenchError, Server, cpu_seconds

PATH = "/state"
CONNECTIONS = 64
PATIENCE_SECONDS = 30.0

VARIED = Path(__file__).with_name("wrk_varied.lua")
"""What wrk asks if it is not to ask always in the same words."""

WITHOUT_WRK = "wrk is not installed, so GET /state is left out: apt-get install wrk"

DONE = re.compile(r"^ *(\d+) requests in .*, ([0-9.]+)([KMG]?)B read$", re.MULTILINE)
COMPLAINT = re.compile(r"^ *((?:Socket errors|Non-2xx).*)$", re.MULTILINE)
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def is_installed() -> bool:
    """Whether there can be load at all."""
    return shutil.which("wrk") is not None


def put_under_load(server: Server, whole_seconds: int, response_bytes: int, *options: str) -> Load:
    """Ask a server for so long, and give what was done; `options` are more of wrk's.

    Raises BenchError if not every request was answered by so many bytes: a wrong server has no
    speed.
    """
    command = _command(server, whole_seconds, options)
    cpu, load_cpu, start = cpu_seconds(server.pid), _cpu_seconds_of_load(), time.monotonic()
    try:
        ended = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=whole_seconds + PATIENCE_SECONDS,
            start_new_session=True,  # Ctrl-C is for the benchmark, which then ends this too.
        )
    except subprocess.TimeoutExpired:
        raise BenchError(f"{' '.join(command)}: it does not end") from None
    seconds = time.monotonic() - start
    cpu, load_cpu = cpu_seconds(server.pid) - cpu, _cpu_seconds_of_load() - load_cpu
    if ended.returncode != 0:
        raise BenchError(f"{' '.join(command)}: {(ended.stderr or ended.stdout).strip()[-2000:]}")
    return Load(requests_done(ended.stdout, response_bytes), 0, seconds, cpu, load_cpu)


def requests_done(output: str, response_bytes: int) -> int:
    """How many requests wrk says were answered, each by at least so many bytes.

    Raises BenchError if some were answered otherwise, or none at all.
    """
    found, complaint = DONE.search(output), COMPLAINT.search(output)
    if complaint is not None:
        raise BenchError(f"wrk: {complaint[1]}")
    if found is None or not int(found[1]):
        raise BenchError(f"wrk counts no requests: {output.strip()[-2000:]}")
    requests, bytes_read = int(found[1]), float(found[2]) * UNITS[found[3]]
    # wrk rounds what it has read, and forgets what was under way at the end.
    if bytes_read < 0.99 * requests * response_bytes:
        raise BenchError(
            f"wrk: {requests} responses of {response_bytes} bytes cannot be {bytes_read:.0f} bytes"
        )
    return requests


def headers_of(response: bytes) -> list[tuple[str, str]]:
    """The headers of a response, in their order."""
    _, *lines = response.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    return [(name, value) for name, _, value in (line.partition(": ") for line in lines)]


def body_of(response: bytes) -> bytes:
    """What comes after the head."""
    return response.partition(b"\r\n\r\n")[2]


def _command(server: Server, whole_seconds: int, options: Sequence[str]) -> Sequence[str]:
    return (
        *("wrk", "--threads=1", f"--connections={CONNECTIONS}", f"--duration={whole_seconds}s"),
        *options,
        f"http://127.0.0.1:{server.port}{PATH}",
    )


def _cpu_seconds_of_load() -> float:
    """Of all programs that were started here and have ended: meanwhile only wrk does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
