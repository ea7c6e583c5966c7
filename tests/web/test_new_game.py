"""An added game is played at the pages and in the arena."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.api_client import ApiClient
from tests.web.test_play import Player

pytestmark = pytest.mark.usefixtures("nim")


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The port of the web door of a server with the added game."""
    server = subprocess.Popen(
        [sys.executable, "-m", "gamehall", "serve", "--door=web=0", f"--data={tmp_path}/hall"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        [line, *_] = [server.stdout.readline() for _ in range(2)]
        yield int(line.rstrip("/\n").rpartition(":")[2])
    finally:
        server.terminate()
        server.communicate(timeout=30)


def test_it_is_played_at_pages_and_replayed(port: int) -> None:
    browser = ApiClient(port)
    [room] = [room for room in browser.get("/api/rooms") if room["game"] == "nim"]
    assert room["title"] == "Nim"
    players = [Player(port, "nim", name) for name in ("ann", "bob")]
    ends = [player.end() for player in players]
    assert all(state["verdict"] for state in ends), ends
    [record] = browser.get("/api/records")
    assert record["game"] == "nim"
    page = browser.get(f"/records/{record['match']}/1")
    assert "<svg" in page
    assert "Nim" in browser.get("/")


def test_a_bot_plays_it(port: int) -> None:
    player = Player(port, "nim", "ann")
    assert player.browser.ask("POST", "/api/rooms/nim/bots", {"bot": "alpha-beta"})[0] == 204
    assert player.end()["verdict"]


def test_bots_play_it_in_the_arena(tmp_path: Path) -> None:
    words = ["arena", "nim", "alpha-beta@0.01", "random", "--games", "20", "--seed", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "gamehall", *words, "--data", str(tmp_path / "arena")],
        capture_output=True,
        text=True,
        check=True,
    )
    summary = json.loads(done.stdout)
    assert summary["matches"] == 20
    assert summary["lines"][0]["name"] == "alpha-beta@0.01"
