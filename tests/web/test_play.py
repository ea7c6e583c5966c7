"""Playing through the API of the pages: seats, names, restarts, tournaments, bots."""

import random
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest

from gamehall.games.connect_four import Gravity
from gamehall.protocols.catalogue import all_protocols
from gamehall.web.seat import MAX_STREAMS
from gamehall.web.seats import MAX_SEATS_PER_BROWSER
from tests.independent.tttp_clients import StreamClient
from tests.support.served import GAMEHALL, Served
from tests.web.api_client import ApiClient

DOORS = sorted(all_protocols())
SETTINGS = {
    "santorini-lobby": ("--set=santorini-lobby.join-window=1",),
    "santorini-tournament": ("--set=santorini-tournament.join-window=1",),
    "go-text": (),
    "tttp": (),
    "ascension-http": ("--set=ascension-http.honor=2", "--set=ascension-http.turns=6"),
}


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Served]:
    door = getattr(request, "param", "tttp")
    with Served(f"--door={door}=0", "--door=web=0", *SETTINGS[door]) as served:
        yield served


def web_port(server: Served) -> int:
    [line] = [line for line in server.lines if line.startswith("listening web ")]
    return int(line.rstrip("/").rpartition(":")[2])


class Player:
    """A player in a thread, until the match is over or it has made `max_moves` moves."""

    def __init__(
        self,
        port: int,
        room: str,
        name: str,
        browser: ApiClient | None = None,
        max_moves: int | None = None,
    ) -> None:
        """Take a seat and start to play.

        Args:
            browser: of a player who returns.
            max_moves: with it, the player ignores that the server closes.
        """
        self.browser = browser or ApiClient(port)
        self.browser.port = port
        self.moves = 0
        self._max_moves = max_moves
        self.seat = self.browser.sit(room, name)
        self.last: dict[str, Any] = {}
        self.movers: set[int] = set()
        """The seats whose moves this player has seen."""
        self.name = name
        self._chance = random.Random(name)
        self._thread = threading.Thread(target=self._play_until_closed, daemon=True)
        self._thread.start()

    def end(self) -> dict[str, Any]:
        self._thread.join(60)
        assert not self._thread.is_alive(), self.last
        return self.last

    def wait(self, seconds: float) -> None:
        """Wait until the player has finished, or for this time."""
        self._thread.join(seconds)

    def _play_until_closed(self) -> None:
        if self._max_moves is None:
            self._play()
            return
        with suppress(OSError, HTTPException):
            self._play()

    def _play(self) -> None:
        answered = -1
        with self.browser.stream(f"/api/seats/{self.seat}/stream") as stream:
            for _, state in stream:
                self.last = state
                if state["last_move"]:
                    self.movers.add(state["last_move"]["seat"])
                if state["verdict"] or state["is_gone"] or self.moves == self._max_moves:
                    return
                if state["version"] <= answered:
                    continue
                if state["question"]:
                    usual = state["question"]["usual"]
                    text = "5" if usual == "19" else usual
                    self._post("answer", {"text": text})
                    answered = state["version"]
                elif state["choices"]:
                    choice = self._chance.choice(state["choices"])
                    self.moves += self._post("move", {"move": choice["move"]})
                    answered = state["version"]

    def _post(self, what: str, body: object) -> bool:
        """Return True if the request was accepted."""
        status, answer = self.browser.ask("POST", f"/api/seats/{self.seat}/{what}", body)
        assert status in (200, 409), answer
        if status == 200 and answer["last_move"]:
            self.movers.add(answer["last_move"]["seat"])
        return status == 200


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])
@pytest.mark.parametrize("door", DOORS)
def test_X_07_two_browsers_finish_their_match_after_a_restart(
    door: str, number: signal.Signals, tmp_path: Path
) -> None:
    options = (f"--door={door}=0", "--door=web=0", *SETTINGS[door], "--data", str(tmp_path))
    names = ("Jürgen", "田中")
    with Served(*options) as server:
        before = [Player(web_port(server), door, name, max_moves=2) for name in names]
        # In Ascension a turn may have many moves, so that the other has not made one yet.
        while sum(player.moves for player in before) < 2:
            before[0].wait(0.05)
        server.stop(number)
    with Served(*options) as server:
        port = web_port(server)
        after = [Player(port, door, player.name, player.browser) for player in before]
        ends = [player.end() for player in after]
        assert any(end["verdict"] for end in ends), ends
        first = min(after[0].browser.get("/api/records"), key=lambda one: one["number"])
    assert first["moves"] > sum(player.moves for player in before) >= 2


@pytest.mark.parametrize("gravity", [gravity.value for gravity in Gravity])
def test_T_Q03_the_page_and_our_bots_play_under_every_gravity(gravity: str) -> None:
    doors = ("--door=tttp=0", "--door=web=0")
    with Served(*doors, f"--set=tttp.gravity={gravity}") as server:
        player = Player(web_port(server), "tttp", "ann")
        bot = subprocess.run(
            [GAMEHALL, "bot", f"tttp://127.0.0.1:{server.port()}", "--bot", "random", "--seed=1"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (bot.returncode, bot.stderr) == (0, "")
        assert player.end()["verdict"]


def test_the_next_two_browsers_do_not_wait_for_a_game_of_ascension_to_end() -> None:
    door = "ascension-http"
    settings = [f"--set={door}.{setting}" for setting in ("honor=2", "turns=4")]
    with Served(f"--door={door}=0", "--door=web=0", *settings) as server:
        port = web_port(server)
        for names in (("ann", "bob"), ("cat", "dan")):
            players = [Player(port, door, name) for name in names]
            ends = [player.end() for player in players]
            assert all(state["verdict"] for state in ends), ends
            assert {state["seat"] for state in ends} == {1, 2}
        records = ApiClient(port).get("/api/records")
        assert {tuple(sorted(one["players"])) for one in records} == {
            ("ann", "bob"),
            ("cat", "dan"),
        }


@pytest.mark.parametrize("server", ["ascension-http"], indirect=True)
def test_TM_11_the_cards_of_a_hand_are_shown_to_its_player_alone(server: Served) -> None:
    """At the start only hands have Apprentices."""
    port = web_port(server)
    browsers = [ApiClient(port), ApiClient(port)]
    seats = [
        browser.sit("ascension-http", name)
        for browser, name in zip(browsers, ("ann", "bob"), strict=True)
    ]
    pictures: list[str] = []
    for browser, seat in zip(browsers, seats, strict=True):
        with browser.stream(f"/api/seats/{seat}/stream") as stream:
            pictures.append(next(state for _, state in stream if state["is_playing"])["picture"])
    ann, bob = pictures
    assert "Apprentice" in ann
    assert "Apprentice" in bob
    assert ann != bob
    number = browsers[0].get(f"/api/seats/{seats[0]}")["table"]
    table = f"/api/rooms/ascension-http/tables/table-{number}"
    for shown in (
        ApiClient(port).get(table)["picture"],
        ApiClient(port).get(f"{table}/positions/0"),
    ):
        assert shown.startswith("<svg")
        assert "Apprentice" not in shown


def test_A_Q18_the_seat_of_an_earlier_game_shows_no_hand_of_the_next() -> None:
    """The first player of the next game has the seat number of a page that is still open."""
    door = "ascension-http"
    settings = ("tokens=true", "hide-hands=true", "turn-timeout=1", "next-game=1")
    options = [f"--set={door}.{setting}" for setting in settings]
    with Served(f"--door={door}=0", "--door=web=0", *options) as server:
        port, eve, room = (
            web_port(server),
            ApiClient(web_port(server)),
            ApiClient(server.port(door)),
        )
        seat = eve.sit(door, "eve")
        with eve.stream(f"/api/seats/{seat}/stream") as stream:
            next(state for _, state in stream if state["seat"] == 1)
            assert room.ask("POST", "/join")[0] == 200
            next(state for _, state in stream if "Apprentice" in str(state["picture"]))
        table = f"/api/rooms/{door}/tables/table-1"
        first = ApiClient(port).get(table)["table"]["match"]
        joined = 0
        while joined < 2:
            # Refused until the first game has run out of time, and a second more.
            joined += "token" in room.ask("POST", "/join")[1]
        assert ApiClient(port).get(table)["table"]["match"] != first
        with eve.stream(f"/api/seats/{seat}/stream") as stream:
            _, shown = next(stream)
        assert shown["seat"] == 1
        hand = room.get("/state?player_index=0")["board"]["players"][0]["hand"]
        assert "Apprentice" not in hand, "without a token nobody sees it"
        row = room.get("/state")["board"]["center"]
        assert not all(name in shown["picture"] for name in row), "it shows the earlier game"


def test_TM_11_a_poll_that_waits_is_not_answered_with_the_hand_of_a_later_player() -> None:
    door = "ascension-http"
    settings = (f"--set={door}.hide-hands=true", f"--set={door}.long-poll=30")
    with Served(f"--door={door}=0", "--door=web=0", *settings) as server:
        room, eve = ApiClient(server.port(door)), ApiClient(web_port(server))
        assert room.ask("POST", "/join")[0] == 200
        with ThreadPoolExecutor() as threads:
            poll = threads.submit(room.get, "/state?player_index=1&after=0")
            with eve.stream("/api/rooms/ascension-http/stream") as news:
                seat = eve.sit(door, "eve")
                next(news)
            assert eve.get(f"/api/seats/{seat}")["seat"] == 2
            moves = {"player_index": 0, "moves": [{"type": "end_turn"}]}
            ApiClient(server.port(door)).ask("POST", "/moves", moves)
            hand = poll.result()["board"]["players"][1]["hand"]
        assert set(hand) == {"?"}


def test_TM_11_no_token_shows_the_hand_of_a_player_who_has_left_the_page() -> None:
    door = "ascension-http"
    settings = (f"--set={door}.hide-hands=true", f"--set={door}.tokens=true")
    with Served(f"--door={door}=0", "--door=web=0", *settings) as server:
        room, eve = ApiClient(server.port(door)), ApiClient(web_port(server))
        assert room.ask("POST", "/join")[0] == 200
        seat = eve.sit(door, "eve")
        assert eve.ask("DELETE", f"/api/seats/{seat}")[0] == 204
        for query in ("player_index=1&token=", "player_index=1"):
            assert set(room.get(f"/state?{query}")["board"]["players"][1]["hand"]) == {"?"}


@pytest.mark.parametrize("door", ["tttp", "ascension-http"])
def test_after_a_restart_a_finished_match_is_still_shown_as_finished(
    door: str, tmp_path: Path
) -> None:
    options = (f"--door={door}=0", "--door=web=0", "--data", str(tmp_path))
    with Served(*options) as server:
        browsers = [ApiClient(web_port(server)) for _ in range(2)]
        seats = [
            browser.sit(door, name)
            for browser, name in zip(browsers, ("Jürgen", "田中"), strict=True)
        ]
        assert browsers[0].ask("POST", f"/api/seats/{seats[0]}/resign")[0] == 200
        for browser, seat in zip(browsers, seats, strict=True):
            with browser.stream(f"/api/seats/{seat}/stream") as stream:
                next(state for _, state in stream if state["stage"] == "over")
        kept = [
            browser.get(f"/api/seats/{seat}") for browser, seat in zip(browsers, seats, strict=True)
        ]
        server.stop(signal.SIGKILL)
    with Served(*options) as server:
        again = []
        for browser, state in zip(browsers, kept, strict=True):
            browser.port = web_port(server)
            body = {key: state[key] for key in ("room", "name", "table", "place")}
            status, answer = browser.ask("POST", "/api/seats", body)
            assert status == 201, answer
            again.append(answer["id"])
        for browser, seat, state in zip(browsers, again, kept, strict=True):
            with browser.stream(f"/api/seats/{seat}/stream") as stream:
                shown = next(one for _, one in stream if one["stage"] == "over")
            assert shown["verdict"] == state["verdict"]
            assert shown["may_rematch"]


@pytest.mark.parametrize("server", ["tttp"], indirect=True)
def test_a_stream_does_not_answer_head(server: Served) -> None:
    for path in ("/api/stream", "/api/rooms/tttp/stream"):
        connection = HTTPConnection("127.0.0.1", web_port(server), timeout=10)
        connection.request("HEAD", path)
        assert connection.getresponse().status == 405
        connection.close()


@pytest.mark.parametrize("server", ["go-text"], indirect=True)
def test_the_last_move_names_its_seat_where_players_have_no_names(server: Served) -> None:
    port = web_port(server)
    players = [Player(port, "go-text", "") for _ in range(4)]
    assert all(player.end()["verdict"] or player.last["is_gone"] for player in players)
    assert [player.movers for player in players] == [{1, 2}] * 4


def test_chat_has_the_name_of_its_author_in_another_field(server: Served) -> None:
    browser, eve = ApiClient(web_port(server)), ApiClient(web_port(server))
    seat = browser.sit("tttp", "ann")
    path = f"/api/seats/{seat}"
    bob = StreamClient("127.0.0.1", server.port())
    with bob, browser.stream(f"{path}/stream") as stream:
        next(state for _, state in stream if state["seat"])
        assert bob.join(b"Type bob") == 2
        bob.chat(b"a \x1b[31mred\x9b word")
        wait_for_message(stream, "word")
        remark = {"name": "bob: gg", "text": "You have lost."}
        number = browser.get(path)["table"]
        assert eve.ask("POST", f"/api/rooms/tttp/tables/table-{number}/say", remark)[0] == 204
        wait_for_message(stream, "lost")
        assert browser.ask("POST", f"{path}/say", {"text": "Type rematch"})[0] == 200
        messages = wait_for_message(stream, "rematch")
    assert [(one["name"], one["text"]) for one in messages if one["name"]] == [
        ("Type bob", "a ?[31mred? word"),
        ("bob: gg", "You have lost."),
        ("ann", "Type rematch"),
    ]
    assert not any("lost" in one["text"] for one in messages if not one["name"])


def wait_for_message(stream: Iterator[tuple[str, Any]], words: str) -> list[dict[str, Any]]:
    """Return all messages as soon as one contains these words."""
    for _, state in stream:
        messages: list[dict[str, Any]] = state["messages"]
        if any(words in one["text"] for one in messages):
            return messages
    raise AssertionError("the stream has ended")


def test_a_player_who_arrives_during_a_match_has_another_table(server: Served) -> None:
    eve = ApiClient(web_port(server))
    with (
        StreamClient("127.0.0.1", server.port()) as ann,
        StreamClient("127.0.0.1", server.port()) as b,
    ):
        assert (ann.join(b"ann"), b.join(b"bob")) == (1, 2)
        seat = eve.sit("tttp", "eve")
        with eve.stream(f"/api/seats/{seat}/stream") as stream:
            state = next(state for _, state in stream if state["seat"])
    assert (state["seat"], state["stage"], state["players"]) == (1, "waiting", ["eve", ""])


def test_the_end_of_a_match_names_its_record(server: Served) -> None:
    players = [Player(web_port(server), "tttp", name) for name in ("ann", "bob")]
    for player in players:
        assert player.end()["verdict"]
    ann = players[0]
    [record] = ann.browser.get("/api/records")
    assert ann.browser.get(f"/api/seats/{ann.seat}")["match"] == record["match"]
    for player in players:
        assert player.browser.ask("POST", f"/api/seats/{player.seat}/rematch", {})[0] == 200
    with ann.browser.stream(f"/api/seats/{ann.seat}/stream") as stream:
        assert next(state for _, state in stream if state["is_playing"])["match"] is None


def test_a_browser_and_a_protocol_client_play_each_other(server: Served) -> None:
    browser = ApiClient(web_port(server))
    seat = browser.sit("tttp", "ann")
    with browser.stream(f"/api/seats/{seat}/stream") as stream:
        state = next(state for _, state in stream if state["seat"])
        with StreamClient("127.0.0.1", server.port()) as client:
            assert client.join(b"bob") == 2
            browser.ask("POST", f"/api/seats/{seat}/move", {"move": "d1"})
            state = next(state for _, state in stream if state["last_move"])
            table = browser.get("/api/rooms/tttp")["tables"][0]
    assert state["seat"] == 1
    assert table["players"] == ["ann", "bob"]


def test_a_bot_joins_when_it_is_called(server: Served) -> None:
    browser = ApiClient(web_port(server))
    seat = browser.sit("tttp", "ann")
    assert browser.ask("POST", "/api/rooms/tttp/bots", {"bot": "nobody"})[0] == 404
    assert browser.ask("POST", "/api/rooms/tttp/bots", {"bot": "random"})[0] == 204
    with browser.stream("/api/rooms/tttp/stream") as stream:
        for name, value in stream:
            if name == "table" and all(value["table"]["players"]):
                break
    with browser.stream(f"/api/seats/{seat}/stream") as stream:
        next(state for _, state in stream if state["choices"])
    assert browser.ask("POST", f"/api/seats/{seat}/move", {"move": "d1"})[0] == 200
    with browser.stream(f"/api/seats/{seat}/stream") as stream:
        state = next(state for _, state in stream if len(state["choices"]) and state["last_move"])
    assert state["is_to_move"]


def test_no_moves_are_offered_before_there_is_an_opponent() -> None:
    with Served("--door=tttp=0", "--door=web=0", "--set=tttp.wait-for-blue=true") as server:
        ann, bob = ApiClient(web_port(server)), ApiClient(web_port(server))
        seat = ann.sit("tttp", "ann")
        with ann.stream(f"/api/seats/{seat}/stream") as stream:
            alone = next(state for _, state in stream if state["picture"])
            assert (alone["choices"], alone["is_to_move"]) == ([], False)
            status, answer = ann.ask("POST", f"/api/seats/{seat}/move", {"move": "d1"})
            assert (status, "no opponent yet" in answer["error"]) == (409, True)
            bob.sit("tttp", "bob")
            next(state for _, state in stream if state["choices"])
        assert ann.ask("POST", f"/api/seats/{seat}/move", {"move": "d1"})[0] == 200


def test_TM_06_no_browser_plays_for_another(server: Served) -> None:
    ann, eve = ApiClient(web_port(server)), ApiClient(web_port(server))
    seat = ann.sit("tttp", "ann")
    eve.sit("tttp", "eve")
    for method, path, body in (
        ("GET", "", None),
        ("GET", "/stream", None),
        ("POST", "/move", {"move": "d1"}),
        ("POST", "/say", {"text": "I am ann"}),
        ("POST", "/rematch", {}),
        ("DELETE", "", None),
    ):
        assert eve.ask(method, f"/api/seats/{seat}{path}", body)[0] == 403
        assert ApiClient(web_port(server)).ask(method, f"/api/seats/{seat}{path}", body)[0] == 403
    with ann.stream(f"/api/seats/{seat}/stream") as stream:
        next(state for _, state in stream if state["choices"])
    assert ann.ask("POST", f"/api/seats/{seat}/move", {"move": "d1"})[0] == 200


def test_TM_25_the_oldest_stream_of_a_seat_ends_when_there_are_too_many(server: Served) -> None:
    browser = ApiClient(web_port(server))
    seat = browser.sit("tttp", "ann")
    with ExitStack() as tabs:
        first, *others = (
            tabs.enter_context(browser.stream(f"/api/seats/{seat}/stream"))
            for _ in range(MAX_STREAMS + 1)
        )
        assert [state["stage"] for _, state in first][-1] == "waiting", "it has ended"
        ApiClient(web_port(server)).sit("tttp", "bob")
        for stream in others:
            next(state for _, state in stream if state["stage"] == "playing")


def test_a_player_who_has_closed_the_page_can_return(server: Served) -> None:
    ann, eve = ApiClient(web_port(server)), ApiClient(web_port(server))
    seat = ann.sit("tttp", "<b>ann")
    [line] = ann.get("/api/seats")
    assert (line["id"], line["room"], line["name"]) == (seat, "tttp", "<b>ann")
    assert (line["title"], line["stage"], line["opponent"]) == ("Connect Four", "waiting", "")
    for page in ("/", "/rooms/tttp"):
        assert f'href="/play/{seat}"' in ann.get(page)
        assert "<bdi>&lt;b&gt;ann</bdi>" in ann.get(page)
        assert "/play/" not in eve.get(page)
    assert eve.get("/api/seats") == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/json"},
        {"Content-Type": "application/json", "X-Gamehall": "1", "Origin": "http://evil.example"},
        {"Content-Type": "application/json", "X-Gamehall": "1", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_TM_21_requests_from_other_sites_change_nothing(
    server: Served, headers: dict[str, str]
) -> None:
    browser = ApiClient(web_port(server))
    body = {"room": "tttp", "name": "ann"}
    assert browser.ask("POST", "/api/seats", body, headers)[0] == 403
    assert browser.get("/api/rooms/tttp")["waiting"] == []


def test_a_refused_request_says_why_and_changes_nothing(server: Served) -> None:
    browser = ApiClient(web_port(server))
    seat = browser.sit("tttp", "ann")
    path = f"/api/seats/{seat}"
    with browser.stream(f"{path}/stream") as stream:
        next(state for _, state in stream if state["seat"])
        status, answer = browser.ask("POST", f"{path}/move", {"move": "d1"})
        assert (status, answer["error"]) == (409, "There is no opponent yet.")
        ApiClient(web_port(server)).sit("tttp", "bob")
        next(state for _, state in stream if state["choices"])
    status, answer = browser.ask("POST", f"{path}/move", {"move": "z9"})
    assert (status, "is not a cell" in answer["error"]) == (409, True)
    assert browser.ask("POST", f"{path}/answer", {"text": "x"})[0] == 409
    assert browser.ask("POST", f"{path}/move", {"text": "d1"})[0] == 422
    assert browser.ask("POST", f"{path}/move", {"move": 7})[0] == 422
    assert browser.ask("POST", f"{path}/say", {"text": "x" * 2_000})[0] == 409
    assert browser.ask("POST", f"{path}/say", {"text": "x" * 20_000})[0] == 413
    assert browser.ask("POST", "/api/seats", {"room": "nowhere", "name": "ann"})[0] == 404
    assert browser.ask("POST", "/api/seats", {"room": "tttp", "name": "a\nb"})[0] == 409
    assert browser.ask("POST", f"{path}/move", {"move": "d1"})[0] == 200
    status, answer = browser.ask("POST", f"{path}/move", {"move": "d2"})
    assert (status, answer["error"]) == (409, "It is not your turn.")


def test_a_player_who_leaves_is_removed_from_the_table(server: Served) -> None:
    browser = ApiClient(web_port(server))
    seat = browser.sit("tttp", "ann")
    with browser.stream("/api/rooms/tttp/stream") as stream:
        next(value for name, value in stream if name == "room" and value["tables"])
        assert browser.ask("DELETE", f"/api/seats/{seat}")[0] == 204
        assert next(value for name, value in stream if name == "room" and not value["tables"])
    assert browser.get(f"/api/seats/{seat}")["is_gone"] is True
    assert browser.get("/api/seats") == []
    assert browser.ask("POST", f"/api/seats/{seat}/move", {"move": "d1"})[0] == 409


@pytest.fixture
def pages_only() -> Iterator[Served]:
    with Served("--door=web=0") as served:
        yield served


@pytest.mark.parametrize("game", ["connect-four", "santorini"])
def test_a_game_without_a_door_is_played_at_pages(pages_only: Served, game: str) -> None:
    port = web_port(pages_only)
    rooms = {room["name"]: room for room in ApiClient(port).get("/api/rooms")}
    assert game in rooms
    assert rooms[game]["doors"] == []
    players = [Player(port, game, name) for name in ("ann", "bob")]
    ends = [player.end() for player in players]
    assert all(state["verdict"] for state in ends), ends
    [record] = ApiClient(port).get("/api/records")
    assert record["game"] == game
    assert record["players"] == ["ann", "bob"]


def test_a_room_without_a_door_lists_no_doors(pages_only: Served) -> None:
    browser = ApiClient(web_port(pages_only))
    assert "Connect from code" not in browser.get("/rooms/connect-four")
    assert "Connect from code" not in browser.get("/")


def test_a_player_who_leaves_a_room_without_a_door_is_removed_at_once(pages_only: Served) -> None:
    port = web_port(pages_only)
    ann, bob = ApiClient(port), ApiClient(port)
    seats = [ann.sit("ascension", "ann"), bob.sit("ascension", "bob")]
    with bob.stream(f"/api/seats/{seats[1]}/stream") as stream:
        next(state for _, state in stream if state["is_playing"])
        assert ann.ask("DELETE", f"/api/seats/{seats[0]}")[0] == 204
        state = next(state for _, state in stream if state["verdict"])
    assert state["verdict"] == "You won: ann resigned."


def test_a_bot_joins_a_room_without_a_door(pages_only: Served) -> None:
    port = web_port(pages_only)
    player = Player(port, "connect-four", "ann")
    assert player.browser.ask("POST", "/api/rooms/connect-four/bots", {"bot": "greedy"})[0] == 204
    assert player.end()["verdict"]
    assert "greedy" in str(player.last["players"])


@pytest.mark.parametrize(
    ("typed", "name"),
    [("Jürgen", "Jürgen"), (" Ju\u0308rgen ", "Jürgen"), ("田中", "田中")],
    ids=ascii,
)
def test_a_name_of_any_script_is_kept_where_no_protocol_sends_it(
    pages_only: Served, typed: str, name: str
) -> None:
    port = web_port(pages_only)
    players = [Player(port, "connect-four", one) for one in (typed, "bob")]
    [first, second] = [player.end() for player in players]
    assert first["verdict"]
    assert second["verdict"]
    assert set(first["players"]) == set(second["players"]) == {name, "bob"}
    assert "other doors" not in str([first["messages"], second["messages"]])
    [record] = ApiClient(port).get("/api/records")
    assert set(record["players"]) == {name, "bob"}


@pytest.mark.parametrize(
    ("name", "alias"), [("Jürgen", "Juergen"), ("田中", "player-1")], ids=ascii
)
def test_a_player_is_told_the_alias_that_a_protocol_sends(
    server: Served, name: str, alias: str
) -> None:
    browser = ApiClient(web_port(server))
    seat = browser.sit("tttp", name)
    with browser.stream(f"/api/seats/{seat}/stream") as stream:
        wait_for_message(stream, f"Players who connect without a browser see you as {alias}.")


@pytest.mark.parametrize("server", ["santorini-tournament"], indirect=True)
def test_pages_show_the_chosen_names_in_tournaments(server: Served) -> None:
    port, names, room = web_port(server), ("Jürgen", "田中"), "/api/rooms/santorini-tournament"
    players = [Player(port, "santorini-tournament", name) for name in names]
    ends = [player.end() for player in players]
    assert all(set(end["players"]) == set(names) for end in ends)
    for player, alias in zip(players, ("juergen", "player"), strict=True):
        with player.browser.stream(f"/api/seats/{player.seat}/stream") as stream:
            state = next(state for _, state in stream if state["is_gone"])
        assert state["headline"].startswith(("You won the tournament: ", "You came second: "))
        assert {line["name"] for line in state["standings"]} == set(names)
        texts = [one["text"] for one in state["messages"]]
        texts.remove(f"Players who connect without a browser see you as {alias}.")
        shown = " ".join([*texts, state["status"]])
        assert "juergen" not in shown
        assert "against player" not in shown
    browser = ApiClient(port)
    tournament = browser.get(room)["tournament"]
    assert {rank["name"] for rank in tournament["standings"]} == set(names)
    assert {name for *pair, _ in tournament["wins"] for name in pair} <= set(names)
    assert all(set(one["players"]) == set(names) for one in browser.get("/api/records"))


def test_after_a_refused_name_another_of_any_script_can_be_given(pages_only: Served) -> None:
    ann, bob = ApiClient(web_port(pages_only)), ApiClient(web_port(pages_only))
    ann.sit("connect-four", "Jürgen")
    seat = bob.sit("connect-four", "admin")
    with bob.stream(f"/api/seats/{seat}/stream") as stream:
        state = next(state for _, state in stream if state["question"])
        assert "reserved" in state["messages"][-1]["text"]
        assert (state["stage"], state["question"]["prompt"]) == ("agreeing", "Choose another name")
        bob.ask("POST", f"/api/seats/{seat}/answer", {"text": "O\u0308zge"})
        state = next(state for _, state in stream if state["players"] == ["Jürgen", "Özge"])


def test_two_players_of_one_name_get_different_names(pages_only: Served) -> None:
    players = [Player(web_port(pages_only), "connect-four", "ann") for _ in range(2)]
    assert all(player.end()["verdict"] for player in players)
    [record] = players[0].browser.get("/api/records")
    assert sorted(record["players"]) == ["ann", "ann 2"]


def test_the_last_verdict_stays_when_a_protocol_clears_the_board_at_once(server: Served) -> None:
    browser = ApiClient(web_port(server))
    seat = browser.sit("tttp", "ann")
    with (
        StreamClient("127.0.0.1", server.port()) as client,
        browser.stream(f"/api/seats/{seat}/stream") as stream,
    ):
        next(state for _, state in stream if state["seat"])
        client.join(b"bob")
        next(state for _, state in stream if state["choices"])
        for row in range(4):
            move = {"move": f"a{row + 1}"}
            assert browser.ask("POST", f"/api/seats/{seat}/move", move)[0] == 200
            if row < 3:
                client.play(1, row)
                next(state for _, state in stream if (state["last_move"] or {}).get("seat") == 2)
        client.rematch()
        messages = wait_for_message(stream, "began another game")
        state = browser.get(f"/api/seats/{seat}")
        [record] = browser.get("/api/records")
    end, after = [one for one in messages if "game" in one["text"].lower()][-2:]
    assert end["text"] == "You won game 1: you have 4 in a row."
    assert end["match"] == record["match"] == state["last_match"]
    assert after["text"] == "bob began another game."
    assert state["last_verdict"] == "You won: you have 4 in a row."
    assert (state["stage"], state["verdict"], state["match"]) == ("playing", "", None)


@pytest.mark.parametrize("server", ["santorini-tournament"], indirect=True)
def test_both_players_of_a_tournament_see_the_board_from_the_start(server: Served) -> None:
    port, names = web_port(server), {"ann", "bob"}
    browsers = {name: ApiClient(port) for name in names}
    seats = {name: one.sit("santorini-tournament", name) for name, one in browsers.items()}
    for name, browser in browsers.items():
        with browser.stream(f"/api/seats/{seats[name]}/stream") as stream:
            state = next(state for _, state in stream if state["is_playing"] and state["picture"])
        assert set(state["players"]) == names
        assert state["last_move"] is None
        assert state["seconds_left"] > 0
        assert state["is_to_move"] == (state["seat"] == 1)


@pytest.mark.parametrize("server", ["santorini-tournament"], indirect=True)
def test_there_is_a_message_about_the_end_of_each_match_of_a_tournament(server: Served) -> None:
    players = [Player(web_port(server), "santorini-tournament", name) for name in ("ann", "bob")]
    for player, other in zip(players, ("bob", "ann"), strict=True):
        player.end()
        with player.browser.stream(f"/api/seats/{player.seat}/stream") as stream:
            messages = wait_for_message(stream, "game 1 against")
        end = next(one for one in messages if one["match"])
        assert f"game 1 against {other}: " in end["text"]
        assert end["text"].startswith("You ")


@pytest.mark.parametrize("door", DOORS)
def test_after_a_restart_players_are_told_of_it_and_earlier_messages_do_not_repeat(
    door: str, tmp_path: Path
) -> None:
    options = (f"--door={door}=0", "--door=web=0", *SETTINGS[door], "--data", str(tmp_path))
    with Served(*options) as server:
        before = [Player(web_port(server), door, name, max_moves=1) for name in ("ann", "bob")]
        while not all(player.last.get("is_playing") for player in before):
            before[0].wait(0.05)
            before[1].wait(0.05)
        kept = [
            {key: player.last[key] for key in ("room", "name", "table", "place")}
            for player in before
        ]
        server.stop(signal.SIGKILL)
    with Served(*options) as server:
        for player, body in zip(before, kept, strict=True):
            player.browser.port = web_port(server)
            status, answer = player.browser.ask("POST", "/api/seats", body)
            assert status == 201, answer
            player.seat = answer["id"]
        for player in before:
            with player.browser.stream(f"/api/seats/{player.seat}/stream") as stream:
                texts = [
                    one["text"] for one in wait_for_message(stream, "The server was restarted")
                ]
            assert texts.count("The server was restarted. Your game continues.") == 1
            repeated = ("The terms", "Both agree", "The tournament begins")
            assert not [text for text in texts if text.startswith(repeated)]


@pytest.mark.parametrize("server", ["ascension-http"], indirect=True)
def test_players_without_names_are_called_by_their_seats(server: Served) -> None:
    door, browser = ApiClient(server.port("ascension-http")), ApiClient(web_port(server))
    shown = "/api/rooms/ascension-http/tables/table-1"
    assert door.ask("POST", "/join")[0] == 200
    assert browser.get(shown)["table"]["players"] == [None, None]
    assert door.ask("POST", "/join")[0] == 200
    assert browser.get(shown)["table"]["players"] == ["player 1", "player 2"]
    page = browser.get("/rooms/ascension-http")
    assert "player 1" in page
    assert "free seat" not in page


def test_a_player_whose_first_name_was_refused_returns_after_a_restart(tmp_path: Path) -> None:
    options = ("--door=tttp=0", "--door=web=0", "--data", str(tmp_path))
    with Served(*options) as server:
        ann, bob = ApiClient(web_port(server)), ApiClient(web_port(server))
        seat = ann.sit("tttp", "admin")
        with ann.stream(f"/api/seats/{seat}/stream") as stream:
            next(state for _, state in stream if state["question"])
            assert ann.ask("POST", f"/api/seats/{seat}/answer", {"text": "zoe"})[0] == 200
            bob.sit("tttp", "bob")
            seated = next(state for _, state in stream if state["is_to_move"])
        assert (seated["name"], seated["joined_as"]) == ("zoe", "admin")
        # Another seat under the refused name is another player.
        wanted = {"room": "tttp", "name": "admin", "bot": "random"}
        other = ann.ask("POST", "/api/seats", wanted)[1]["id"]
        assert ann.get(f"/api/seats/{seat}")["stage"] == "playing"
        assert ann.ask("DELETE", f"/api/seats/{other}")[0] == 204
        server.stop(signal.SIGKILL)
    with Served(*options) as server:
        ann.port = web_port(server)
        back = {"room": "tttp", "name": "admin", "table": seated["table"], "place": seated["place"]}
        status, state = ann.ask("POST", "/api/seats", back)
        assert status == 201
        with ann.stream(f"/api/seats/{state['id']}/stream") as stream:
            state = next(state for _, state in stream if state["seat"] is not None)
        assert (state["name"], state["stage"], state["seat"]) == ("zoe", "playing", seated["seat"])


def test_finished_games_do_not_count_towards_the_limit_of_seats(server: Served) -> None:
    browser = ApiClient(web_port(server))
    for number in range(MAX_SEATS_PER_BROWSER):
        wanted = {"room": "tttp", "name": f"ann {number}", "bot": "random"}
        status, state = browser.ask("POST", "/api/seats", wanted)
        assert status == 201, state
        path = f"/api/seats/{state['id']}"
        with browser.stream(f"{path}/stream") as stream:
            next(state for _, state in stream if state["may_resign"])
            assert browser.ask("POST", f"{path}/resign", {})[0] == 200
            next(state for _, state in stream if state["stage"] == "over")
    assert browser.ask("POST", "/api/seats", {"room": "tttp", "name": "ann"})[0] == 201


@pytest.mark.parametrize("server", ["go-text", "tttp"], indirect=True)
def test_a_player_whose_opponent_leaves_after_a_rematch_request_waits_for_another(
    server: Served,
) -> None:
    [room] = [one["name"] for one in ApiClient(web_port(server)).get("/api/rooms") if one["doors"]]
    ann, bob, cat = (ApiClient(web_port(server)) for _ in range(3))
    terms = {"terms": {"size": 9}} if room == "go-text" else {}

    def sit(browser: ApiClient, name: str) -> str:
        wanted = {"room": room, "name": name, **terms}
        status, state = browser.ask("POST", "/api/seats", wanted)
        assert status == 201, state
        return f"/api/seats/{state['id']}"

    path, other = sit(ann, "ann"), sit(bob, "bob")
    with ann.stream(f"{path}/stream") as stream:
        next(state for _, state in stream if state["may_resign"])
        assert ann.ask("POST", f"{path}/resign", {})[0] == 200
        next(state for _, state in stream if state["may_rematch"])
        assert ann.ask("POST", f"{path}/rematch", {})[0] == 200
        next(state for _, state in stream if not state["may_rematch"])
        assert bob.ask("DELETE", other)[0] == 204
        left = next(state for _, state in stream if state["may_rematch"])
        assert left["status"] == "bob has left. Play again to wait for another opponent."
        assert ann.ask("POST", f"{path}/rematch", {})[0] == 200
        sit(cat, "cat")
        assert next(state for _, state in stream if state["may_resign"])["players"] == [
            "ann",
            "cat",
        ]


def test_a_command_of_the_terminal_can_be_a_name(server: Served) -> None:
    browser = ApiClient(web_port(server))
    seat = browser.sit("tttp", "admin")
    with browser.stream(f"/api/seats/{seat}/stream") as stream:
        next(state for _, state in stream if state["question"])
        assert browser.ask("POST", f"/api/seats/{seat}/answer", {"text": "quit"})[0] == 200
        assert next(state for _, state in stream if state["seat"])["name"] == "quit"
