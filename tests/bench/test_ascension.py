"""The benchmark runs, says what it does without, and a server that is wrong gets no figure."""

import importlib.util
import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from gamehall.bench import ascension, wrk
from gamehall.bench.ascension_game import cards_to_buy
from gamehall.bench.ascension_random import random_game
from gamehall.bench.contest import Kind
from gamehall.bench.machine import BenchError

# Where CI is `true`, a missing wrk is a failure of the tests that need it.
HAS_WRK = shutil.which("wrk") is not None or os.environ.get("CI") == "true"
needs_wrk = pytest.mark.skipif(not HAS_WRK, reason="wrk is missing (apt-get install wrk)")

DONE = """Running 1s test @ http://127.0.0.1:40001/state
  1 threads and 64 connections
  20000 requests in 1.00s, 19.07MB read
Requests/sec:  20000.00
"""


def rows_of(lines: list[str]) -> set[str]:
    return {words[0] for line in lines if (words := line.split())}


@needs_wrk
def test_every_server_gets_a_row() -> None:
    lines: list[str] = []
    figures = ascension.run(lines.append, seconds=1, rounds=1, games=1)
    assert {"httptools", "aiohttp", "door", "varied"} <= rows_of(lines)
    assert ascension.WITHOUT_AIOHTTP not in lines
    state = figures["state"]
    assert isinstance(state, dict)
    assert state["body_bytes"] > 5_000
    assert state["door"]["cpu_microseconds_per_request"]["median"] > 0
    assert state["door"]["cpu_ratio"].keys() == {"httptools", "aiohttp", "door", "varied"}


@needs_wrk
def test_without_aiohttp_it_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ascension, "find_spec", lambda _: None)
    lines: list[str] = []
    figures = ascension.measure_state(lines.append, seconds=1, rounds=1)
    assert lines[-1] == ascension.WITHOUT_AIOHTTP
    assert "aiohttp" not in figures
    assert {"httptools", "door"} <= rows_of(lines)
    assert importlib.util.find_spec("aiohttp") is not None, "it is a test tool"


def test_without_wrk_it_says_how_to_get_it_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    lines: list[str] = []
    figures = ascension.run(lines.append, seconds=1, rounds=2, games=2)
    assert lines[0] == wrk.WITHOUT_WRK
    assert "apt-get install wrk" in lines[0]
    assert "state" not in figures
    games = figures["random_games"]
    assert isinstance(games, dict)
    assert games["moves"] == random_game(0) + random_game(1)
    assert len(games["rounds"]) == 2
    assert any("games/s" in line for line in lines)


def test_what_wrk_has_counted_is_read() -> None:
    assert wrk.requests_done(DONE, 1000) == 20_000


@pytest.mark.parametrize(
    "output",
    [
        "",
        DONE.replace("20000 requests", "0 requests"),
        DONE.replace("19.07MB", "19.07KB"),
        DONE.replace("19.07", "17.07"),
        DONE + "  Socket errors: connect 0, read 3, write 0, timeout 0\n",
        DONE + "  Non-2xx or 3xx responses: 20000\n",
    ],
)
def test_a_server_that_answers_otherwise_gets_no_figure(output: str) -> None:
    with pytest.raises(BenchError, match=r"^wrk"):
        wrk.requests_done(output, 1000)


def test_the_clients_buy_what_they_can_pay_for() -> None:
    def names(runes: int, mystics: int) -> list[str]:
        players = [{"runes_remaining": 0}, {"runes_remaining": runes}]
        board = {"players": players, "mystics": mystics, "heavy": 1}
        return [move["card_name"] for move in cards_to_buy(board, 1)]

    assert names(1, 1) == []
    assert names(2, 1) == ["Heavy Infantry"]
    assert names(4, 1) == ["Mystic"]
    assert names(5, 1) == ["Mystic", "Heavy Infantry"]
    assert names(5, 0) == ["Heavy Infantry"]


def test_another_state_than_the_prepared_one_gives_no_figure(tmp_path: Path) -> None:
    with ExitStack() as stack:
        servers, response = ascension.open_servers(stack, [Kind.HTTPTOOLS], tmp_path / "response")
        with pytest.raises(BenchError, match="not the one that was prepared"):
            ascension.check_body(Kind.HTTPTOOLS, servers[Kind.HTTPTOOLS], response + b" ")
