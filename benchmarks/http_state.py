"""`GET /state` of Ascension over HTTP, compared with servers that send the same bytes.

wrk generates the load: 64 connections that stay open, at each server in turn for a second.
"""

import http.client
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.measuring import (
    HOST,
    SECONDS_TO_ANSWER,
    BenchmarkError,
    Effort,
    Server,
    bare_command,
    cpu_seconds,
    gamehall_command,
    ratios,
    running,
    show_progress,
    spread,
    table,
)
from benchmarks.scripts import UNLIMITED

DOOR = "ascension-http"
TURN = 40
"""The turn of the state, which has a typical length in the middle of a game."""
CONNECTIONS = 64
SLICE_SECONDS = 1
"""The minimum of wrk."""
WRK_MISSING = "wrk is not installed, so GET /state is not measured: apt-get install wrk"

HTTPTOOLS, AIOHTTP, SAME, VARIED = (
    "bare httptools",
    "bare aiohttp",
    "door",
    "door, requests that differ",
)
OPTIONS = {VARIED: [f"--script={Path(__file__).with_name('wrk_varied.lua')}"]}

DONE = re.compile(r"^ *(\d+) requests in .*, ([0-9.]+)([KMG]?)B read$", re.MULTILINE)
COMPLAINT = re.compile(r"^ *((?:Socket errors|Non-2xx).*)$", re.MULTILINE)
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

PRICES = {"Mystic": (3, "mystics"), "Heavy Infantry": (2, "heavy")}
"""The cost in runes, and the field with the number of cards left. These cards require no choice and
give no honor during the game, so that it continues and its state grows."""


def run(effort: Effort) -> Iterator[str]:
    """Measure, and yield the table."""
    if shutil.which("wrk") is None:
        yield WRK_MISSING
        return
    kinds = [HTTPTOOLS, *([AIOHTTP] if find_spec("aiohttp") else []), SAME, VARIED]
    costs: dict[str, list[float]] = {kind: [] for kind in kinds}
    length = 0
    slices = max(1, round(effort.seconds / SLICE_SECONDS))
    for number in range(1, effort.rounds + 1):
        show_progress(f"GET /state, round {number} of {effort.rounds}")
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            servers, response = open_servers(stack, kinds, folder)
            length = len(body_of(response))
            for kind, cost in measure(servers, response, slices).items():
                costs[kind].append(cost)
    show_progress("")
    rows = {
        kind: [
            spread(costs[kind], ".1f"),
            spread(ratios(costs[kind], costs[HTTPTOOLS])),
            spread(ratios(costs[kind], costs[AIOHTTP])) if AIOHTTP in costs else "",
        ]
        for kind in kinds
    }
    title = f"GET /state of Ascension, {length:,} bytes, {CONNECTIONS} connections,"
    title += f" {effort.rounds} rounds of {slices} s"
    yield from table(title, ("CPU us/request", "to httptools", "to aiohttp"), rows)


def open_servers(
    stack: ExitStack, kinds: Sequence[str], folder: Path
) -> tuple[Mapping[str, Server], bytes]:
    """Start all servers, and return them with the response of the door, which all of them send."""
    command = gamehall_command({DOOR: UNLIMITED}, folder / "data", "--seed=1")
    door = stack.enter_context(running(command))
    bring_to_turn(door, TURN)
    response = state_of(door)
    prepared = folder / "response"
    prepared.write_bytes(response)
    modes = {HTTPTOOLS: "http", AIOHTTP: "aiohttp"}
    servers = {
        kind: stack.enter_context(running(bare_command(modes[kind], prepared)))
        if kind in modes
        else door
        for kind in kinds
    }
    return servers, response


def measure(servers: Mapping[str, Server], response: bytes, slices: int) -> dict[str, float]:
    """Run wrk on all servers in turn. Return microseconds of CPU time per request."""
    requests = dict.fromkeys(servers, 0)
    seconds = dict.fromkeys(servers, 0.0)
    for number in range(slices + 1):
        for kind, server in servers.items():
            before = cpu_seconds(server.pid)
            done = run_wrk(server, len(response), OPTIONS.get(kind, []))
            if number:  # The first slice warms up.
                requests[kind] += done
                seconds[kind] += cpu_seconds(server.pid) - before
    for kind, server in servers.items():
        if body_of(state_of(server)) != body_of(response):
            raise BenchmarkError(f"{kind}: the state is not the one that was prepared")
    return {kind: seconds[kind] / requests[kind] * 1e6 for kind in servers}


def run_wrk(server: Server, response_bytes: int, options: Sequence[str]) -> int:
    """Run wrk for a slice, and return the number of requests answered."""
    command = ["wrk", "--threads=1", f"--connections={CONNECTIONS}", f"--duration={SLICE_SECONDS}s"]
    command += [*options, f"http://{HOST}:{server.port}/state"]
    ended = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=SECONDS_TO_ANSWER
    )
    if ended.returncode != 0:
        raise BenchmarkError(f"{' '.join(command)}: {ended.stderr or ended.stdout}")
    return requests_done(ended.stdout, response_bytes)


def requests_done(output: str, response_bytes: int) -> int:
    """Return the number of requests that wrk reports.

    Raises BenchmarkError if there is none, or if there are errors or too short responses.
    """
    found, complaint = DONE.search(output), COMPLAINT.search(output)
    if complaint is not None:
        raise BenchmarkError(f"wrk: {complaint[1]}")
    if found is None or not int(found[1]):
        raise BenchmarkError(f"wrk counts no requests: {output.strip()}")
    requests, bytes_read = int(found[1]), float(found[2]) * UNITS[found[3]]
    # wrk rounds the number of bytes, and the header of aiohttp is shorter than that of the door.
    if bytes_read < 0.95 * requests * response_bytes:
        raise BenchmarkError(f"wrk: {requests} responses are only {bytes_read:.0f} bytes long")
    return requests


def bring_to_turn(server: Server, turn: int) -> None:
    """Join as both players, and play until that turn begins."""
    line = http.client.HTTPConnection(HOST, server.port, timeout=SECONDS_TO_ANSWER)

    def ask(method: str, target: str, content: object = None) -> dict[str, Any]:
        line.request(method, target, None if content is None else json.dumps(content))
        response = line.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status != http.client.OK or answer.get("error"):
            raise BenchmarkError(f"{method} {target} {content} was answered {answer}")
        return answer

    with closing(line):
        for _ in range(2):
            ask("POST", "/join")
        state = ask("GET", "/state")
        while state["board"]["current_turn"] < turn:
            index = state["board"]["current_player_index"]
            for moves in (cards_to_play, cards_to_buy, lambda *_: [{"type": "end_turn"}]):
                sent = {"player_index": index, "moves": moves(state["board"], index)}
                state = ask("POST", "/moves", sent)


def cards_to_play(board: dict[str, Any], index: int) -> list[dict[str, str]]:
    """Return moves that play all cards in hand."""
    return [{"type": "play", "card_name": name} for name in board["players"][index]["hand"]]


def cards_to_buy(board: dict[str, Any], index: int) -> list[dict[str, str]]:
    """Return moves that buy at most one card of each kind, the most expensive first."""
    runes = board["players"][index]["runes_remaining"]
    moves = []
    for name, (price, stack) in PRICES.items():
        if runes >= price and board[stack]:
            runes -= price
            moves.append({"type": "acquire", "card_name": name})
    return moves


def state_of(server: Server) -> bytes:
    """Return the response to `GET /state` with its header."""
    line = http.client.HTTPConnection(HOST, server.port, timeout=SECONDS_TO_ANSWER)
    with closing(line):
        line.request("GET", "/state")
        response = line.getresponse()
        head = [f"HTTP/1.1 {response.status} {response.reason}"]
        head += [f"{name}: {value}" for name, value in response.getheaders()]
        return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + response.read()


def body_of(response: bytes) -> bytes:
    return response.partition(b"\r\n\r\n")[2]
