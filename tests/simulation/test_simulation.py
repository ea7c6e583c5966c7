"""A few worlds, always the same ones; `make simulate` runs many more."""

import os
import re
import subprocess
import sys

import pytest

from tests.simulation.__main__ import main
from tests.simulation.chronicle import Violation
from tests.simulation.world import World, run_world

SEEDS = range(16)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_hall_keeps_its_promises_in_a_world_of_trouble(seed: int) -> None:
    run_world(seed)


def test_equal_seeds_give_equal_worlds_whatever_the_hashes_are() -> None:
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
    assert digests == {f"{run_world(seed).chronicle.digest}\n".encode()}


def test_other_seeds_give_other_worlds() -> None:
    assert World(1).chronicle.digest != World(2).chronicle.digest


def test_a_world_that_fails_tells_its_seed_and_what_happened_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fall_over(world: World) -> None:
        raise RuntimeError("the sky falls")

    monkeypatch.setattr(World, "_check_empty", fall_over)
    with pytest.raises(Violation, match=r"(?s)seed 5: RuntimeError: the sky falls\n.* goes: "):
        run_world(5)


def test_how_many_worlds_run_at_a_time_changes_nothing() -> None:
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


def test_the_first_world_that_fails_is_the_last_and_can_be_repeated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fall_over(world: World) -> None:
        raise RuntimeError("the sky falls")

    monkeypatch.setattr(World, "run", fall_over)
    monkeypatch.setattr(sys, "argv", ["simulation", "10", "--first", "7"])
    assert main() == 1
    told = capsys.readouterr().out
    assert told.count("the sky falls") == 1
    assert told.endswith("\n\npython -m tests.simulation --seed 7\n")
