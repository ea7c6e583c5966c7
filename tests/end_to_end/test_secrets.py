"""The seed of a match is hidden from players, watchers and logs until the match is over."""

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gamehall.match.record import match_name
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.journal import RoomSpec
from gamehall.rooms.secrets import match_seed
from tests.independent.tttp_clients import StreamClient
from tests.support.served import Served
from tests.web.api_client import ApiClient
from tests.web.test_play import SETTINGS, web_port

MOVES = 6
MATCHES = 20
"""The number of seeds of a room to search for, including those of future matches."""


class PagePlayer:
    """Plays a few moves on a web page, and keeps everything that it is sent."""

    def __init__(self, port: int, room: str, name: str, enough: threading.Event) -> None:
        """Start to play. Set `enough` after MOVES moves."""
        self.browser = ApiClient(port)
        self.seat = self.browser.sit(room, name)
        self.received: list[str] = []
        self._enough = enough
        self._thread = threading.Thread(target=self._stay, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wait until the server has closed the connection."""
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _stay(self) -> None:
        # The server may close first.
        with contextlib.suppress(OSError, HTTPException):
            self._play()

    def _play(self) -> None:
        answered, moves = -1, 0
        with self.browser.stream(f"/api/seats/{self.seat}/stream") as stream:
            for _, state in stream:
                self.received.append(json.dumps(state))
                if state["is_gone"]:
                    return
                if state["version"] <= answered or self._enough.is_set():
                    continue
                if state["question"]:
                    self._post("answer", {"text": state["question"]["usual"]})
                    answered = state["version"]
                elif state["choices"]:
                    self._post("move", {"move": state["choices"][0]["move"]})
                    answered, moves = state["version"], moves + 1
                    if moves == MOVES:
                        self._enough.set()

    def _post(self, what: str, body: object) -> None:
        status, said = self.browser.ask("POST", f"/api/seats/{self.seat}/{what}", body)
        assert status in (200, 409), said
        self.received.append(json.dumps(said))


def secrets_of(folder: Path) -> dict[str, bytes]:
    """Return the seed of each room, or of the one table of a lobby, from the journal."""
    with sqlite3.connect(folder / "hall.sqlite") as database:
        rows = database.execute("SELECT spec FROM journal_rooms").fetchall()
    database.close()
    specs = [msgspec.json.decode(content, type=RoomSpec) for (content,) in rows]
    return {spec.owner: spec.seed for spec in specs}


def everything_shown(browser: ApiClient, room: str) -> Iterator[str]:
    """Yield everything that a watcher can request during a match."""
    rooms = browser.get("/api/rooms")
    paths = ["/", "/api/openapi.json", "/healthz", "/metrics", "/records", "/bots", "/arena"]
    paths += ["/api/rooms", "/api/records", "/api/bots", "/api/arenas", f"/rooms/{room}"]
    paths += [f"/api/rooms/{line['name']}" for line in rooms]
    [line] = [line for line in rooms if line["name"] == room]
    for table in line["tables"]:
        name = table["name"]
        paths += [f"/rooms/{room}/tables/{name}", f"/api/rooms/{room}/tables/{name}"]
        state = browser.get(paths[-1])
        numbers = range(len(state["history"]) + 1)
        paths += [f"/api/rooms/{room}/tables/{name}/positions/{number}" for number in numbers]
    for path in paths:
        status, answer = browser.ask("GET", path)
        assert status == 200, path
        yield answer if isinstance(answer, str) else json.dumps(answer)
    tables = [f"/api/rooms/{room}/tables/{table['name']}/stream" for table in line["tables"]]
    for path in ("/api/stream", f"/api/rooms/{room}/stream", *tables):
        with browser.stream(path) as stream:
            yield json.dumps(next(stream))


@pytest.mark.parametrize("door", sorted(all_protocols()))
def test_TM_12_no_seed_is_shown_before_the_match_is_over(door: str, tmp_path: Path) -> None:
    logged = ("--log-level=debug", "--log-format=json")
    doors = (f"--door={door}=0", "--door=web=0")
    with Served(*doors, *SETTINGS[door], *logged, "--data", str(tmp_path)) as hall:
        port = web_port(hall)
        enough = threading.Event()
        players = [PagePlayer(port, door, name, enough) for name in ("ann", "bob")]
        matches = await_match(ApiClient(port), door)
        assert enough.wait(60)
        seen = list(everything_shown(ApiClient(port), door))
        hall.stop()
        for player in players:
            player.end()
            seen += player.received
        seen += [hall.output, hall.errors, *hall.lines]
    seen += [path.read_text() for path in tmp_path.glob("server/logs/*.log")]
    secret = secrets_of(tmp_path)[door]
    seeds = [match_seed(secret, number) for number in range(MATCHES)]
    assert matches <= {match_name(seed) for seed in seeds}, "these are the seeds of the matches"
    hidden = [secret.hex(), *(form for seed in seeds for form in (str(seed), f"{seed:x}"))]
    for text in seen:
        assert not [word for word in hidden if word in text.lower()]


def await_match(browser: ApiClient, room: str) -> set[str]:
    """Wait until a match is in play in the room. Return the names of its matches."""
    with browser.stream(f"/api/rooms/{room}/stream") as stream:
        for _ in stream:
            tables: list[dict[str, Any]] = browser.get(f"/api/rooms/{room}")["tables"]
            names = {str(table["match"]) for table in tables if table["match"]}
            if names:
                return names
    raise AssertionError("no match has begun")


def test_only_servers_with_the_same_seed_make_the_same_random_choices(tmp_path: Path) -> None:
    found: list[bytes] = []
    for number, seed in enumerate((["--seed=7"], ["--seed=7"], ["--seed=8"], [], [])):
        folder = tmp_path / str(number)
        with (
            Served("--door=tttp=0", "--data", str(folder), *seed) as hall,
            StreamClient("127.0.0.1", hall.port()) as red,
        ):
            assert red.join(b"red") == 1
            red.read()
            # Stop before red leaves: the journal of an empty table is deleted.
            hall.stop()
        found.append(secrets_of(folder)["tttp"])
    assert found[0] == found[1]
    assert len(set(found)) == 4
