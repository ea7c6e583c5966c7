"""Watching tables live, without delaying their players."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.independent.tttp_clients import Chat, StreamClient
from tests.support.served import Served
from tests.web.api_client import ApiClient
from tests.web.test_play import web_port

TABLE = "/api/rooms/tttp/tables/table-1"
COLUMNS = (3, 3, 2, 2, 1, 1)


@pytest.fixture
def server() -> Iterator[Served]:
    with Served("--door=tttp=0", "--door=web=0") as served:
        yield served


@pytest.fixture
def players(server: Served) -> Iterator[list[StreamClient]]:
    with (
        StreamClient("127.0.0.1", server.port()) as ann,
        StreamClient("127.0.0.1", server.port()) as bob,
    ):
        assert (ann.join(b"ann"), bob.join(b"bob")) == (1, 2)
        yield [ann, bob]


def play(players: list[StreamClient], number: int) -> None:
    """Make the move of this number."""
    players[number % 2].play(COLUMNS[number % len(COLUMNS)], 0)


def newest(stream: Iterator[tuple[str, Any]], moves: int) -> dict[str, Any]:
    """Return the first state of the table with at least this many moves."""
    for name, value in stream:
        if name == "table" and value["table"]["moves"] >= moves:
            state: dict[str, Any] = value
            return state
    raise AssertionError("the stream has ended")


def test_every_move_or_a_newer_one_is_sent(server: Served, players: list[StreamClient]) -> None:
    browser = ApiClient(web_port(server))
    with browser.stream(f"{TABLE}/stream") as stream:
        assert newest(stream, 0)["table"]["players"] == ["ann", "bob"]
        for number in range(4):
            play(players, number)
            state = newest(stream, number + 1)
            assert len(state["history"]) == state["table"]["moves"] == number + 1
            assert state["picture"].startswith("<svg")
            assert state["table"]["to_move"] == (number + 1) % 2 + 1


def test_a_late_watcher_gets_the_whole_game(server: Served, players: list[StreamClient]) -> None:
    browser = ApiClient(web_port(server))
    with browser.stream(f"{TABLE}/stream") as stream:
        for number in range(4):
            play(players, number)
            newest(stream, number + 1)
    state = browser.get(TABLE)
    assert [move["move"] for move in state["history"]] == ["d1", "d2", "c1", "c2"]
    pictures = [browser.get(f"{TABLE}/positions/{number}") for number in range(5)]
    assert len(set(pictures)) == 5
    assert pictures[4] == state["picture"]
    assert browser.ask("GET", f"{TABLE}/positions/5")[0] == 404
    assert browser.ask("GET", "/api/rooms/tttp/tables/table-9")[0] == 404


def test_TM_25_a_watcher_who_never_reads_delays_no_one(
    server: Served, players: list[StreamClient]
) -> None:
    silent = []
    for _ in range(20):
        one = socket.create_connection(("127.0.0.1", web_port(server)))
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        one.sendall(f"GET {TABLE}/stream HTTP/1.1\r\nHost: server\r\n\r\n".encode())
        silent.append(one)
    before = server.resident_bytes()
    browser = ApiClient(web_port(server))
    with browser.stream(f"{TABLE}/stream") as stream:
        for number in range(6):
            play(players, number)
            newest(stream, number + 1)
    assert server.resident_bytes() < before + 50_000_000
    for one in silent:
        one.close()
    assert browser.get(TABLE)["table"]["moves"] == 6


def test_watchers_and_players_chat(server: Served, players: list[StreamClient]) -> None:
    ann, bob = players
    eve = ApiClient(web_port(server))
    with eve.stream(f"{TABLE}/stream") as stream:
        assert newest(stream, 0)["talk"] == []
        ann.chat(b"hello")
        assert talk(stream, 1) == [["ann", "hello"]]
        remark = {"name": "eve", "text": " play\nthe\x00 middle "}
        assert eve.ask("POST", f"{TABLE}/say", remark) == (204, b"")
        assert talk(stream, 2) == [["ann", "hello"], ["eve", "play the middle"]]
    heard = list(iter(bob.read, Chat(b"eve", b"play the middle")))
    assert Chat(b"ann", b"hello") in heard
    assert Chat(b"ann", b"hello") not in iter(ann.read, Chat(b"eve", b"play the middle"))


def test_a_watcher_has_a_name_of_any_script_and_tttp_shows_its_alias(
    server: Served, players: list[StreamClient]
) -> None:
    eve = ApiClient(web_port(server))
    with eve.stream(f"{TABLE}/stream") as stream:
        assert newest(stream, 0)["talk"] == []
        for name in ("Ørsted", "田中"):
            assert eve.ask("POST", f"{TABLE}/say", {"name": name, "text": "hi"}) == (204, b"")
        assert talk(stream, 2) == [["Ørsted", "hi"], ["田中", "hi"]]
    for player in players:
        heard = list(iter(player.read, Chat(b"player-1", b"hi")))
        assert Chat(b"Oersted", b"hi") in heard


def talk(stream: Iterator[tuple[str, Any]], count: int) -> list[list[str]]:
    """Return authors and texts as soon as there are this many chat messages."""
    for name, value in stream:
        if name == "table" and len(value["talk"]) >= count:
            return [[said["name"], said["text"]] for said in value["talk"]]
    raise AssertionError("the stream has ended")


def test_TM_10_refused_chat_says_why(server: Served, players: list[StreamClient]) -> None:
    eve = ApiClient(web_port(server))
    for remark, status, words in (
        ({"name": "ANN", "text": "I resign"}, 409, "already taken"),
        ({"name": "a\u200bnn", "text": "I resign"}, 409, "not allowed"),
        ({"name": "Player 1", "text": "I resign"}, 409, "choose another"),
        ({"name": "eve", "text": " "}, 409, "Nothing was said"),
        ({"name": "eve", "text": "x" * 1_001}, 409, "longer than"),
        ({"name": "eve"}, 422, "text"),
    ):
        told, answer = eve.ask("POST", f"{TABLE}/say", remark)
        assert (told, words in answer["error"]) == (status, True), answer
    remark = {"name": "eve", "text": "hm"}
    assert eve.ask("POST", f"{TABLE}/say", remark, {"Content-Type": "application/json"})[0] == 403
    assert eve.ask("POST", "/api/rooms/tttp/tables/table-9/say", remark)[0] == 404
    assert eve.get(TABLE)["talk"] == []
    play(players, 0)


def test_watchers_do_not_chat_where_only_players_may() -> None:
    with (
        Served("--door=tttp=0", "--door=web=0", "--set=tttp.spectator-chat=false") as server,
        StreamClient("127.0.0.1", server.port()) as ann,
    ):
        assert ann.join(b"ann") == 1
        eve = ApiClient(web_port(server))
        assert not eve.get(TABLE)["may_say"]
        told, answer = eve.ask("POST", f"{TABLE}/say", {"name": "eve", "text": "hm"})
        assert (told, answer) == (409, {"error": "There is no chat at this table."})


def test_the_record_can_be_replayed_after_the_match(
    server: Served, players: list[StreamClient]
) -> None:
    browser = ApiClient(web_port(server))
    with browser.stream(f"{TABLE}/stream") as stream:
        for number, column in enumerate((3, 2, 3, 2, 3, 2, 3)):
            players[number % 2].play(column, 0)
            state = newest(stream, number + 1)
    assert state["table"]["winner"] == 1
    assert state["table"]["result"].startswith("ann wins")
    match = state["table"]["match"]
    record = browser.get(f"/api/records/{match}")
    assert [move["move"] for move in record["history"]] == [
        move["move"] for move in state["history"]
    ]
    assert browser.get(f"/api/records/{match}/positions/7") == state["picture"]
    assert browser.get(f"/api/records/{match}/download/json")["game"] == "connect-four"
    assert set(record["forms"]) == {"json", "svg", "html", "gif"}
    assert browser.get(f"/api/records/{match}/download/gif").startswith(b"GIF89a")
    assert "<html" in browser.get(f"/api/records/{match}/download/html")
    assert browser.get(f"/api/records/{match}/download/svg").startswith("<svg")
    assert browser.ask("GET", f"/api/records/{match}/positions/8")[0] == 404
    assert browser.ask("GET", f"/api/records/{match}/download/exe")[0] == 404
    assert browser.ask("GET", "/api/records/m0000000000")[0] == 404
    [line] = browser.get("/api/records")
    assert line["match"] == match
    assert browser.get(f"/api/records/{line['number']}") == record, "as gamehall records lists it"
    assert browser.ask("GET", f"/records/{line['number']}/3")[0] == 200
    assert browser.ask("GET", "/records/999999999")[0] == 404


def test_streams_end_when_the_server_closes(server: Served) -> None:
    browser = ApiClient(web_port(server))
    with browser.stream("/api/stream") as stream:
        assert next(stream)[0] == "rooms"
        assert server.stop() == 0
        assert list(stream) == []
