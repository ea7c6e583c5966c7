"""Lines to the web door: whoever asks for too much, or for nothing, costs little and ends."""

import asyncio
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from gamehall.web.bounded_http import RequestQueue
from tests.support.served import Served
from tests.web.browser import Browser
from tests.web.test_play import web_port

PATIENCE_SECONDS = 60.0
ASK = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def hall() -> Iterator[Served]:
    with Served("--door=tttp=0", "--door=web=0") as served:
        yield served


def call(hall: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", web_port(hall)), timeout=PATIENCE_SECONDS)


def sent_until_it_ends(line: socket.socket, piece: bytes, most: int) -> int:
    """How many bytes were sent before the other end hung up; `most` if it did not."""
    sent = 0
    try:
        while sent < most:
            line.sendall(piece)
            sent += len(piece)
    except OSError:
        return sent
    return sent


def all_of(line: socket.socket) -> bytes:
    """Everything that comes until the line ends."""
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
def test_TM_24_a_request_without_end_is_ended(hall: Served, begin: bytes, piece: bytes) -> None:
    with call(hall) as line:
        line.sendall(begin)
        assert sent_until_it_ends(line, piece, 50_000_000) < 20_000_000
    assert Browser(web_port(hall)).get("/healthz") == {"status": "ok"}


def test_a_line_on_which_thousands_of_requests_wait_is_ended(hall: Served) -> None:
    with call(hall) as line:
        sent_until_it_ends(line, ASK * 1000, 10_000_000)
        assert all_of(line).count(b"HTTP/1.1 200") < 1000
    assert Browser(web_port(hall)).get("/healthz") == {"status": "ok"}


def test_a_few_requests_on_one_line_are_answered_in_order(hall: Served) -> None:
    last = b"GET /api/rooms/nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with call(hall) as line:
        line.sendall(ASK * 8 + last)
        received = all_of(line)
    assert received.count(b"HTTP/1.1 200") == 8
    assert received.rindex(b"HTTP/1.1 404") > received.rindex(b"HTTP/1.1 200")


@pytest.mark.parametrize("setting", ["max-connections", "max-per-address"])
def test_TM_24_who_asks_nothing_makes_way_for_who_does(setting: str, tmp_path: Path) -> None:
    config = tmp_path / "hall.toml"
    config.write_text(f"[door.web]\nport = 0\n{setting} = 20\n")
    with Served("--door=tttp=0", "--door=web", f"--config={config}") as hall:
        lines = [call(hall) for _ in range(20)]
        try:
            assert Browser(web_port(hall)).get("/healthz") == {"status": "ok"}
            assert all_of(lines[0]) == b"", "the first to come is the first to go"
            lines[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert all_of(lines[-1]).startswith(b"HTTP/1.1 200")
        finally:
            for line in lines:
                line.close()


def test_who_does_not_end_a_body_is_not_worth_a_word_in_the_log(hall: Served) -> None:
    with call(hall) as line:
        line.sendall(b"POST /api/seats HTTP/1.1\r\nHost: x\r\nX-Gamehall: 1\r\n")
        line.sendall(b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
    assert Browser(web_port(hall)).get("/healthz") == {"status": "ok"}
    hall.stop()
    assert "Traceback" not in hall.errors


def test_requests_are_let_in_one_for_each_turn_of_the_loop() -> None:
    seen: list[str] = []

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append("request")

    async def crowd() -> None:
        loop = asyncio.get_running_loop()

        def tick() -> None:
            seen.append("turn")
            if seen.count("turn") < 10:
                loop.call_soon(tick)

        turnstile = RequestQueue(app)
        loop.call_soon(tick)
        await asyncio.gather(*(turnstile({}, receive, send) for _ in range(4)))

    async def receive() -> Message:
        return {}

    async def send(_message: Message) -> None:
        return

    asyncio.run(crowd())
    assert seen.count("request") == 4
    assert all(pair != ("request", "request") for pair in pairwise(seen))


def test_who_is_gone_before_its_turn_is_in_nobodys_way() -> None:
    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        return

    async def crowd() -> None:
        turnstile = RequestQueue(app)
        first, second = (asyncio.ensure_future(turnstile({}, None, None)) for _ in range(2))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        first.cancel()
        await second

    asyncio.run(crowd())
