"""Two players meet until a sequential test has come to a verdict."""

import pytest

from gamehall.tournaments.formats.format import Encounter
from gamehall.tournaments.formats.sprt import SprtFormat
from gamehall.tournaments.sprt import Sprt, SprtVerdict

TEST = Sprt(0, 100, 0.05, 0.05)
WON, DRAWN, LOST = (1.0, 1.0), (0.5, 0.5), (0.0, 0.0)


def deciding_number(points: tuple[float, float]) -> int:
    """After how many encounters that all come to this the test has its verdict, less one."""
    counts = [0] * 5
    for number in range(1000):
        counts[round(2 * sum(points))] += 1
        if TEST.verdict(tuple(counts)) is not SprtVerdict.GOES_ON:
            return number
    raise AssertionError("there is no verdict")


def test_results_are_seen_in_the_order_of_numbers() -> None:
    """Wins that come in early do not count before what was begun earlier has ended."""
    contest = SprtFormat(TEST, 2000, True, encounters_per_look=1)
    contest.take()
    last = deciding_number(WON)
    for number in range(last + 20, 0, -1):
        contest.note(number, WON)
        assert not contest.is_over
    contest.note(0, WON)
    assert contest.is_over
    assert contest.verdict is SprtVerdict.ACCEPTED
    assert contest.sums == (0, 0, 0, 0, last + 1)


def test_what_was_played_beyond_the_deciding_encounter_does_not_count() -> None:
    contest = SprtFormat(TEST, 2000, True, encounters_per_look=1)
    contest.take()
    last = deciding_number(LOST)
    for number in range(last + 5, last, -1):
        contest.note(number, WON)
    for number in range(last + 1):
        assert contest.counts(last + 5)
        contest.note(number, LOST)
    assert contest.verdict is SprtVerdict.REJECTED
    assert contest.counts(last)
    assert not contest.counts(last + 1)
    assert contest.expected == last + 1
    contest.note(last + 6, WON)
    assert contest.sums == (last + 1, 0, 0, 0, 0)
    assert contest.take() == []


def test_it_looks_after_every_eighth_encounter_and_at_the_end() -> None:
    contest = SprtFormat(TEST, 2000, True)
    contest.take()
    last = deciding_number(WON)
    assert last % 8 != 7
    for number in range(256):
        if contest.is_over:
            break
        contest.note(number, WON)
    assert contest.expected == (last // 8 + 1) * 8


def test_encounters_are_taken_ahead_of_the_first_unplayed() -> None:
    contest = SprtFormat(TEST, 2000, True, encounters_ahead=3)
    assert [encounter.number for encounter in contest.take()] == [0, 1, 2]
    contest.note(1, DRAWN)
    assert contest.take() == []
    contest.note(0, DRAWN)
    assert [encounter.number for encounter in contest.take()] == [3, 4]


def test_by_default_256_encounters_are_taken_ahead() -> None:
    assert len(SprtFormat(TEST, 2000, True).take()) == 256


def test_single_matches_are_begun_in_turn_and_scored_for_player_0() -> None:
    contest = SprtFormat(TEST, 4, False)
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 1), (1, 0)] * 2
    for number in range(3):
        contest.note(number, (1.0,))
    assert contest.sums == (1, 0, 2)


def test_pairs_of_matches_are_begun_by_player_0() -> None:
    assert SprtFormat(TEST, 4, True).take() == [Encounter(0, 0, 1), Encounter(1, 0, 1)]


def test_when_all_games_are_played_it_ends_undecided() -> None:
    contest = SprtFormat(TEST, 4, True)
    contest.take()
    contest.note(0, DRAWN)
    assert contest.expected is None
    assert contest.remark().endswith("after 1 encounters: goes on")
    contest.note(1, (1.0, 0.5))
    assert contest.is_over
    assert contest.verdict is SprtVerdict.GOES_ON
    assert contest.expected == 2
    assert contest.counts(1)
    assert contest.ranking() is None
    assert contest.remark().endswith("(-2.94 to 2.94) after 2 encounters: undecided")


@pytest.mark.parametrize(
    ("points", "verdict"),
    [
        (WON, "accepted, the gain is more like 100 Elo"),
        (LOST, "rejected, the gain is more like 0 Elo"),
    ],
)
def test_the_remark_tells_the_verdict(points: tuple[float, float], verdict: str) -> None:
    contest = SprtFormat(TEST, 2000, True, encounters_per_look=1)
    contest.take()
    for number in range(deciding_number(points) + 1):
        contest.note(number, points)
    assert contest.remark().startswith(f"LLR {TEST.llr(contest.sums):.2f} (-2.94 to 2.94) after ")
    assert contest.remark().endswith(f": {verdict}")


@pytest.mark.parametrize(
    ("games", "players", "encounters_ahead", "reason"),
    [
        (3, 2, 1, "must be even, not 3"),
        (2, 3, 1, "compares 2 players, not 3"),
        (2, 2, 0, "encounters_ahead must be at least 1, not 0"),
    ],
)
def test_what_is_no_test_of_two_players_is_refused(
    games: int, players: int, encounters_ahead: int, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        SprtFormat(TEST, games, True, players=players, encounters_ahead=encounters_ahead)
