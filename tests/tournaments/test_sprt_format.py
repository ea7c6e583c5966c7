"""The format of the sequential test."""

import pytest

from gamehall.tournaments.formats.format import Encounter
from gamehall.tournaments.formats.sprt import SprtFormat
from gamehall.tournaments.sprt import Sprt, SprtVerdict

TEST = Sprt(0, 100, 0.05, 0.05)
WON, DRAWN, LOST = (1.0, 1.0), (0.5, 0.5), (0.0, 0.0)


def deciding_number(points: tuple[float, float]) -> int:
    """Return how many encounters with these points are played before the deciding one."""
    counts = [0] * 5
    for number in range(1000):
        counts[round(2 * sum(points))] += 1
        if TEST.verdict(tuple(counts)) is not SprtVerdict.GOES_ON:
            return number
    raise AssertionError("there is no verdict")


def test_results_are_tested_in_the_order_of_numbers() -> None:
    """Early wins do not count before the encounters with lower numbers have ended."""
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


def test_encounters_after_the_deciding_one_do_not_count() -> None:
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


def test_the_test_is_evaluated_after_every_eighth_encounter_and_at_the_end() -> None:
    contest = SprtFormat(TEST, 2000, True)
    contest.take()
    last = deciding_number(WON)
    assert last % 8 != 7
    for number in range(256):
        if contest.is_over:
            break
        contest.note(number, WON)
    assert contest.expected == (last // 8 + 1) * 8


def test_encounters_are_taken_ahead_of_the_first_unplayed_one() -> None:
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


def test_it_ends_undecided_when_all_games_are_played() -> None:
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
def test_the_remark_contains_the_verdict(points: tuple[float, float], verdict: str) -> None:
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
def test_invalid_arguments_are_rejected(
    games: int, players: int, encounters_ahead: int, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        SprtFormat(TEST, games, True, players=players, encounters_ahead=encounters_ahead)
