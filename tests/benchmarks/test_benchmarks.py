"""Every benchmark runs, and servers with wrong answers are rejected."""

import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import pytest

from benchmarks import doors, http_state, kernels, opening_book
from benchmarks.__main__ import BENCHMARKS, benchmark
from benchmarks.measuring import (
    TINY,
    BenchmarkError,
    bare_command,
    connected,
    cpu_seconds,
    ratios,
    running,
    short,
    short_spread,
    spread,
    table,
)
from benchmarks.scripts import SCRIPTS, Recorded, Script, from_recorded, play, record
from gamehall.bots.connect_four import book
from gamehall.bots.connect_four import opening_book as book_in_package
from gamehall.games.go import Point

ROOT = Path(__file__).parents[2]

ROWS = {
    "tttp": ["bare echo", "bare relay", "door, no journal", "door, journal"] * 2,
    "doors": [row for door in SCRIPTS for row in (f"{door}, bare relay", door)],
    "http": ["bare httptools", "bare aiohttp", "door", "door, requests that differ"],
    "memory": ["bare, idle connection", "door, idle connection", "door, room with two players"],
    "watching": ["no watchers", "5 watch", "one never reads"],
    "busy": ["no watchers", "60 at pages", "60 without bounds"],
    "journal": ["nothing to replay"],
    "kernels": [
        "Connect Four, perft(8) games",
        "Go 9 x 9, random games",
        "Santorini, random games",
    ],
    "arena": ["bare loop", "arena"],
}
"""The beginnings of rows in the tables of each benchmark."""


@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name != "walk"])
def test_every_benchmark_runs(name: str) -> None:
    lines = list(benchmark(name)(TINY))
    missing = [line for line in lines if "is not installed" in line]
    if missing and os.environ.get("CI") != "true":
        pytest.skip(missing[0])
    assert not missing
    for row in set(ROWS[name]):
        assert any(line.startswith((f"  {row}  ", f"  {row},")) for line in lines), row


def test_the_readme_describes_every_benchmark() -> None:
    described = re.findall(r"^\| `(\w+)` \|", (ROOT / "benchmarks/README.md").read_text(), re.M)
    assert described == list(BENCHMARKS)


def test_the_walk_starts_with_the_read_and_ends_with_both_writes() -> None:
    first, *lines, last = list(benchmark("walk")(TINY))[1:]
    assert first.endswith(".data_received")
    assert [line.strip() for line in (first, *lines)].count("transport.write") == 2
    assert lines[-1].strip() == "transport.write"
    found = re.match(r"(\d+) calls in (\d+) files of gamehall", last)
    assert found
    functions = [line.strip() for line in (first, *lines) if ".py:" in line]
    assert int(found[1]) == len(functions)
    assert int(found[2]) == len({function.split(":")[0] for function in functions})
    # It includes the rules of the game.
    assert any(function.startswith("games/connect_four") for function in functions)


# Statistics and tables


def test_a_spread_is_the_median_with_the_lowest_and_the_highest() -> None:
    assert spread([3.0, 1.0, 2.0], ".1f") == "2.0 (1.0 - 3.0)"
    assert spread([4.0]) == "4.00"
    assert short_spread([1e6, 3e6]) == "2M (1M - 3M)"
    assert ratios([2.0, 9.0], [1.0, 3.0]) == [2.0, 3.0]


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.5, "0.5"), (999.6, "1k"), (1_590.0, "1.59k"), (999_600.0, "1M"), (1.03e9, "1.03G")],
)
def test_numbers_are_short(value: float, written: str) -> None:
    assert short(value) == written


def test_columns_are_aligned() -> None:
    lines = list(table("title", ("a", "wide column"), {"x": ["1", "2"], "longer": ["100", ""]}))
    assert lines == [
        "title",
        "               a   wide column",
        "  x            1             2",
        "  longer     100",
    ]


def test_a_rate_counts_cpu_time() -> None:
    own = cpu_seconds(os.getpid())

    def work() -> float:
        return float(sum(1 for _ in range(10_000)))

    assert kernels.rate(work, 0.05) > 0
    assert cpu_seconds(os.getpid()) - own >= 0.05


# Servers that are wrong


@contextmanager
def relay(lap: list[tuple[bytes, bytes]], folder: Path) -> Iterator[list[socket.socket]]:
    """Connect two players to a relay that gives these answers."""
    file = folder / "answers"
    file.write_bytes(msgspec.msgpack.encode([[], lap]))
    with running(bare_command("relay", file)) as server, connected(server, 2) as pair:
        yield pair


def test_a_relay_sends_what_was_recorded_to_both_players(tmp_path: Path) -> None:
    lap = [Recorded(0, b"first", (b"one", b"two")), Recorded(1, b"second", (b"", b"three"))]
    with relay([step.answers for step in lap], tmp_path) as pair:
        for _ in range(2):
            assert play(from_recorded(lap), pair, len) == lap


def test_a_server_that_answers_a_lap_differently_is_rejected(tmp_path: Path) -> None:
    script = Script([], from_recorded([Recorded(0, b"x", (b"one", b""))]), len)
    with relay([(b"one", b""), (b"two", b"")], tmp_path) as pair, pytest.raises(
        BenchmarkError, match="differently"
    ):  # fmt: skip
        record(script, pair)


def test_a_player_notices_every_different_byte() -> None:
    pair = doors.Pair([(0, b"x", (b"right", b"right"))])
    first, second = pair.players
    second.data_received(b"ri")
    second.data_received(b"ght")
    assert pair.problem is None
    first.data_received(b"wrong")
    assert pair.problem is not None


@pytest.mark.parametrize("door", SCRIPTS)
def test_laps_have_the_length_of_a_game(door: str) -> None:
    assert len(SCRIPTS[door].lap) >= 11
    assert {step.player for step in SCRIPTS[door].lap} == {0, 1}


DONE = """Running 1s test @ http://127.0.0.1:40001/state
  1 threads and 64 connections
  20000 requests in 1.00s, 19.07MB read
Requests/sec:  20000.00
"""


def test_the_output_of_wrk_is_read() -> None:
    assert http_state.requests_done(DONE, 1000) == 20_000


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
def test_wrong_http_responses_are_rejected(output: str) -> None:
    with pytest.raises(BenchmarkError, match=r"^wrk"):
        http_state.requests_done(output, 1000)


def test_the_error_about_a_server_that_does_not_start_has_its_output() -> None:
    with pytest.raises(BenchmarkError, match="No such file"), running(
        bare_command("relay", "/nowhere")
    ):  # fmt: skip
        pass


# Rules of other libraries


@pytest.mark.parametrize("played", [kernels.sgfmill_played, kernels.open_spiel_played])
def test_other_libraries_have_the_same_stones_at_the_end(
    played: Callable[[int, list[Point]], object],
) -> None:
    for seed in range(5):
        points = kernels.random_game(5, seed)
        assert played(5, points) == kernels.ours_played(5, points)


# The opening book


def test_the_book_is_written_and_read_again() -> None:
    written = Path(book_in_package.__file__).read_text()
    assert opening_book.written(book_in_package.VALUES, "bitbully") == written
    values = np.array(
        [book.value(opening_book.stones_of_key(key)) for key in book.stored_keys().tolist()]
    )
    assert opening_book.encoded(values) == book_in_package.VALUES


def test_wrong_values_of_the_book_are_found() -> None:
    assert opening_book.wrong_values(50, opening_book.bitbully()) == []
    assert len(opening_book.wrong_values(50, lambda _: -2)) == 50
