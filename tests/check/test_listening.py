"""`gamehall check --listen`: our own bots pass, and what a client does wrong is told."""

import contextlib
import socket
import subprocess
import threading
from collections.abc import Callable

import pytest

from gamehall.check import listening
from gamehall.check.clauses import Finding, Verdict
from gamehall.protocols.catalogue import all_protocols
from tests.served import GAMEHALL

PATIENCE_SECONDS = 60
SECONDS_TO_ANSWER = 1.0

Client = Callable[[socket.socket], None]


@pytest.mark.parametrize("door", list(all_protocols()))
def test_our_own_bot_passes(door: str) -> None:
    hurry = ("--set", "join-window=0.3") if door.startswith("santorini") else ()
    with subprocess.Popen(
        [GAMEHALL, "check", "--listen", f"{door}://127.0.0.1:0", *hurry],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        _, name, address = program.stdout.readline().split()
        assert name == door
        subprocess.run(
            [GAMEHALL, "bot", f"{door}://{address}", "--bot", "random", "--seed", "1"],
            capture_output=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        output, errors = program.communicate(timeout=PATIENCE_SECONDS)
        assert errors == ""
        assert "6 passed, 0 failed, 0 not checked" in output, output
        assert program.returncode == 0


def faults(door: str, client: Client | None, seconds_to_come: float = 5.0) -> dict[str, str]:
    """What is found wrong with a client."""
    threads: list[threading.Thread] = []

    def come(port: int) -> None:
        assert client is not None
        plug = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
        with plug, contextlib.suppress(OSError):
            client(plug)
            while plug.recv(65_536):
                pass

    def tell(port: int) -> None:
        if client is not None:
            threads.append(threading.Thread(target=come, args=(port,)))
            threads[-1].start()

    settings = {"join-window": 0.1} if door.startswith("santorini") else {}
    findings: list[Finding] = listening.run(
        all_protocols()[door],
        "127.0.0.1",
        0,
        settings,
        tell,
        seconds_to_come,
        SECONDS_TO_ANSWER,
    )
    for thread in threads:
        thread.join()
    return {one.clause: one.detail for one in findings if one.verdict is Verdict.FAILED}


def says(*messages: bytes) -> Client:
    """Says one message, and each of the others as soon as something has come."""

    def client(plug: socket.socket) -> None:
        plug.sendall(messages[0])
        for message in messages[1:]:
            plug.recv(65_536)
            plug.sendall(message)

    return client


def leaves(plug: socket.socket) -> None:
    plug.sendall(b"JOIN\x03ann")
    plug.recv(65_536)
    plug.shutdown(socket.SHUT_RDWR)


def answers_two_prompts(first: bytes, second: bytes) -> Client:
    """A player of 001 who signs up and answers its first two prompts like this."""

    def client(plug: socket.socket) -> None:
        plug.sendall(b'"ann"\n')
        heard = plug.makefile("rb")
        answers = [first, second]
        for line in heard:
            if line.startswith((b'["place"', b'["turn"')) and answers:
                plug.sendall(answers.pop(0))

    return client


@pytest.mark.parametrize(
    ("door", "point", "client"),
    [
        ("tttp", "C-01", says(b"")),
        ("tttp", "C-01", says(b"JOIN\x00")),
        ("tttp", "C-01", says(b"HELO")),
        ("tttp", "C-02", says(b"JOIN\x03ann", b"MOVE")),
        ("tttp", "C-03", says(b"JOIN\x03ann", b"PLAY\x09\x00")),
        ("tttp", "C-04", says(b"JOIN\x03ann", b"PLAY\x00\x05PLAY\x00\x04PLAY\x00\x03" * 3)),
        ("tttp", "C-05", says(b"JOIN\x03ann")),
        ("tttp", "C-06", leaves),
        ("go-text", "C-01", says(b"RESIGN\n")),
        ("go-text", "C-02", says(b"RESPONSE boardsize huge\n")),
        ("go-text", "C-02", says(b"response boardsize 9\n")),
        ("santorini-lobby", "C-02", says(b'["join","ann"]\n', b'["dance"]\n')),
        ("santorini-tournament", "C-01", says(b'"Ann"\n')),
        ("santorini-tournament", "C-02", answers_two_prompts(b'{"x":1}\n', b"")),
        ("santorini-tournament", "C-03", answers_two_prompts(b"[2,2]\n", b"[2,2]\n")),
        ("santorini-tournament", "C-05", answers_two_prompts(b"", b"")),
    ],
)
def test_what_a_client_does_wrong_is_told(door: str, point: str, client: Client) -> None:
    found = faults(door, client)
    assert point in found, found


def http(method: str, path: str, body: bytes = b"") -> bytes:
    length = str(len(body)).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: hall\r\nContent-Length: ".encode()
    return head + length + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("point", "moves"),
    [
        ("C-02", b'{"player_index":0,"moves":[{"type":"dance"}]}'),
        ("C-03", b'{"player_index":0,"moves":[{"type":"play","card_name":"Mystic"}]}'),
        ("C-04", b'{"player_index":1,"moves":[{"type":"end_turn"}]}'),
    ],
)
def test_what_a_client_of_004_does_wrong_is_told(point: str, moves: bytes) -> None:
    client = says(http("POST", "/join"), http("GET", "/state"), http("POST", "/moves", moves))
    assert point in faults("ascension-http", client)


def test_if_nobody_comes_that_is_told() -> None:
    assert faults("tttp", None, seconds_to_come=0.1) == {"C-01": "it did not come"}
