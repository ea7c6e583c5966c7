"""Workers of Ray give the same results as local ones, and lost workers are replaced."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gamehall.arena.config import ArenaConfig, read_entries
from gamehall.arena.ray_workers import RayWorkers, link_bot_folders, max_seconds, play_in_worker
from gamehall.arena.workers import Chunk, ChunkResult, WorkerPoolError
from gamehall.engines.guarded import Limits
from gamehall.tournaments.formats.format import Encounter

GAMEHALL = Path(sys.executable).with_name("gamehall")
PATIENCE_SECONDS = 120
OWN = """
import advice
from gamehall.bots import Bot

class Own(Bot):
    def choose(self, position, seat, seconds_left):
        return advice.best(list(position.legal_moves()))
"""
ADVICE = "def best(moves):\n    return moves[len(moves) // 2]\n"
FATAL = """
import os
from gamehall.bots import Bot

class Fatal(Bot):
    def choose(self, position, seat, seconds_left):
        moves = list(position.legal_moves())
        if len(moves) < 7:
            os._exit(7)
        return moves[0]
"""


class RunResults(NamedTuple):
    standings: dict[str, Any]
    """Without times."""
    records: list[bytes]
    stderr: str


def arena(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [GAMEHALL, "arena", "connect-four", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def play_run(where: str, folder: Path) -> RunResults:
    """Play a run of two built-in bots and two bots in files of the same name."""
    bots = ("random", "greedy", "one/bot.py:Own", "other/bot.py:Fatal")
    words = ("--games", "6", "--seed", "5", "--name", "a", "--json", "--data", where, "--on", where)
    program = arena(*bots, *words, folder=folder)
    assert program.returncode == 0, program.stderr
    standings = json.loads(program.stdout)
    for line in standings["lines"]:
        del line["seconds_per_move"]
    [database] = (folder / where).glob("*.sqlite*")
    with sqlite3.connect(database) as connection:
        found = connection.execute("SELECT content FROM records ORDER BY match_name")
        records = [bytes(content) for (content,) in found]
    connection.close()
    return RunResults(standings, records, program.stderr)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunResults, RunResults]:
    """Return the results of the same run on local workers and on Ray."""
    folder = tmp_path_factory.mktemp("bots")
    for place in ("one", "other"):
        (folder / place).mkdir()
    (folder / "one" / "bot.py").write_text(OWN)
    (folder / "one" / "advice.py").write_text(ADVICE)
    (folder / "one" / ".gitignore").write_text("advice.py\n")
    (folder / "other" / "bot.py").write_text(FATAL)
    return play_run("local", folder), play_run("ray", folder)


def test_ray_gives_the_same_standings(both: tuple[RunResults, RunResults]) -> None:
    local, on_ray = both
    assert on_ray.standings == local.standings
    assert on_ray.standings["matches"] == 36


def test_ray_gives_the_same_records(both: tuple[RunResults, RunResults]) -> None:
    local, on_ray = both
    assert on_ray.records == local.records
    assert len(on_ray.records) == 36


def test_files_beside_a_bot_are_sent_to_ray(both: tuple[RunResults, RunResults]) -> None:
    [line] = [line for line in both[1].standings["lines"] if line["name"] == "Own"]
    assert line["faults"] == {}
    assert line["matches"] == 18


def test_a_bot_that_kills_its_process_on_ray_loses_only_those_games(
    both: tuple[RunResults, RunResults],
) -> None:
    on_ray = both[1].standings
    faults = {line["name"]: line["faults"] for line in on_ray["lines"]}
    crashed = faults.pop("Fatal")["crashed"]
    assert faults == {"random": {}, "greedy": {}, "Own": {}}
    assert on_ray["endings"] == {"crashed": crashed, "played out": 36 - crashed}
    assert "exit code 7" in on_ray["faults"][0]["detail"]


def test_ray_prints_nothing(both: tuple[RunResults, RunResults]) -> None:
    assert both[1].stderr == ""


@pytest.fixture(scope="module")
def workers() -> Iterator[RayWorkers]:
    bots = read_entries(["random", "mcts@0.4"], None)
    config = ArenaConfig("connect-four", {}, bots, seed=1, in_pairs=False)
    workers = RayWorkers("a", config, None)
    yield workers
    workers.close()


def playing_workers() -> list[int]:
    """Return the process ids of the Ray workers of this test that play a chunk."""
    parents, playing = {}, []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
            if (folder / "cmdline").read_bytes().startswith(b"ray::play"):
                playing.append(int(folder.name))
        except OSError:
            # The process has just ended.
            continue
    return [number for number in playing if parents.get(parents[number]) == os.getpid()]


def play_and_kill(workers: RayWorkers, max_kills: int) -> tuple[ChunkResult, int]:
    """Play an encounter, and kill its worker up to `max_kills` times.

    Return the result, and the number of kills.
    """
    workers.submit(Chunk([Encounter(0, 0, 1)]))
    killed: set[int] = set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if len(killed) < max_kills:
            for number in set(playing_workers()) - killed:
                killed.add(number)
                os.kill(number, signal.SIGKILL)
        for done in workers.collect(0.05):
            return done, len(killed)
    raise AssertionError("no result")


def test_a_chunk_whose_worker_dies_is_played_by_another(workers: RayWorkers) -> None:
    done, kills = play_and_kill(workers, 1)
    assert kills == 1
    assert done.error is None
    assert [row.encounter for row in done.rows] == [0]


def test_a_chunk_whose_workers_die_repeatedly_is_lost_without_output(
    workers: RayWorkers, capfd: pytest.CaptureFixture[str]
) -> None:
    done, kills = play_and_kill(workers, 100)
    assert capfd.readouterr() == ("", "")
    assert kills == 2
    assert done.error is not None
    assert "died" in done.error
    assert done.rows == ()


def test_a_chunk_without_a_result_in_time_is_lost(workers: RayWorkers) -> None:
    workers.submit(Chunk([Encounter(number, 0, 1) for number in range(1_000)]))
    while not playing_workers():
        assert workers.collect(0.05) == []
    [(key, task)] = workers._tasks.items()
    workers._tasks[key] = task._replace(deadline=time.monotonic())
    [done] = workers.collect(0.05)
    assert (done.rows, done.error) == ((), "no result in time")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while playing_workers():
        assert time.monotonic() < deadline


def test_ray_has_a_worker_for_each_cpu_and_two_chunks_for_each_worker(workers: RayWorkers) -> None:
    assert workers.size == os.cpu_count()
    given = 0
    while workers.wants_more:
        workers.submit(Chunk([]))
        given += 1
    assert given == 2 * workers.size
    found: list[ChunkResult] = []
    while len(found) < given:
        found += workers.collect(1.0)
    assert workers.wants_more


def test_an_overdue_bot_ends_its_worker_even_if_it_holds_the_interpreter_lock() -> None:
    words = (
        "import re, time; from gamehall.arena import ray_workers;"
        " ray_workers._set_deadline(time.monotonic() - ray_workers.SECONDS_OVERDUE + 0.01);"
        # This match takes practically for ever, and holds the interpreter lock.
        " re.match('(a*)*b', 'a' * 64)"
    )
    program = subprocess.run([sys.executable, "-c", words], timeout=PATIENCE_SECONDS, check=False)
    assert program.returncode == -signal.SIGALRM


def test_a_computer_with_another_version_does_not_play() -> None:
    config = ArenaConfig("go", {}, read_entries(["random", "greedy"], None), seed=1)
    with pytest.raises(WorkerPoolError, match="install the same version on all"):
        play_in_worker([], "a", config, "0.0.0", Chunk([]))


def test_the_time_limit_of_a_chunk_follows_from_the_limits_of_bots() -> None:
    by_move = Limits(seconds_per_move=2.0, moves=100)
    assert max_seconds(by_move, 3) > 3 * 2.0 * 100
    by_game = Limits(seconds_per_move=2.0, seconds_per_game=5.0)
    assert 2 * 5.0 < max_seconds(by_game, 1) < 2.0 * by_game.moves
    assert max_seconds(Limits(seconds_per_move=None), 1) == float("inf")


def test_bot_folders_are_linked_by_number_and_engines_get_absolute_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("sent", "one", "other"):
        Path(name).mkdir()
    Path("other", "bot.py").write_text(FATAL)
    texts = ["one/bot.py:A", "other/bot.py:B", "one/bot.py:C", "gtp:./go --x 'y z'", "gtp:go"]
    config = ArenaConfig("go", {}, read_entries(texts, None), seed=1)
    found = link_bot_folders(config, tmp_path / "sent").entries
    expected = ["0/bot.py:A", "1/bot.py:B", "0/bot.py:C", f"gtp:{tmp_path}/go --x 'y z'", "gtp:go"]
    assert [entry.text for entry in found] == expected
    assert (tmp_path / "sent" / "1" / "bot.py").read_text() == FATAL


def test_without_ray_the_error_says_what_to_install(tmp_path: Path) -> None:
    words = "import sys; sys.modules['ray'] = None; from gamehall.cli import main; main()"
    arguments = [
        "arena",
        "connect-four",
        "random",
        "greedy",
        "--data",
        str(tmp_path),
        "--on",
        "ray",
    ]
    program = subprocess.run(
        [sys.executable, "-c", words, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert program.returncode == 1
    assert program.stderr == "gamehall: Ray is not installed: pip install 'gamehall[ray]'\n"


def test_an_address_without_ray_is_an_error(tmp_path: Path) -> None:
    address = "ray://127.0.0.1:9"
    program = arena("random", "greedy", "--data", "here", "--on", address, folder=tmp_path)
    assert program.returncode == 1
    assert program.stderr == f"gamehall: cannot connect to Ray at {address}: Connection refused\n"


def test_an_invalid_address_is_an_error() -> None:
    config = ArenaConfig("go", {}, read_entries(["random", "greedy"], None), seed=1)
    with pytest.raises(WorkerPoolError, match="ray://HOST:PORT"):
        RayWorkers("a", config, "ray://127.0.0.1:x")
