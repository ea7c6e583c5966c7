"""`gamehall check --listen`: good clients pass in both seats, and faults fail under their point."""

import contextlib
import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

from gamehall.conformance import listening
from gamehall.conformance.checklist import Finding, Verdict
from gamehall.protocols.catalogue import all_protocols
from tests.conformance.faulty_servers import close_at_once
from tests.support.served import GAMEHALL

PATIENCE_SECONDS = 100
SECONDS_TO_ANSWER = 1.5

DOORS = list(all_protocols())

FAST_SETTINGS: dict[str, dict[str, object]] = {
    "santorini-lobby": {"join-window": 0.1, "move-timeout": 1.5},
    "santorini-tournament": {"join-window": 0.1, "timeout": 1.5},
}

Client = Callable[[socket.socket], None]


def findings_of(
    door: str, *clients: Client, seconds_to_connect: float = 10.0, seconds_to_return: float = 0.2
) -> dict[str, Finding]:
    """Return the findings about a client; the next function is called on each connection."""
    threads: list[threading.Thread] = []
    left = iter(clients)
    ports: list[int] = []

    def run(client: Client) -> None:
        with contextlib.suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", ports[0]), PATIENCE_SECONDS)
            with connection:
                client(connection)
                while connection.recv(65_536):
                    pass

    def start_next() -> None:
        client = next(left, None)
        if client is not None:
            threads.append(threading.Thread(target=run, args=(client,)))
            threads[-1].start()

    def report_port(port: int) -> None:
        ports.append(port)
        start_next()

    findings = listening.run(
        all_protocols()[door],
        "127.0.0.1",
        0,
        FAST_SETTINGS.get(door, {}),
        report_port,
        seconds_to_connect,
        SECONDS_TO_ANSWER,
        seconds_to_return=10.0 if len(clients) > 1 else seconds_to_return,
        ask_to_return=lambda seconds: start_next(),
    )
    for thread in threads:
        thread.join()
    return {one.clause: one for one in findings}


def faults(findings: dict[str, Finding]) -> dict[str, str]:
    return {point: one.detail for point, one in findings.items() if one.verdict is Verdict.FAILED}


# Good clients


@pytest.mark.parametrize("door", DOORS)
def test_our_own_bot_passes_in_both_seats(door: str) -> None:
    hurry = ("--set", "join-window=0.3") if door.startswith("santorini") else ()
    with subprocess.Popen(
        [GAMEHALL, "check", "--listen", f"{door}://127.0.0.1:0", *hurry],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        _, name, address = program.stdout.readline().split()
        assert name == door
        play(door, address)
        if door != "santorini-tournament":
            # Three games of one pair give a santorini-tournament client both seats.
            assert program.stderr.readline().startswith("connect the client again within ")
            play(door, address)
        output, errors = program.communicate(timeout=PATIENCE_SECONDS)
        assert errors == ""
        assert "7 passed, 0 failed, 0 not checked" in output, output
        assert program.returncode == 0


def play(door: str, address: str) -> None:
    subprocess.run(
        [GAMEHALL, "bot", f"{door}://{address}", "--bot", "random", "--seed", "1"],
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def test_the_report_on_a_client_that_connects_only_once_says_what_was_not_checked() -> None:
    found = findings_of("go-text", answers_and_resigns)
    assert faults(found) == {}
    assert found["C-06"].verdict is Verdict.PASSED
    assert found["C-07"].verdict is Verdict.NOT_CHECKED
    assert "only once" in found["C-07"].detail


def test_a_client_that_is_bad_only_in_the_other_seat_fails() -> None:
    found = findings_of("go-text", answers_and_resigns, sends(b"TERMSCONFIRM maybe\n"))
    assert faults(found).keys() == {"C-01"}
    assert "second connection" in found["C-01"].detail
    assert found["C-07"].verdict is Verdict.NOT_CHECKED


def answers_and_resigns(connection: socket.socket) -> None:
    """Play go-text as black: play one stone, then resign."""
    answers = {b"boardsize": b"9", b"color": b"1", b"handicap": b"0", b"komi": b"5.5"}
    for line in lines_of(connection):
        words = line.split()
        if words[0] == b"QUERY":
            connection.sendall(b"RESPONSE %s %s\n" % (words[1], answers[words[1]]))
        elif words[0] == b"TERMS":
            connection.sendall(b"TERMSCONFIRM Yes\n")
        elif words[0] == b"START":
            connection.sendall(b"PLAY 4 4\n")
        elif words[0].startswith(b"OPPONENT"):
            connection.sendall(b"RESIGN\n")


def test_a_client_of_000_that_does_not_see_the_board_may_guess() -> None:
    """It tries one cell after the other. Occupied cells that it cannot see are no faults."""
    found = findings_of("santorini-lobby", tries_all_cells)
    assert "C-03" not in faults(found)
    assert found["C-03"].verdict is Verdict.NOT_CHECKED
    assert "board" in found["C-03"].detail


def tries_all_cells(connection: socket.socket) -> None:
    """Place both workers on the first free cells, and stay silent after that."""
    connection.sendall(b'["join","ann"]\n')
    cells = [[column, row] for row in range(5) for column in range(5)]
    for line in lines_of(connection):
        kind = json.loads(line)[0]
        if kind == "keepalive":
            connection.sendall(b'["stillalive"]\n')
        elif kind == "get_placement":
            connection.sendall(json.dumps(["give_placement", cells.pop(0)]).encode() + b"\n")


# Bad clients


def lines_of(connection: socket.socket) -> Iterator[bytes]:
    with connection.makefile("rb") as lines:
        yield from lines


def sends(*messages: bytes) -> Client:
    """Send one message, and each of the others as soon as something has come."""

    def client(connection: socket.socket) -> None:
        connection.sendall(messages[0])
        for message in messages[1:]:
            connection.recv(65_536)
            connection.sendall(message)

    return client


def sends_at(word: bytes, *messages: bytes) -> Client:
    """Send these messages like `sends`, but the last one only after this word has come."""

    def client(connection: socket.socket) -> None:
        sends(*messages[:-1])(connection)
        received = b""
        while word not in received:
            received += connection.recv(65_536)
        connection.sendall(messages[-1])

    return client


def leaves_after(*messages: bytes) -> Client:
    """Send these messages like `sends`, and close the connection."""

    def client(connection: socket.socket) -> None:
        sends(*messages)(connection)
        connection.recv(65_536)
        connection.shutdown(socket.SHUT_RDWR)

    return client


def answers_prompts(join: bytes, *answers: bytes) -> Client:
    """Join a Santorini tournament, and answer the prompts with these messages."""

    def client(connection: socket.socket) -> None:
        connection.sendall(join)
        left = list(answers)
        for line in lines_of(connection):
            if b'"keepalive"' in line:
                connection.sendall(b'["stillalive"]\n')
            elif line.startswith((b'["place"', b'["turn"', b'["get_')) and left:
                connection.sendall(left.pop(0))

    return client


def leaves_at_prompt(join: bytes) -> Client:
    """Join a Santorini tournament, and leave at the first prompt."""

    def client(connection: socket.socket) -> None:
        connection.sendall(join)
        for line in lines_of(connection):
            if line.startswith((b'["place"', b'["get_')):
                connection.shutdown(socket.SHUT_RDWR)

    return client


def http(method: str, path: str, body: bytes = b"") -> bytes:
    length = str(len(body)).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: hall\r\nContent-Length: ".encode()
    return head + length + b"\r\n\r\n" + body


def moves(moves: str, player: int = 0) -> bytes:
    return http("POST", "/moves", f'{{"player_index":{player},"moves":[{moves}]}}'.encode())


def polls(connection: socket.socket) -> None:
    """Join at ascension-http, and only poll."""
    connection.sendall(http("POST", "/join"))
    while connection.recv(65_536):
        connection.sendall(http("GET", "/state"))


JOIN, STATE = http("POST", "/join"), http("GET", "/state")
LOBBY, SIGN_UP, TTTP = b'["join","ann"]\n', b'"ann"\n', b"JOIN\x03ann"
GO = tuple(
    b"RESPONSE %s\n" % answer for answer in (b"boardsize 9", b"color 1", b"handicap 0", b"komi 0.5")
)
GO_AGREES = (*GO, b"TERMSCONFIRM Yes\n")

BAD: list[tuple[str, str, str, Client]] = [
    # It connects and sends nothing.
    *((door, "C-01", "silent", sends(b"")) for door in DOORS),
    # It leaves at once.
    *((door, "C-01", "leaves", close_at_once) for door in DOORS),
    # Its first message is garbage.
    *((door, "C-01", "garbage", sends(b"\x00\xffHELO\r\n\r\n")) for door in DOORS),
    ("tttp", "C-01", "no name", sends(b"JOIN\x00")),
    ("go-text", "C-01", "resigns first", sends(b"RESIGN\n")),
    ("santorini-tournament", "C-01", "no sign-up name", sends(b'"Ann"\n')),
    # It joins and then sends nothing.
    ("tttp", "C-05", "silent", sends(TTTP)),
    ("go-text", "C-05", "silent", sends(GO[0])),
    ("go-text", "C-05", "silent at its move", sends(*GO_AGREES)),
    ("santorini-lobby", "C-05", "silent", answers_prompts(LOBBY)),
    ("santorini-lobby", "C-05", "no turn", answers_prompts(LOBBY, b'["give_placement",[4,4]]\n')),
    ("santorini-tournament", "C-05", "silent", answers_prompts(SIGN_UP)),
    ("santorini-tournament", "C-05", "no second answer", answers_prompts(SIGN_UP, b"[4,4]\n")),
    ("ascension-http", "C-05", "silent", sends(JOIN)),
    ("ascension-http", "C-05", "only polls", polls),
    # Its first move is illegal.
    ("tttp", "C-03", "off the board", sends(TTTP, b"PLAY\x09\x00")),
    ("go-text", "C-03", "off the board", sends_at(b"START", *GO_AGREES, b"PLAY 9 9\n")),
    (
        "santorini-lobby",
        "C-03",
        "off the board",
        answers_prompts(LOBBY, b'["give_placement",[9,9]]\n'),
    ),
    (
        "santorini-lobby",
        "C-03",
        "on its own worker",
        answers_prompts(LOBBY, *[b'["give_placement",[4,4]]\n'] * 2),
    ),
    ("santorini-tournament", "C-03", "off the board", answers_prompts(SIGN_UP, b"[9,9]\n")),
    ("santorini-tournament", "C-03", "taken", answers_prompts(SIGN_UP, *[b"[2,2]\n"] * 2)),
    (
        "ascension-http",
        "C-03",
        "not in hand",
        sends(JOIN, STATE, moves('{"type":"play","card_name":"Mystic"}')),
    ),
    # It moves out of turn.
    (
        "tttp",
        "C-04",
        "moves three times",
        sends(TTTP, b"PLAY\x00\x05PLAY\x00\x04PLAY\x00\x03" * 3),
    ),
    ("santorini-tournament", "C-04", "places twice", answers_prompts(SIGN_UP, b"[2,2]\n[3,3]\n")),
    ("ascension-http", "C-04", "for another", sends(JOIN, STATE, moves('{"type":"end_turn"}', 1))),
    # It joins, and then sends what is no message.
    ("tttp", "C-02", "no packet", sends(TTTP, b"MOVE")),
    ("go-text", "C-02", "no answer", sends(b"RESPONSE boardsize huge\n")),
    ("santorini-lobby", "C-02", "no message", sends(LOBBY, b'["dance"]\n')),
    ("santorini-lobby", "C-02", "no JSON", answers_prompts(LOBBY, b"nonsense\n")),
    ("santorini-tournament", "C-02", "no request", answers_prompts(SIGN_UP, b'{"x":1}\n')),
    ("santorini-tournament", "C-02", "no JSON", answers_prompts(SIGN_UP, b"nonsense\n")),
    ("ascension-http", "C-02", "no move", sends(JOIN, STATE, moves('{"type":"dance"}'))),
    ("ascension-http", "C-02", "endless head", sends(JOIN, b"GET /" + bytes(b"x" * 200_000))),
    # It leaves in the middle of the game.
    ("tttp", "C-06", "leaves", leaves_after(TTTP)),
    ("go-text", "C-06", "leaves", leaves_after(*GO_AGREES)),
    ("santorini-lobby", "C-06", "leaves", leaves_at_prompt(LOBBY)),
    ("santorini-tournament", "C-06", "leaves", leaves_at_prompt(SIGN_UP)),
]


@pytest.mark.parametrize(
    ("door", "point", "client"),
    [(door, point, client) for door, point, _, client in BAD],
    ids=[f"{door}-{point}-{what}" for door, point, what, _ in BAD],
)
def test_a_fault_of_a_client_fails_its_point(door: str, point: str, client: Client) -> None:
    found = findings_of(door, client)
    assert faults(found).keys() == {point}, found
    assert len(found[point].detail) > 10
    assert found["C-07"].verdict is Verdict.NOT_CHECKED


def test_if_no_client_connects_the_report_says_so() -> None:
    found = findings_of("tttp", seconds_to_connect=0.1)
    assert faults(found) == {"C-01": "it did not connect"}


def test_A_04_a_client_with_a_connection_for_each_request_can_read_the_end() -> None:
    """Also if its opponent makes the last move, while it is not connected."""
    statuses: list[str] = []
    threads: list[threading.Thread] = []

    def ask(port: int, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        with contextlib.closing(HTTPConnection("127.0.0.1", port, PATIENCE_SECONDS)) as line:
            line.request(method, path, body)
            content = json.loads(line.getresponse().read())
        assert isinstance(content, dict)
        return content

    def play(port: int) -> None:
        index = ask(port, "POST", "/join")["player_index"]
        with contextlib.suppress(ConnectionError):
            while "ended" not in statuses:
                state = ask(port, "GET", "/state")
                statuses.append(state["status"])
                board = state.get("board", {})
                if statuses[-1] == "playing" and board["current_player_index"] == index:
                    moves = {"player_index": index, "moves": [{"type": "end_turn"}]}
                    ask(port, "POST", "/moves", json.dumps(moves))
                # Polling without a pause would keep the checker's one thread busy.
                time.sleep(0.2)

    def report_port(port: int) -> None:
        threads.append(threading.Thread(target=play, args=(port,)))
        threads[-1].start()

    findings = listening.run(
        all_protocols()["ascension-http"],
        "127.0.0.1",
        0,
        {"turns": 2},
        report_port,
        PATIENCE_SECONDS,
        SECONDS_TO_ANSWER,
        seconds_to_return=0.2,
    )
    for thread in threads:
        thread.join()
    assert not [one for one in findings if one.verdict is Verdict.FAILED]
    assert statuses[-1] == "ended"
