"""A few worlds, always the same ones; `make simulate` runs many more."""

import os
import subprocess
import sys

import pytest

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
