"""Runs on Ray: the same as on this machine's own workers, whatever becomes of Ray's."""

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
from gamehall.arena.ray_workers import RayWorkers, gather, play_there, seconds_at_most
from gamehall.arena.workers import Chunk, Done, WorkerPoolError
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


class Kept(NamedTuple):
    """What a run has left: its standings without times, its records, what was printed besides."""

    standings: dict[str, Any]
    records: list[bytes]
    errors: str


def arena(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [GAMEHALL, "arena", "connect-four", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def played(where: str, folder: Path) -> Kept:
    """A run of two bots of the house and two of somebody's own, in files of the same name."""
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
    return Kept(standings, records, program.stderr)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kept, Kept]:
    """The same run on this machine's own workers, and on Ray."""
    folder = tmp_path_factory.mktemp("bots")
    for place in ("one", "other"):
        (folder / place).mkdir()
    (folder / "one" / "bot.py").write_text(OWN)
    (folder / "one" / "advice.py").write_text(ADVICE)
    (folder / "one" / ".gitignore").write_text("advice.py\n")
    (folder / "other" / "bot.py").write_text(FATAL)
    return played("local", folder), played("ray", folder)


def test_ray_comes_to_the_same_standings(both: tuple[Kept, Kept]) -> None:
    local, on_ray = both
    assert on_ray.standings == local.standings
    assert on_ray.standings["matches"] == 36


def test_ray_leaves_the_same_records(both: tuple[Kept, Kept]) -> None:
    local, on_ray = both
    assert on_ray.records == local.records
    assert len(on_ray.records) == 36


def test_a_bot_of_ones_own_plays_on_ray_with_what_lies_beside_it(both: tuple[Kept, Kept]) -> None:
    [line] = [line for line in both[1].standings["lines"] if line["name"] == "Own"]
    assert line["faults"] == {}
    assert line["matches"] == 18


def test_a_bot_that_kills_its_program_on_ray_loses_those_games_only(
    both: tuple[Kept, Kept],
) -> None:
    on_ray = both[1].standings
    faults = {line["name"]: line["faults"] for line in on_ray["lines"]}
    crashed = faults.pop("Fatal")["crashed"]
    assert faults == {"random": {}, "greedy": {}, "Own": {}}
    assert on_ray["endings"] == {"crashed": crashed, "played out": 36 - crashed}
    assert "exit code 7" in on_ray["faults"][0]["detail"]


def test_ray_prints_nothing(both: tuple[Kept, Kept]) -> None:
    assert both[1].errors == ""


@pytest.fixture(scope="module")
def workers() -> Iterator[RayWorkers]:
    bots = read_entries(["random", "mcts@0.4"], None)
    config = ArenaConfig("connect-four", {}, bots, seed=1, in_pairs=False)
    workers = RayWorkers("a", config, None)
    yield workers
    workers.close()


def workers_at_play() -> list[int]:
    """The numbers of the programs that Ray has started for us, and that play."""
    parents, playing = {}, []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
            if (folder / "cmdline").read_bytes().startswith(b"ray::play"):
                playing.append(int(folder.name))
        except OSError:
            # It has ended while we looked.
            continue
    return [number for number in playing if parents.get(parents[number]) == os.getpid()]


def play_and_kill(workers: RayWorkers, most_kills: int) -> tuple[Done, int]:
    """What comes of an encounter whose worker is killed so many times, and how often it was."""
    workers.give(Chunk([Encounter(0, 0, 1)]))
    killed: set[int] = set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if len(killed) < most_kills:
            for number in set(workers_at_play()) - killed:
                killed.add(number)
                os.kill(number, signal.SIGKILL)
        for done in workers.take(0.05):
            return done, len(killed)
    raise AssertionError("nothing has come back")


def test_a_chunk_whose_worker_dies_is_played_by_another(workers: RayWorkers) -> None:
    done, kills = play_and_kill(workers, 1)
    assert kills == 1
    assert done.error is None
    assert [row.encounter for row in done.rows] == [0]


def test_a_chunk_whose_workers_die_again_and_again_is_lost_quietly(
    workers: RayWorkers, capfd: pytest.CaptureFixture[str]
) -> None:
    done, kills = play_and_kill(workers, 100)
    assert capfd.readouterr() == ("", "")
    assert kills == 2
    assert done.error is not None
    assert "died" in done.error
    assert done.rows == ()


def test_a_chunk_that_never_comes_back_is_given_up(workers: RayWorkers) -> None:
    workers.give(Chunk([Encounter(number, 0, 1) for number in range(1_000)]))
    while not workers_at_play():
        assert workers.take(0.05) == []
    [(task, what)] = workers._under_way.items()
    workers._under_way[task] = what._replace(deadline=time.monotonic())
    [done] = workers.take(0.05)
    assert (done.rows, done.error) == ((), "nothing has come back")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while workers_at_play():
        assert time.monotonic() < deadline


def test_ray_has_a_worker_for_each_cpu_and_two_chunks_for_each_worker(workers: RayWorkers) -> None:
    assert workers.size == os.cpu_count()
    given = 0
    while workers.wants_more:
        workers.give(Chunk([]))
        given += 1
    assert given == 2 * workers.size
    found: list[Done] = []
    while len(found) < given:
        found += workers.take(1.0)
    assert workers.wants_more


def test_a_worker_ends_when_a_bot_is_overdue_even_if_nothing_else_can_run() -> None:
    words = (
        "import re, time; from gamehall.arena import ray_workers;"
        " ray_workers._watch(time.monotonic() - ray_workers.SECONDS_OVERDUE + 0.01);"
        # This does not let go of the interpreter until the end of all days.
        " re.match('(a*)*b', 'a' * 64)"
    )
    program = subprocess.run([sys.executable, "-c", words], timeout=PATIENCE_SECONDS, check=False)
    assert program.returncode == -signal.SIGALRM


def test_a_machine_with_another_version_does_not_play() -> None:
    config = ArenaConfig("go", {}, read_entries(["random", "greedy"], None), seed=1)
    with pytest.raises(WorkerPoolError, match="install the same on all"):
        play_there([], "a", config, "0.0.0", Chunk([]))


def test_a_chunk_may_take_what_its_limits_allow() -> None:
    by_move = Limits(seconds_per_move=2.0, moves=100)
    assert seconds_at_most(by_move, 3) > 3 * 2.0 * 100
    by_game = Limits(seconds_per_move=2.0, seconds_per_game=5.0)
    assert 2 * 5.0 < seconds_at_most(by_game, 1) < 2.0 * by_game.moves
    assert seconds_at_most(Limits(seconds_per_move=None), 1) == float("inf")


def test_bots_of_two_folders_are_sent_apart_and_engines_stay_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("sent", "one", "other"):
        Path(name).mkdir()
    Path("other", "bot.py").write_text(FATAL)
    texts = ["one/bot.py:A", "other/bot.py:B", "one/bot.py:C", "gtp:./go --x 'y z'", "gtp:go"]
    config = ArenaConfig("go", {}, read_entries(texts, None), seed=1)
    found = gather(config, tmp_path / "sent").entries
    there = ["0/bot.py:A", "1/bot.py:B", "0/bot.py:C", f"gtp:{tmp_path}/go --x 'y z'", "gtp:go"]
    assert [entry.text for entry in found] == there
    assert (tmp_path / "sent" / "1" / "bot.py").read_text() == FATAL


def test_where_ray_is_missing_a_line_says_how_to_have_it(tmp_path: Path) -> None:
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
    assert program.stderr == "gamehall: Ray is not installed: pip install 'ray[client]'\n"


def test_where_no_ray_is_a_line_says_so(tmp_path: Path) -> None:
    address = "ray://127.0.0.1:9"
    program = arena("random", "greedy", "--data", "here", "--on", address, folder=tmp_path)
    assert program.returncode == 1
    assert program.stderr == f"gamehall: there is no Ray at {address}: Connection refused\n"


def test_what_is_no_address_is_not_tried() -> None:
    config = ArenaConfig("go", {}, read_entries(["random", "greedy"], None), seed=1)
    with pytest.raises(WorkerPoolError, match="ray://HOST:PORT"):
        RayWorkers("a", config, "ray://127.0.0.1:x")
