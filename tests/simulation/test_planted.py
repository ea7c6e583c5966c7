"""The worlds are worth something: bugs that are planted in the hall are found in them."""

from collections.abc import Iterator

import pytest

from tests.simulation import planted
from tests.simulation.chronicle import Violation
from tests.simulation.planted import Plant
from tests.simulation.world import run_world
from tests.support.replayed_rooms import Recordings

SEEDS = range(10)

SEEDS_TO_SEARCH = range(150)
"""The search ends with the first world in which the bug is called by its name."""

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
    planted.CLOCK_RUNS_WHILE_ITS_PLAYER_IS_AWAY,
    planted.CLOCK_CATCHES_UP,
]
SEATS_TAKEN_BY_OTHERS = [
    planted.SECRET_IS_NOT_CHECKED,
    planted.ADDRESS_IS_NOT_CHECKED,
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
    "a clock is not that of its room": [planted.CLOCK_IS_THAT_OF_THE_HALL],
    "a stall is not subtracted": [planted.STALL_IS_NOT_SUBTRACTED],
    "a clock runs while the disk is slow": [planted.CLOCK_RUNS_DURING_SLOW_COMMITS],
    "a prompt is withdrawn": WITHDRAWN_PROMPTS,
    "a result is counted twice": RESULTS_COUNTED_TWICE,
    "a seat is taken by another player": SEATS_TAKEN_BY_OTHERS,
    "a live connection is replaced": [planted.ADDRESS_REPLACES_A_LIVE_CONNECTION],
    "a name is taken twice": [planted.NAMES_ARE_TAKEN_TWICE],
    "a seat is kept too short": [planted.SEATS_ARE_KEPT_TOO_SHORT],
    "a lobby is out of step": [planted.LOBBY_IS_NOT_TOLD_OF_RESTORED_TABLES],
}
"""By what is said when they are found. A bug may be seen by something else first."""


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
    plant.grow(monkeypatch)
    assert any(words in what_is_found(seed) for seed in SEEDS_TO_SEARCH)


def what_is_found(seed: int) -> str:
    """Return what is wrong in a world; empty if nothing is."""
    try:
        run_world(seed)
    except Violation as found:
        return str(found).splitlines()[0]
    return ""
