"""The promises of docs/explanation/threat-model.md that have no other test.

Promises have the numbers TM-01 and so on. `tests/test_clauses.py` checks that each is in the name
of a test, here or elsewhere.
"""

import contextlib
import os
import re
import shlex
import socket
import ssl
from collections.abc import Iterator, Mapping
from hashlib import blake2b, sha256
from http.client import HTTPConnection, HTTPSConnection
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from gamehall.bots.catalogue import bots_for
from gamehall.core import Seat
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.notices import Closed, Refused, Seated, SignedUp
from gamehall.rooms.presence import Presence
from gamehall.rooms.requests import Credential, Join, Proof
from gamehall.rooms.room import Delivery, Peer, Reaction
from gamehall.rooms.secrets import SecretRandom
from gamehall.server.hall import SECONDS_TO_RETURN
from gamehall.server.plan import WEB
from tests.independent.tttp_clients import Chat, ProtocolError, StreamClient, Update
from tests.support.hosted import KEY, Hosted, HostedClient, only
from tests.support.served import PATIENCE_SECONDS, Served
from tests.web.api_client import DEFAULT_HEADERS, ApiClient
from tests.web.test_play import web_port

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text()
HOST = "127.0.0.1"
FAR = "127.0.0.77"
"""A loopback address that nothing else uses."""
DOORS_WITH_NAMES = ("tttp", "santorini-lobby", "santorini-tournament")
LOG = ("--log-level=debug", "--log-format=json")


def is_closed(client: HostedClient) -> bool:
    return any(isinstance(notice, Closed) for notice in client.received)


# Seats


@pytest.mark.parametrize("door", DOORS_WITH_NAMES)
@pytest.mark.parametrize("seconds", [0.0, 10.0], ids=["at once", "in the middle of a game"])
def test_TM_01_a_name_takes_no_seat_of_a_player_who_is_connected(door: str, seconds: float) -> None:
    hosted = Hosted(door, return_seconds=30.0)
    hosted.seat_two()
    hosted.wait(seconds)
    ann = hosted.client("ann")
    peer = ann.peer
    heard = hosted.ask("thief", Join("ann"))
    if door == "tttp":
        assert [type(notice) for notice in heard] == [Refused]
    else:
        # In tournaments, another player may sign up with the same name.
        only(heard, SignedUp)
    assert ann.peer == peer != hosted.client("thief").peer
    assert not is_closed(ann)


@pytest.mark.parametrize("door", DOORS_WITH_NAMES)
def test_TM_02_from_another_address_a_name_does_not_take_a_lost_seat(door: str) -> None:
    hosted = Hosted(door, return_seconds=30.0)
    hosted.seat_two()
    peer = hosted.client("ann").peer
    hosted.disconnect("ann")
    thief = hosted.client("thief", address="203.0.113.9")
    hosted.ask("thief", Join("ann"))
    assert thief.peer != peer
    hosted.ask("ann", Join("ann"))
    assert hosted.client("ann").peer == peer


def test_TM_02_a_lost_seat_is_kept_for_its_player() -> None:
    with (
        Served("--door=tttp=0", "--set=tttp.return-seconds=60") as hall,
        StreamClient(HOST, hall.port()) as bob,
    ):
        with StreamClient(HOST, hall.port()) as ann:
            assert ann.join(b"ann") == 1
            assert bob.join(b"bob") == 2
        hall.wait_for_errors("keeping ann's seat")
        with StreamClient(HOST, hall.port(), source="127.0.0.2") as thief:
            assert thief.join(b"ann") > 3, "denied"
        with StreamClient(HOST, hall.port()) as ann:
            assert ann.join(b"ann") == 1


def test_TM_03_TM_04_only_the_secret_takes_a_seat() -> None:
    settings = ("--set=tttp.return-seconds=60", "--set=tttp.secrets=true")
    with (
        Served("--door=tttp=0", *settings) as hall,
        StreamClient(HOST, hall.port()) as bob,
        StreamClient(HOST, hall.port()) as thief,
    ):
        with StreamClient(HOST, hall.port()) as ann:
            assert ann.join(b"ann:xyzzy") == 1
            assert bob.join(b"bob") == 2
            with StreamClient(HOST, hall.port()) as again:
                for name in (b"ann", b"ann:", b"ann:xyzz", b"ann:xyzzy ", b"ANN:xyzzy"):
                    assert thief.join(name) > 3, name
                assert again.join(b"ann:xyzzy") == 1, "although the other connection is open"
                assert isinstance(ann.read(), Update)
                assert isinstance(ann.read(), Update)
                with pytest.raises(ProtocolError, match="the server closed after 0"):
                    ann.read()
        hall.wait_for_errors("keeping ann's seat")
        for name in (b"ann", b"ann:xyzz"):
            assert thief.join(name) > 3, name
        with StreamClient(HOST, hall.port()) as ann:
            assert ann.join(b"ann:xyzzy") == 1


@pytest.mark.parametrize("proof", ["secret", "token"])
def test_TM_04_the_right_credential_replaces_a_live_connection(proof: str) -> None:
    hosted = Hosted()
    secret, token = ("xyzzy", "") if proof == "secret" else ("", "a random token")
    ann = hosted.client("ann", token=token)
    hosted.ask("ann", Join("ann", secret=secret))
    hosted.ask("bob", Join("bob"))
    peer = ann.peer
    again = hosted.client("again", token=token)
    assert only(hosted.ask("again", Join("ann", secret=secret)), Seated).seat is Seat.FIRST
    assert again.peer == peer
    assert is_closed(ann)


@pytest.mark.parametrize("proof", Proof)
def test_TM_05_a_credential_means_nothing_in_another_room(proof: Proof) -> None:
    presence, ann, credential = Presence(), Peer(1), Credential(proof, "digest")
    seated = Reaction[Any]([Delivery((ann,), Seated(Seat.FIRST))])
    presence.note("tttp/1", ann, Join("ann", door="tttp", credential=credential), seated)
    presence.disconnect(ann)
    assert presence.identify(credential, "tttp") == ann
    for other in ("ascension-http", "tttp-2", "ttt", ""):
        assert presence.identify(credential, other) is None


def test_TM_05_the_same_name_and_secret_have_a_different_hash_at_each_door() -> None:
    assert len({credential_at(door).digest for door in DOORS_WITH_NAMES}) == 3


def credential_at(door: str) -> Credential:
    """Return the credential in the journal of a player who joins with a secret."""
    hosted = Hosted(door)
    hosted.ask("ann", Join("ann", secret="xyzzy"))
    rooms = list(hosted.journal.rooms)
    [join] = [one.request for room in rooms for one in hosted.entries(room) if one.request]
    assert isinstance(join, Join)
    assert join.credential is not None
    return join.credential


def sit(connection: HTTPConnection) -> str:
    """Take a seat on a web page. Return the cookie with its attributes in lower case."""
    body = msgspec.json.encode({"room": "tttp", "name": "ann"})
    connection.request("POST", "/api/seats", body, DEFAULT_HEADERS)
    response = connection.getresponse()
    assert response.status == 201, response.read()
    response.read()
    connection.close()
    return str(response.headers["set-cookie"]).lower()


def test_TM_06_the_cookie_is_hidden_from_scripts_and_other_sites() -> None:
    with Served("--door=tttp=0", "--door=web=0") as hall:
        cookie = sit(HTTPConnection(HOST, web_port(hall), timeout=PATIENCE_SECONDS))
    name, *attributes = cookie.split("; ")
    assert len(name.removeprefix("gamehall=")) == 32, "24 random bytes"
    assert {"httponly", "samesite=strict"} <= {*attributes}
    assert "secure" not in attributes


def test_TM_08_by_default_seats_are_kept_only_after_a_restart() -> None:
    assert [one.settings().return_seconds for one in all_protocols().values()] == [0] * 5
    assert SECONDS_TO_RETURN == 60
    hosted = Hosted()
    hosted.seat_two()
    peer = hosted.client("ann").peer
    for seconds in (59.0, 61.0):
        later = Hosted(journal=hosted.journal.after_a_crash(), now=1000.0)
        later.wait(seconds)
        later.ask("ann", Join("ann"))
        assert (later.client("ann").peer == peer) == (seconds < 60)


# Spectators


def test_TM_09_a_spectator_cannot_change_a_game() -> None:
    with (
        Served() as hall,
        StreamClient(HOST, hall.port()) as red,
        StreamClient(HOST, hall.port()) as blue,
        StreamClient(HOST, hall.port()) as eve,
    ):
        assert [
            one.join(name) for one, name in ((red, b"red"), (blue, b"blue"), (eve, b"eve"))
        ] == [*(1, 2, 3)]
        red.play(0, 0)
        while sum(spot > 0 for spot in board(red)) < 1:
            pass
        eve.play(1, 0)
        eve.rematch()
        eve.chat(b"that was all")
        assert red.read() == Chat(b"eve", b"that was all")
        blue.play(2, 0)
        assert sorted(board(red))[-3:] == [0, 1, 2]


def board(client: StreamClient) -> bytes:
    """Return the spots of the next board of a client."""
    packet = client.read()
    assert isinstance(packet, Update)
    return packet.spots


# What is hidden


def test_TM_11_in_a_room_without_a_door_a_hand_is_shown_to_its_player_only() -> None:
    # At the start, Apprentices are in the hands and nowhere else.
    with Served("--door=web=0") as hall:
        port, table = web_port(hall), "/api/rooms/ascension/tables/table-1"
        pictures: list[str] = []
        browsers = {name: ApiClient(port) for name in ("ann", "bob")}
        seats = {name: browser.sit("ascension", name) for name, browser in browsers.items()}
        for name, browser in browsers.items():
            with browser.stream(f"/api/seats/{seats[name]}/stream") as stream:
                playing = next(state for _, state in stream if state["is_playing"])
                pictures.append(playing["picture"])
        eve = ApiClient(port)
        with eve.stream(f"{table}/stream") as stream:
            shown = [repr(next(stream)), repr(eve.get(table)), eve.get(f"{table}/positions/0")]
    assert all("Apprentice" in picture for picture in pictures)
    assert pictures[0] != pictures[1]
    assert all("<svg" in text and "Apprentice" not in text for text in shown)


# What is stored and logged


class Session(NamedTuple):
    """The files and the output of a server that was used at every door with secrets."""

    stored: bytes
    """All bytes of the files in its data folder, while it ran and afterwards."""
    modes: Mapping[str, int]
    """The mode of each of these files."""
    logged: str
    """Its standard output and standard error, with all log messages."""
    secrets: tuple[str, ...]
    """Secrets, tokens and cookies."""
    address: str
    """The address of a client."""


SECRETS = {door: f"hush-{door}" for door in DOORS_WITH_NAMES}
MALFORMED = {
    "santorini-lobby": [b"ann:%s\n" * 3, b'["join","ann:%s"\n' * 3, b'["join",["ann:%s"]]\n'],
    "santorini-tournament": [b"ann:%s\n", b'"ann:%s\n', b'["ann:%s"]\n', b'"An n:%s"\n'],
    "tttp": [b"ann:%s", b"PLAYann:%s"],
}
"""Wrong messages that a beginner's client might send to sign up."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("session")
    doors = [f"--door={door}=0" for door in (*all_protocols(), WEB)]
    settings = [f"--set={door}.secrets=true" for door in DOORS_WITH_NAMES]
    settings += ["--set=ascension-http.tokens=true", "--set=tttp.tables=2"]
    umask = os.umask(0)
    try:
        hall = Served(*doors, *settings, *LOG, "--data", str(folder))
    finally:
        os.umask(umask)
    with hall, contextlib.ExitStack() as connected:
        ann, bob = (
            connected.enter_context(StreamClient(HOST, hall.port(), source=source))
            for source in (FAR, HOST)
        )
        secret = SECRETS["tttp"].encode()
        assert ann.join(b"ann:" + secret) == 1
        assert bob.join(b"bob:" + secret[:-1]) == 2
        with StreamClient(HOST, hall.port(), source=FAR) as thief:
            assert thief.join(b"ann:" + secret[1:]) > 3
        play_to_the_end(ann, bob)
        for door, messages in MALFORMED.items():
            for message in messages:
                say(hall.port(door), message.replace(b"%s", SECRETS[door].encode()))
        for door in DOORS_WITH_NAMES[1:]:
            for name in ("ann", "bob"):
                text = f"{name}:{SECRETS[door]}"
                said = ["join", text] if door == "santorini-lobby" else text
                client = socket.create_connection((HOST, hall.port(door)), PATIENCE_SECONDS)
                connected.enter_context(client)
                client.sendall(msgspec.json.encode(said) + b"\n")
        page = ApiClient(web_port(hall))
        page.sit("tttp", "cat")
        browser = page.cookie.partition("=")[2]
        cards = ApiClient(hall.port("ascension-http"))
        tokens = [cards.ask("POST", "/join")[1]["token"] for _ in range(2)]
        for token in (*tokens, SECRETS["tttp"]):
            cards.ask("GET", f"/state?player_index=0&token={token}")
            move = {"player_index": 0, "token": token, "moves": [{"type": "end_turn"}]}
            cards.ask("POST", "/moves", move)
            cards.ask("GET", f"/nothing?token={token}")
        say(hall.port("ascension-http"), f"GET /?token={tokens[0]} nonsense\r\n\r\n".encode())
        wait_for_seat(page)
        stored, modes = contents(folder)
        assert {"hall.sqlite", "hall.sqlite-wal", "hall.sqlite-shm", "hall.key"} <= modes.keys()
        assert hall.stop() == 0
    after, modes_after = contents(folder)
    secrets = (
        *SECRETS.values(),
        *tokens,
        browser,
        sha256(f"{browser} tttp cat".encode()).hexdigest(),
    )
    logged = "\n".join([*hall.lines, hall.output, hall.errors])
    return Session(stored + after, modes | modes_after, logged, secrets, FAR)


def play_to_the_end(red: StreamClient, blue: StreamClient) -> None:
    for number in range(7):
        mover, column = (red, 0) if number % 2 == 0 else (blue, 1)
        mover.play(column, 0)
        while sum(spot > 0 for spot in board(red)) <= number:
            pass
        while sum(spot > 0 for spot in board(blue)) <= number:
            pass


def say(port: int, message: bytes) -> None:
    """Send a message, and wait until the server has closed the connection."""
    with socket.create_connection((HOST, port), PATIENCE_SECONDS) as client:
        client.sendall(message)
        client.shutdown(socket.SHUT_WR)
        while client.recv(4096):
            pass


def wait_for_seat(browser: ApiClient) -> None:
    """Wait until the seat of a browser has a board."""
    [line] = browser.get("/api/seats")
    with browser.stream(f"/api/seats/{line['id']}/stream") as stream:
        assert next(state for _, state in stream if state["picture"])


def contents(folder: Path) -> tuple[bytes, dict[str, int]]:
    """Return all bytes of the files of a folder, and the mode of each."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    modes = {str(path.relative_to(folder)): path.stat().st_mode & 0o777 for path in files}
    return b"\0".join(path.read_bytes() for path in files), modes


def test_TM_13_the_data_folder_has_no_secret_token_cookie_or_address_in_the_clear(
    session: Session,
) -> None:
    for hidden in (*session.secrets, session.address):
        assert hidden.encode() not in session.stored, hidden
        assert hidden.encode().hex().encode() not in session.stored, hidden
    assert sha256(session.secrets[-1].encode()).hexdigest().encode() in session.stored
    assert b"ann" in session.stored


def test_TM_14_logs_have_no_secret_token_or_cookie(session: Session) -> None:
    for hidden in session.secrets:
        assert hidden not in session.logged, hidden
    assert session.address in session.logged, "addresses are logged"
    assert "this is not a sign-up name: (not shown" in session.logged
    assert "this is not JSON: (not shown" in session.logged


def test_TM_15_only_the_operator_can_read_and_write_the_files(session: Session) -> None:
    assert any(name.startswith("server/logs/") for name in session.modes)
    assert {name: oct(mode) for name, mode in session.modes.items() if mode != 0o600} == {}


def test_TM_16_without_the_key_of_the_server_the_database_gives_no_token() -> None:
    hosted = Hosted("ascension-http", tokens="true")
    token = only(hosted.ask("ann", Join("")), Seated).secret
    [stored] = hosted.journal.rooms.values()
    assert SecretRandom(stored.spec.seed, token_key=KEY).token() == token
    for key in (b"", bytes(32), KEY[:-1]):
        assert SecretRandom(stored.spec.seed, token_key=key).token() != token


def test_TM_16_without_the_key_of_the_server_secrets_cannot_be_guessed_offline() -> None:
    # With another key, the correct secret has a different hash.
    content = msgspec.json.encode(["tttp", "ann", "xyzzy"])
    digests = [
        blake2b(content, digest_size=32, key=key).hexdigest() for key in (KEY, b"", bytes(32))
    ]
    assert [digest == credential_at("tttp").digest for digest in digests] == [True, False, False]


def test_TM_16_no_hash_without_the_key_is_stored(session: Session) -> None:
    for door, secret in SECRETS.items():
        content = msgspec.json.encode([door, "ann", secret])
        for size in (8, 16, 32):
            digest = blake2b(content, digest_size=size).hexdigest()
            assert digest.encode() not in session.stored, door
        assert sha256(secret.encode()).hexdigest().encode() not in session.stored, door


def test_TM_17_there_is_no_password_hashing_in_the_server() -> None:
    slow = re.compile(r"pbkdf2|scrypt|bcrypt|argon2|\bcrypt\b|passlib", re.IGNORECASE)
    files = [*(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml"]
    assert len(files) > 100
    assert [str(file) for file in files if slow.search(file.read_text())] == []


# The network


def every_door_on_a_free_port(words: list[str]) -> list[str]:
    """Return the options with a free port for each door, including the default doors."""
    if "--door" not in words:
        return [*words, *(f"--door={door}=0" for door in (*all_protocols(), WEB))]
    return [f"{one}=0" if last == "--door" else one for last, one in pairwise(["", *words])]


def lines_of_page() -> list[list[str]]:
    """Return the options of each `gamehall serve` on the page."""
    found = re.findall(r"^    gamehall serve((?:.*\\\n)*.*)$", PAGE, re.MULTILINE)
    return [shlex.split(line.replace("\\\n", " ")) for line in found]


def test_TM_18_without_host_the_server_listens_on_the_loopback_address_only() -> None:
    with Served(*every_door_on_a_free_port([])) as hall:
        listening = [line.split()[2] for line in hall.lines if line.startswith("listening")]
    assert len(listening) == 6
    assert all(re.match(r"(http://)?127\.0\.0\.1:\d+", address) for address in listening)


@pytest.mark.parametrize(("number", "warnings"), [(0, 0), (1, 1), (2, 0)])
def test_TM_19_the_commands_of_the_page_work_and_log_their_risks(
    number: int, warnings: int, certificate: tuple[Path, Path]
) -> None:
    with Served(*on_free_ports(number, certificate)) as hall:
        assert hall.lines[-1] == "ready", hall.program.communicate()
        assert hall.stop() == 0
    assert hall.errors.count("WARNING") == warnings, hall.errors
    assert ("--tls-cert" in hall.errors) == bool(warnings)


def on_free_ports(number: int, certificate: tuple[Path, Path]) -> list[str]:
    """Return the options of a command of the page, with files that exist."""
    names = ("fullchain.pem", "privkey.pem")
    files = {name: str(path) for name, path in zip(names, certificate, strict=True)}
    lines = lines_of_page()
    assert len(lines) == 3
    return [files.get(word, word) for word in every_door_on_a_free_port(lines[number])]


def test_TM_20_with_a_certificate_all_doors_use_tls(
    certificate: tuple[Path, Path],
) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate[0]))
    with Served(*on_free_ports(2, certificate)) as hall:
        ports = [int(line.rstrip("/").rpartition(":")[2]) for line in hall.lines[:-1]]
        assert len(ports) == 3
        for port in ports:
            with (
                socket.create_connection((HOST, port), PATIENCE_SECONDS) as plain,
                trusting.wrap_socket(plain, server_hostname="localhost") as wrapped,
            ):
                assert wrapped.version() is not None
            with pytest.raises((ConnectionError, OSError)):
                ApiClient(port).ask("GET", "/")
        pages = HTTPSConnection(
            "localhost", web_port(hall), timeout=PATIENCE_SECONDS, context=trusting
        )
        assert "; secure" in sit(pages)


# Programs


@pytest.fixture(scope="module")
def with_pages() -> Iterator[ApiClient]:
    """A server with the TTTP door, and rooms for the other games."""
    with Served("--door=tttp=0", "--door=web=0") as hall:
        yield ApiClient(web_port(hall))


@pytest.mark.parametrize("room", ["tttp", "santorini"])
def test_TM_22_files_and_programs_cannot_be_called_as_bots(
    room: str, with_pages: ApiClient
) -> None:
    example = ROOT / "examples" / "my_bot.py"
    assert example.exists()
    for bot in (
        f"{example}:MyBot",
        "examples/my_bot.py:MyBot",
        "gtp:gnugo --mode gtp",
        "gamehall.bots.bot:RandomBot",
        "random@1",
        "random --name x",
        "",
    ):
        status, answer = with_pages.ask("POST", f"/api/rooms/{room}/bots", {"bot": bot})
        assert (status, "There is no bot of that name" in answer["error"]) == (404, True), bot
    shown = with_pages.get(f"/api/rooms/{room}")
    assert shown["waiting"] == []
    assert {*shown["bots"]} == {*bots_for(shown["game"])}


CANNOT_PLAY = "The computer cannot play now"


def test_TM_22_up_to_eight_bots_can_be_called_into_a_room(with_pages: ApiClient) -> None:
    players = [ApiClient(with_pages.port) for _ in range(9)]
    for number, player in enumerate(players):
        wanted = {"room": "tttp", "name": f"player {number}", "bot": "random"}
        status, _ = player.ask("POST", "/api/seats", wanted)
        assert status == 201
    states = [await_computer(player) for player in players]
    assert [state["has_opponent"] for state in states] == [True] * 8 + [False]
    assert CANNOT_PLAY in states[8]["status"]
    assert "8 house bots are playing already" in states[8]["status"]


def await_computer(player: ApiClient) -> Any:
    """Return the state of a player's seat as soon as a bot has joined or is refused."""
    [seat] = player.get("/api/seats")
    with player.stream(f"/api/seats/{seat['id']}/stream") as news:
        return next(
            state for _, state in news if state["has_opponent"] or CANNOT_PLAY in state["status"]
        )


# Records


def test_TM_27_no_request_changes_a_record(with_pages: ApiClient) -> None:
    paths = with_pages.get("/api/openapi.json")["paths"]
    of_records = {path: of_path for path, of_path in paths.items() if "/records" in path}
    assert len(of_records) > 3
    assert {method for of_path in of_records.values() for method in of_path} == {"get"}
    for path in ("/api/records", "/api/records/1", "/records/1"):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert with_pages.ask(method, path, {})[0] == 405, (method, path)
