"""`gamehall arena` is killed, stopped and resumed."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gamehall.storage import open_database
from tests.support.records import records_in

KILLS = int(os.environ.get("KILLS", "3"))
PROGRAM = (sys.executable, "-m", "gamehall", "arena")
BOTS = Path(__file__).parent.parent / "arena" / "bots.py"
GAME = (
    "connect-four",
    "random",
    "greedy",
    f"{BOTS}:Good",
    "--games",
    str(150 * KILLS),
    "--seed",
    "11",
)
TEST = ("connect-four", "random", "random", "--sprt", "elo0=0", "elo1=8", "--seed", "11")


def start(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*PROGRAM, "--name", "run", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Programs in the background may ignore SIGINT, and their children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def resume(folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*PROGRAM, "--resume", "run", "--json", "--data", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def summary_of(program: "subprocess.Popen[str]") -> dict[str, Any]:
    output, errors = program.communicate(timeout=120)
    assert program.returncode == 0, errors
    summary: dict[str, Any] = json.loads(output)
    for line in summary["lines"]:
        del line["seconds_per_move"]
    return summary


def has_run(folder: Path) -> bool:
    connection = open_database(folder).connect()
    try:
        return bool(connection.run("SELECT 1 FROM arenas"))
    finally:
        connection.close()


@pytest.mark.parametrize("words", [GAME, TEST], ids=["round robin", "sequential test"])
def test_kills_do_not_change_the_results(words: Sequence[str], tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    expected = summary_of(start(*words, "--json", "--data", str(whole)))
    chance = random.Random(KILLS)
    program = start(*words, "--json", "--data", str(broken))
    killed = 0
    while killed < KILLS:
        try:
            program.communicate(timeout=chance.uniform(0.3, 1.5))
        except subprocess.TimeoutExpired:
            if not has_run(broken):
                continue
            os.killpg(program.pid, signal.SIGKILL)
            program.communicate()
            killed += 1
        else:
            # The run is finished.
            break
        program = resume(broken)
    if killed == KILLS:
        program.communicate(timeout=120)
    assert killed, "the run finished before it could be killed"
    assert summary_of(resume(broken)) == expected
    assert records_in(broken) == records_in(whole)
    assert len(records_in(whole)) == expected["matches"]


def test_ctrl_c_stops_cleanly_and_says_how_to_resume(tmp_path: Path) -> None:
    words = ("connect-four", "random", "greedy", "--games", "100000", "--data", str(tmp_path))
    program = start(*words)
    while not (has_run(tmp_path) and records_in(tmp_path)):
        assert program.poll() is None
    program.send_signal(signal.SIGINT)
    output, errors = program.communicate(timeout=30)
    assert program.returncode == 1
    assert "greedy" in output
    [line] = errors.splitlines()
    assert line.startswith("gamehall: stopped after ")
    assert line.endswith("resume with: gamehall arena --resume run")


def test_no_worker_outlives_a_killed_arena(tmp_path: Path) -> None:
    program = start(*GAME, "--data", str(tmp_path))
    while not (has_run(tmp_path) and records_in(tmp_path)):
        assert program.poll() is None
    children = processes_of_session(program.pid)
    assert len(children) > 1
    program.kill()
    program.communicate(timeout=30)
    left = set(children)
    while left:
        left = {pid for pid in left if Path(f"/proc/{pid}").exists() and not is_zombie(pid)}


def processes_of_session(session: int) -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            found.append(int(file.parent.name))
    return found


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
