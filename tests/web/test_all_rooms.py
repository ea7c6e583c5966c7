"""Whole matches in every room against the computer, another browser and a protocol client."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from gamehall.protocols.catalogue import all_protocols
from tests.independent.ascension_clients import StepClient
from tests.independent.go_text_clients import Behaviour, LineClient, Terms
from tests.independent.santorini_lobby_clients import SeeingClient
from tests.independent.santorini_tournament_clients import LineClient as TournamentClient
from tests.independent.tttp_clients import StreamClient, Update
from tests.oracles.naive_go import BLACK
from tests.support.served import Served
from tests.web.api_client import ApiClient
from tests.web.test_play import web_port

HOST: Final = "127.0.0.1"
NAMES: Final = ("Jürgen", "田中", "Ann Lee")
PLAIN_SANTORINI: Final = "santorini"
"""A room without a door, for single matches."""
ROOMS: Final = (*sorted(all_protocols()), PLAIN_SANTORINI)
SETTINGS: Final = (
    "santorini-lobby.join-window=1",
    "santorini-tournament.join-window=1",
    "santorini-tournament.games=1",
    "ascension-http.honor=2",
    "ascension-http.turns=4",
    "ascension-http.next-game=0.1",
)
SMALL_GO: Final = {"terms": {"size": 9}}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    doors = [f"--door={door}=0" for door in (*all_protocols(), "web")]
    with Served(*doors, *(f"--set={setting}" for setting in SETTINGS)) as served:
        yield served


class ApiPlayer:
    """A player who takes a seat through the API and plays its match to the end."""

    def __init__(self, server: Served, room: str, name: str, bot: str = "") -> None:
        self.browser = ApiClient(web_port(server))
        self.name = name
        terms = SMALL_GO if room == "go-text" else {}
        wanted = {"room": room, "name": name, "bot": bot, **terms}
        status, state = self.browser.ask("POST", "/api/seats", wanted)
        assert status == 201, state
        self.path = f"/api/seats/{state['id']}"
        self.last: dict[str, Any] = {}
        self.seen: list[dict[str, Any]] = []
        self._chance = random.Random(name)
        self._thread: threading.Thread | None = None

    def begin(self) -> "ApiPlayer":
        """Play in a thread, until the match is over."""
        self._thread = threading.Thread(target=self.play, daemon=True)
        self._thread.start()
        return self

    def end(self) -> dict[str, Any]:
        """Return the state after the match."""
        assert self._thread is not None
        self._thread.join(60)
        assert not self._thread.is_alive(), self.last
        return self.last

    def play(self) -> dict[str, Any]:
        """Play until the match is over; leave only then. Return the last state."""
        answered, moves, before = -1, 0, self.last.get("match")
        with self.browser.stream(f"{self.path}/stream") as stream:
            for _, state in stream:
                self.last = state
                self.seen.append(state)
                is_tournament = state["table"] is None
                is_over = state["stage"] == "over" and state["match"] != before
                if state["stage"] == "gone" or (is_over and not is_tournament):
                    return self.last
                if state["version"] <= answered:
                    continue
                if state["proposal"]:
                    now = self.ask("answer", {"text": "yes"})
                elif state["choices"] and moves == 3 and state["game"] == "go":
                    now = self.ask("resign")
                elif state["choices"]:
                    now = self.ask("move", {"move": self._choose(state)})
                    moves += 1
                else:
                    continue
                answered = now["version"]
        raise AssertionError(f"the stream of {self.name} has ended: {self.last}")

    def ask(self, what: str, body: object = None) -> dict[str, Any]:
        answer: tuple[int, dict[str, Any]]
        answer = self.browser.ask("POST", f"{self.path}/{what}", body or {})
        status, state = answer
        assert status == 200, (what, state)
        return state

    def leave(self) -> None:
        assert self.browser.ask("DELETE", self.path)[0] == 204

    def _choose(self, state: dict[str, Any]) -> str:
        """Choose a move for a short game: a column of four, passing, or a random move."""
        moves = [choice["move"] for choice in state["choices"]]
        wanted = [move for move in moves if move == "pass" or move in ("d1", "d2", "d3", "d4")]
        return str(
            wanted[0]
            if wanted and state["game"] in ("connect-four", "go")
            else self._chance.choice(moves)
        )


class WireClient(NamedTuple):
    """A client of a protocol, written from its document alone."""

    play: Callable[[], object]
    is_named: bool = True


def tttp(port: int, name: str, _is_first: bool) -> WireClient:
    client = StreamClient(HOST, port)
    seat = client.join(name.encode())
    assert seat in (1, 2)

    def play() -> None:
        """Fill column a."""
        while True:
            update = client.read()
            if isinstance(update, Update) and update.won:
                return client.close()
            if isinstance(update, Update) and update.turn == seat:
                client.play(0, 0)

    return WireClient(play)


def go_text(port: int, _name: str, is_first: bool) -> WireClient:
    terms = Terms(9, BLACK, handicap=0, komi=Decimal("6.5")) if is_first else None
    return WireClient(LineClient(HOST, port, terms, behaviour=Behaviour(pass_after=0)).play, False)


def ascension_http(port: int, _name: str, _is_first: bool) -> WireClient:
    client = StepClient(HOST, port)
    while client.index < 0:
        # Refused until the previous match is cleared.
        with suppress(msgspec.ValidationError):
            client.join()
    return WireClient(client.play, is_named=False)


def santorini_lobby(port: int, name: str, _is_first: bool) -> WireClient:
    return WireClient(SeeingClient(HOST, port, name, 1).play)


def santorini_tournament(port: int, name: str, _is_first: bool) -> WireClient:
    return WireClient(TournamentClient(HOST, port, name, 1, games_per_opponent=1).play)


CLIENTS: Final[dict[str, Callable[[int, str, bool], WireClient]]] = {
    "tttp": tttp,
    "go-text": go_text,
    "ascension-http": ascension_http,
    "santorini-lobby": santorini_lobby,
    "santorini-tournament": santorini_tournament,
}
ORDERS: Final = {"the page first": True, "the wire first": False}


def names_for(*what: str) -> tuple[str, str]:
    """Return two of the names, so that all of them are used across the rooms."""
    first = sum(map(ord, "".join(what))) % len(NAMES)
    return NAMES[first], NAMES[(first + 1) % len(NAMES)]


def check_end(player: ApiPlayer, opponent: str) -> None:
    """Check the verdict, the picture and the record after the end."""
    state = player.last
    assert state["verdict"].startswith(("You won: ", "You lost: ", "A draw: ")), state
    assert state["picture"].startswith("<svg")
    assert any(seen["choices"] for seen in player.seen), "it never had to move"
    record = player.browser.get(f"/api/records/{state['match']}")
    # A bot may join while another of its name is still leaving: then it has a number.
    players = {
        one if one in opponent else one.removesuffix(" 2") for one in record["line"]["players"]
    }
    assert players == {player.name, opponent}


@pytest.mark.parametrize("room", ROOMS)
def test_the_computer_plays_again_and_again(server: Served, room: str) -> None:
    name, _ = names_for(room, "computer")
    player = ApiPlayer(server, room, name, bot="random")
    first = player.play()
    check_end(player, "random")
    if first["may_rematch"]:
        player.ask("rematch")
        second = player.play()
        assert {first["seat"], second["seat"]} == {1, 2}, "the seats are swapped"
    else:
        assert first["headline"].startswith(("You won the tournament: ", "You came second: "))
        player = ApiPlayer(server, room, name, bot="random")
        second = player.play()
    check_end(player, "random")
    assert second["match"] != first["match"]
    player.leave()


@pytest.mark.parametrize("room", ROOMS)
def test_two_browsers_meet_and_swap_seats_in_a_rematch(server: Served, room: str) -> None:
    players = [ApiPlayer(server, room, name).begin() for name in names_for(room, "browser")]
    ends = [player.end() for player in players]
    assert {state["seat"] for state in ends} == {1, 2}
    for player, other in zip(players, reversed(players), strict=True):
        check_end(player, other.name)
    if ends[0]["may_rematch"]:
        players[0].ask("rematch")
        with players[1].browser.stream(f"{players[1].path}/stream") as stream:
            asked = next(one for _, one in stream if one["status"])
        assert asked["status"] == f"{players[0].name} wants to play again."
        players[1].ask("rematch")
        for player in players:
            player.begin()
        after = [player.end() for player in players]
        assert [state["seat"] for state in after] == [3 - state["seat"] for state in ends]
    for player in players:
        player.leave()


@pytest.mark.parametrize("is_page_first", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("door", CLIENTS)
def test_a_protocol_client_and_a_browser_meet_in_either_order(
    server: Served, door: str, is_page_first: bool
) -> None:
    name, _ = names_for(door, "wire", str(is_page_first))
    player = ApiPlayer(server, door, name) if is_page_first else None
    client = CLIENTS[door](server.port(door), "wirebot", not is_page_first)
    wire = threading.Thread(target=client.play, daemon=True)
    wire.start()
    if player is None:
        if door in ("go-text", "ascension-http"):
            # Players have no names there; wait until one is listed.
            browser = ApiClient(web_port(server))
            key = "offers" if door == "go-text" else "waiting"
            while not browser.get(f"/api/rooms/{door}")[key]:
                pass
        player = ApiPlayer(server, door, name)
    player.play()
    # Over some protocols players have no names, but are called by their seats.
    unnamed = f"player {3 - player.last['seat']}"
    check_end(player, "wirebot" if client.is_named else unnamed)
    player.leave()
    wire.join(60)
    assert not wire.is_alive()
