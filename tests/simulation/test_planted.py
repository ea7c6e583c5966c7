"""Whether the worlds are worth anything: bugs that are planted in the hall are found in them."""

from collections import deque
from collections.abc import Iterator

import pytest

from tests.simulation import planted
from tests.simulation.chronicle import Violation
from tests.simulation.planted import Plant
from tests.simulation.world import run_world
from tests.support.replayed_rooms import Recordings

SEEDS = range(10)

SEEDS_TO_SEARCH = range(60)
"""A planted bug shows in one world of ten at least; the search ends with the first."""

LOST_LINES = [
    planted.DISK_LEAVES_OUT_LINES,
    planted.ROOM_DOES_NOT_NOTE_MOVES,
    planted.ROOM_DOES_NOT_NOTE_REMATCHES,
    planted.ROOM_ANSWERS_BEFORE_IT_IS_SAFE,
]
RUNNING_CLOCKS = [
    planted.CLOCK_WAITS_FOR_NOBODY,
    planted.CLOCK_CATCHES_UP,
    planted.CLOCK_IS_THAT_OF_THE_HALL,
]
WITHDRAWN_PROMPTS = [
    planted.MATCH_DOES_NOT_ASK_AGAIN,
    planted.TABLE_DOES_NOT_ASK_AGAIN,
    planted.USHER_LOSES_PROMPTS,
    planted.MATCH_ENDS_WHILE_SOMEBODY_THINKS,
]
RESULTS_COUNTED_TWICE = [
    planted.RECORDS_ARE_KEPT_AGAIN,
    planted.RECORDS_ARE_WRITTEN_FIRST,
    planted.POINTS_ARE_COUNTED_TWICE,
]


@pytest.fixture(autouse=True)
def rooms_with_planted_bugs_are_not_replayed(recordings: Recordings) -> Iterator[None]:
    yield
    recordings.forget()


@pytest.mark.parametrize("seed", SEEDS)
def test_without_a_planted_bug_the_same_worlds_are_well(seed: int) -> None:
    run_world(seed)


@pytest.mark.parametrize("plant", LOST_LINES, ids=str)
def test_a_lost_journal_line_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "a journal line is lost" in what_is_found(plant, monkeypatch)


@pytest.mark.parametrize("plant", RUNNING_CLOCKS, ids=str)
def test_a_clock_that_runs_while_players_are_away_is_found(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "a clock runs while players are away" in what_is_found(plant, monkeypatch)


@pytest.mark.parametrize("plant", WITHDRAWN_PROMPTS, ids=str)
def test_a_withdrawn_prompt_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "a prompt is withdrawn" in what_is_found(plant, monkeypatch)


@pytest.mark.parametrize("plant", RESULTS_COUNTED_TWICE, ids=str)
def test_a_result_that_is_counted_twice_is_found(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "a result is counted twice" in what_is_found(plant, monkeypatch)


def what_is_found(plant: Plant, patch: pytest.MonkeyPatch) -> str:
    """What is wrong, in words, in the first of the worlds in which a planted bug shows."""
    plant.grow(patch)
    with pytest.raises(Violation) as found:
        deque(map(run_world, SEEDS_TO_SEARCH))
    return str(found.value).splitlines()[0]
