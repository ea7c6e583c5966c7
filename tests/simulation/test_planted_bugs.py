"""The simulation is effective: it finds bugs that are planted in the server."""

from collections.abc import Iterator

import pytest

from tests.simulation import planted_bugs
from tests.simulation.event_log import Violation
from tests.simulation.planted_bugs import PlantedBug
from tests.simulation.world import run_world
from tests.support.replayed_rooms import Recordings

SEEDS = range(10)

SEEDS_TO_SEARCH = range(150)
"""The search ends with the first world that reports the expected violation."""

LOST_OR_WRONG_ENTRIES = [
    planted_bugs.DISK_LEAVES_OUT_ENTRIES,
    planted_bugs.HOST_DOES_NOT_JOURNAL_MOVES,
    planted_bugs.HOST_DOES_NOT_JOURNAL_REMATCHES,
    planted_bugs.REPLAY_HAS_ANOTHER_NOW,
]
WRONG_COMPACTIONS = [
    planted_bugs.COMPACTION_IS_ONE_ENTRY_OFF,
    planted_bugs.COMPACTION_FORGETS_WHAT_WAS_DRAWN,
]
CLOCKS_RUNNING_WHILE_PLAYERS_ARE_AWAY = [
    planted_bugs.CLOCK_RUNS_WHILE_ITS_PLAYER_IS_AWAY,
    planted_bugs.CLOCK_CATCHES_UP,
]
SEATS_TAKEN_BY_OTHERS = [
    planted_bugs.SECRET_IS_NOT_CHECKED,
    planted_bugs.ADDRESS_IS_NOT_CHECKED,
]
WITHDRAWN_PROMPTS = [
    planted_bugs.MATCH_DOES_NOT_ASK_AGAIN,
    planted_bugs.TABLE_DOES_NOT_ASK_AGAIN,
    planted_bugs.HOST_LOSES_PROMPTS,
    planted_bugs.MATCH_ENDS_WHILE_A_PLAYER_THINKS,
]
RESULTS_COUNTED_TWICE = [
    planted_bugs.RECORDS_ARE_WRITTEN_TWICE,
    planted_bugs.RECORDS_ARE_WRITTEN_FIRST,
    planted_bugs.POINTS_ARE_COUNTED_TWICE,
]
BUGS = {
    "a journal line is lost": LOST_OR_WRONG_ENTRIES,
    "is told before it is committed": [planted_bugs.HOST_DELIVERS_BEFORE_COMMIT],
    "a compacted journal gives another room": WRONG_COMPACTIONS,
    "a damaged journal is not noticed": [planted_bugs.JOURNAL_IS_NOT_CHECKED],
    "a clock runs while players are away": CLOCKS_RUNNING_WHILE_PLAYERS_ARE_AWAY,
    "a clock is not that of its room": [planted_bugs.CLOCK_IS_THAT_OF_THE_HALL],
    "a stall is not subtracted": [planted_bugs.STALL_IS_NOT_SUBTRACTED],
    "a clock runs while the disk is slow": [planted_bugs.CLOCK_RUNS_DURING_SLOW_COMMITS],
    "a prompt is withdrawn": WITHDRAWN_PROMPTS,
    "a result is counted twice": RESULTS_COUNTED_TWICE,
    "a seat is taken by another player": SEATS_TAKEN_BY_OTHERS,
    "a live connection is replaced": [planted_bugs.ADDRESS_REPLACES_A_LIVE_CONNECTION],
    "a name is taken twice": [planted_bugs.NAMES_ARE_TAKEN_TWICE],
    "a seat is kept too short": [planted_bugs.SEATS_ARE_KEPT_TOO_SHORT],
    "a lobby is out of step": [planted_bugs.LOBBY_IS_NOT_TOLD_OF_RESTORED_TABLES],
}
"""The bugs by the violation that they cause. A bug may cause other violations before it."""


@pytest.fixture(autouse=True)
def skip_replay_checks(recordings: Recordings) -> Iterator[None]:
    yield
    recordings.forget()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_worlds_have_no_violation_without_a_planted_bug(seed: int) -> None:
    run_world(seed)


@pytest.mark.parametrize(
    ("bug", "violation"),
    [pytest.param(bug, violation, id=str(bug)) for violation, bugs in BUGS.items() for bug in bugs],
)
def test_a_planted_bug_is_found(
    bug: PlantedBug, violation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug.install(monkeypatch)
    assert any(violation in violation_of(seed) for seed in SEEDS_TO_SEARCH)


def violation_of(seed: int) -> str:
    """Run a world and return its violation; empty if there is none."""
    try:
        run_world(seed)
    except Violation as found:
        return str(found).splitlines()[0]
    return ""
