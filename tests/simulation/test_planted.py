"""The worlds are worth something: bugs that are planted in the hall are found in them."""

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

LOST_OR_WRONG_ENTRIES = [
    planted.DISK_LEAVES_OUT_ENTRIES,
    planted.HOST_DOES_NOT_JOURNAL_MOVES,
    planted.HOST_DOES_NOT_JOURNAL_REMATCHES,
    planted.REPLAY_HAS_ANOTHER_NOW,
]
WRONG_COMPACTIONS = [
    planted.COMPACTION_IS_ONE_ENTRY_OFF,
    planted.COMPACTION_FORGETS_WHAT_WAS_DRAWN,
]
CLOCKS_RUNNING_WHILE_PLAYERS_ARE_AWAY = [
    planted.CLOCK_WAITS_FOR_NOBODY,
    planted.CLOCK_CATCHES_UP,
    planted.CLOCK_IS_THAT_OF_THE_HALL,
]
WITHDRAWN_PROMPTS = [
    planted.MATCH_DOES_NOT_ASK_AGAIN,
    planted.TABLE_DOES_NOT_ASK_AGAIN,
    planted.HOST_LOSES_PROMPTS,
    planted.MATCH_ENDS_WHILE_A_PLAYER_THINKS,
]
RESULTS_COUNTED_TWICE = [
    planted.RECORDS_ARE_WRITTEN_TWICE,
    planted.RECORDS_ARE_WRITTEN_FIRST,
    planted.POINTS_ARE_COUNTED_TWICE,
]
PLANTS = {
    "a journal line is lost": LOST_OR_WRONG_ENTRIES,
    "is told before it is committed": [planted.HOST_DELIVERS_BEFORE_COMMIT],
    "a compacted journal gives another room": WRONG_COMPACTIONS,
    "a damaged journal is not noticed": [planted.JOURNAL_IS_NOT_CHECKED],
    "a clock runs while players are away": CLOCKS_RUNNING_WHILE_PLAYERS_ARE_AWAY,
    "a stall is not subtracted": [planted.STALL_IS_NOT_SUBTRACTED],
    "a clock runs while the disk is slow": [planted.CLOCK_RUNS_DURING_SLOW_COMMITS],
    "a prompt is withdrawn": WITHDRAWN_PROMPTS,
    "a result is counted twice": RESULTS_COUNTED_TWICE,
    "a lobby is out of step": [planted.LOBBY_IS_NOT_TOLD_OF_RESTORED_TABLES],
}
"""By what is said when they are found."""


@pytest.fixture(autouse=True)
def rooms_with_planted_bugs_are_not_replayed(recordings: Recordings) -> Iterator[None]:
    yield
    recordings.forget()


@pytest.mark.parametrize("seed", SEEDS)
def test_without_a_planted_bug_the_same_worlds_are_well(seed: int) -> None:
    run_world(seed)


@pytest.mark.parametrize(
    ("plant", "words"),
    [
        pytest.param(plant, words, id=str(plant))
        for words, plants in PLANTS.items()
        for plant in plants
    ],
)
def test_a_planted_bug_is_found(plant: Plant, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert words in what_is_found(plant, monkeypatch)


def what_is_found(plant: Plant, patch: pytest.MonkeyPatch) -> str:
    """Return what is wrong in the first of the worlds in which a planted bug shows."""
    plant.grow(patch)
    with pytest.raises(Violation) as found:
        deque(map(run_world, SEEDS_TO_SEARCH))
    return str(found.value).splitlines()[0]
