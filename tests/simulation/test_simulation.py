"""Run a few worlds, always the same; `make simulate` runs many more."""

import os
import re
import subprocess
import sys

import pytest

from tests.simulation.__main__ import main
from tests.simulation.event_log import Violation
from tests.simulation.world import World, run_world

SEEDS = range(16)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_world_with_faults_has_no_violation(seed: int) -> None:
    run_world(seed)


def test_equal_seeds_give_equal_worlds_with_any_hash_seed() -> None:
    seed = 3
    digests = {
        subprocess.run(
            [sys.executable, "-m", "tests.simulation", "--digest", str(seed)],
            env=os.environ | {"PYTHONHASHSEED": hashing},
            check=True,
            capture_output=True,
        ).stdout
        for hashing in ("1", "2")
    }
    assert digests == {f"{run_world(seed).event_log.digest}\n".encode()}


def test_different_seeds_give_different_worlds() -> None:
    assert World(1).event_log.digest != World(2).event_log.digest


def test_a_violation_contains_the_seed_and_the_last_log_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(world: World) -> None:
        raise RuntimeError("a planted error")

    monkeypatch.setattr(World, "_check_empty", fail)
    with pytest.raises(Violation, match=r"(?s)seed 5: RuntimeError: a planted error\n.* leaves: "):
        run_world(5)


def test_the_number_of_jobs_does_not_change_the_totals() -> None:
    totals = {
        subprocess.run(
            [sys.executable, "-m", "tests.simulation", "2", "--jobs", jobs],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.rpartition(", ")[0]
        for jobs in ("1", "2")
    }
    [total] = totals
    assert re.fullmatch(
        r"\nall is well: 2 worlds, \d+ matches, \d+ moves, \d+ crashes, \d+ lost connections", total
    )


def test_a_run_stops_at_the_first_failing_world_and_prints_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(world: World) -> None:
        raise RuntimeError("a planted error")

    monkeypatch.setattr(World, "run", fail)
    monkeypatch.setattr(sys, "argv", ["simulation", "10", "--first", "7"])
    assert main() == 1
    told = capsys.readouterr().out
    assert told.count("a planted error") == 1
    assert told.endswith("\n\npython -m tests.simulation --seed 7\n")
