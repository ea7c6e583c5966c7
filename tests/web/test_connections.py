"""HTTP connections that send too much, or nothing, are closed at a low cost."""

import asyncio
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from gamehall.web.bounded_http import RequestQueue
from tests.support.served import Served
from tests.web.api_client import ApiClient
from tests.web.test_play import web_port

PATIENCE_SECONDS = 60.0
ASK = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def server() -> Iterator[Served]:
    with Served("--door=tttp=0", "--door=web=0") as served:
        yield served


def connect(server: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", web_port(server)), timeout=PATIENCE_SECONDS)


def send_until_closed(line: socket.socket, piece: bytes, limit: int) -> int:
    """Return how many bytes were sent before the server closed the connection, `limit` at most."""
    sent = 0
    try:
        while sent < limit:
            line.sendall(piece)
            sent += len(piece)
    except OSError:
        return sent
    return sent


def read_all(line: socket.socket) -> bytes:
    received = b""
    try:
        while part := line.recv(65_536):
            received += part
    except ConnectionResetError:
        return received
    return received


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n", b"a: b\r\n" * 1000),
        (b"GET /", b"x" * 10_000),
        (b"GET / HTTP/1.1\r\nHost: x\r\nlong: ", b"x" * 10_000),
        (
            b"POST /api/seats HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            b"a: b\r\n" * 1000,
        ),
    ],
    ids=["headers", "address", "header", "trailer"],
)
def test_TM_24_an_endless_request_is_cut_off(server: Served, begin: bytes, piece: bytes) -> None:
    with connect(server) as line:
        line.sendall(begin)
        assert send_until_closed(line, piece, 50_000_000) < 20_000_000
    assert ApiClient(web_port(server)).get("/healthz") == {"status": "ok"}


def test_a_connection_with_thousands_of_pipelined_requests_is_closed(server: Served) -> None:
    with connect(server) as line:
        send_until_closed(line, ASK * 1000, 10_000_000)
        assert read_all(line).count(b"HTTP/1.1 200") < 1000
    assert ApiClient(web_port(server)).get("/healthz") == {"status": "ok"}


def test_pipelined_requests_are_answered_in_order(server: Served) -> None:
    last = b"GET /api/rooms/nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with connect(server) as line:
        line.sendall(ASK * 8 + last)
        received = read_all(line)
    assert received.count(b"HTTP/1.1 200") == 8
    assert received.rindex(b"HTTP/1.1 404") > received.rindex(b"HTTP/1.1 200")


@pytest.mark.parametrize("setting", ["max-connections", "max-per-address"])
def test_TM_24_silent_connections_are_closed_for_new_ones(setting: str, tmp_path: Path) -> None:
    config = tmp_path / "hall.toml"
    config.write_text(f"[door.web]\nport = 0\n{setting} = 20\n")
    with Served("--door=tttp=0", "--door=web", f"--config={config}") as server:
        lines = [connect(server) for _ in range(20)]
        try:
            assert ApiClient(web_port(server)).get("/healthz") == {"status": "ok"}
            assert read_all(lines[0]) == b"", "the oldest silent connection is closed"
            lines[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert read_all(lines[-1]).startswith(b"HTTP/1.1 200")
        finally:
            for line in lines:
                line.close()


def test_an_incomplete_body_is_not_logged(server: Served) -> None:
    with connect(server) as line:
        line.sendall(b"POST /api/seats HTTP/1.1\r\nHost: x\r\nX-Gamehall: 1\r\n")
        line.sendall(b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
    assert ApiClient(web_port(server)).get("/healthz") == {"status": "ok"}
    server.stop()
    assert "Traceback" not in server.errors


def test_one_request_starts_per_iteration_of_the_event_loop() -> None:
    seen: list[str] = []

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append("request")

    async def send_requests() -> None:
        loop = asyncio.get_running_loop()

        def tick() -> None:
            seen.append("turn")
            if seen.count("turn") < 10:
                loop.call_soon(tick)

        queue = RequestQueue(app)
        loop.call_soon(tick)
        await asyncio.gather(*(queue({}, receive, send) for _ in range(4)))

    async def receive() -> Message:
        return {}

    async def send(_message: Message) -> None:
        return

    asyncio.run(send_requests())
    assert seen.count("request") == 4
    assert all(pair != ("request", "request") for pair in pairwise(seen))


def test_a_cancelled_request_does_not_block_the_queue() -> None:
    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        return

    async def send_requests() -> None:
        queue = RequestQueue(app)
        first, second = (asyncio.ensure_future(queue({}, None, None)) for _ in range(2))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        first.cancel()
        await second

    asyncio.run(send_requests())
