"""Ratings and their errors."""

import math
import random

import choix
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from gamehall.tournaments.ratings import ELO, Z_95, Ratings, below, rate, to_normal, to_student
from gamehall.tournaments.tally import DRAW, LOSS, WIN, EncounterResult, Points, Tally

MEETINGS = st.lists(
    st.builds(
        lambda one, step, points: EncounterResult(one, (one + step) % 4, tuple(points)),
        st.integers(0, 3),
        st.integers(1, 3),
        st.lists(st.sampled_from([WIN, DRAW, LOSS]), min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=30,
)


def tallied(players: int, results: list[EncounterResult]) -> Tally:
    tally = Tally(players)
    for result in results:
        tally.add(result)
    return tally


def of_two(*results: tuple[Points, int]) -> Ratings:
    tally = Tally(2)
    for points, times in results:
        tally.add(EncounterResult(0, 1, points), times)
    return rate(tally)


def swapped_pair(chance: random.Random, lead_elo: float, draws: float, likeness: float) -> Points:
    """Two matches, in each of which the expected score is that of the lead.

    With a likeness above 0 they often end alike, with one below 0 often the other way round, as
    when the opening favours a side. So many of the matches of equals are draws.
    """
    share = 1 / (1 + math.exp(-lead_elo / ELO))
    half = draws * min(share, 1 - share)
    first = chance.random()
    second = first if likeness > 0 else 1 - first
    if chance.random() >= abs(likeness):
        second = chance.random()
    return tuple(
        WIN if u < share - half else DRAW if u < share + half else LOSS for u in (first, second)
    )


@pytest.mark.parametrize(
    ("players", "encounters", "draws", "likeness"),
    [(2, 30, 0.3, -0.6), (2, 8, 0.5, 0.4), (3, 20, 0.0, 0.7), (5, 6, 0.4, -0.3), (8, 4, 0.2, 0.5)],
)
def test_true_differences_lie_within_their_intervals(
    players: int, encounters: int, draws: float, likeness: float
) -> None:
    chance = random.Random(players)
    inside = differences = 0
    for _ in range(100):
        true = [chance.gauss(0, 100) for _ in range(players)]
        tally = Tally(players)
        for one in range(players):
            for other in range(one):
                for _ in range(encounters):
                    points = swapped_pair(chance, true[one] - true[other], draws, likeness)
                    tally.add(EncounterResult(one, other, points))
        ratings = rate(tally)
        for other in range(1, players):
            interval = ratings.difference(0, other)
            inside += interval.low <= true[0] - true[other] <= interval.high
            differences += 1
    assert inside >= 0.93 * differences


def test_intervals_are_no_wider_than_they_need_to_be() -> None:
    by_chance = of_two(((WIN,), 550), ((LOSS,), 450)).difference(0, 1)
    share_error = math.sqrt(0.55 * 0.45 / 1000)
    assert by_chance.estimate == pytest.approx(400 * math.log10(0.55 / 0.45))
    assert by_chance.high - by_chance.low == pytest.approx(
        2 * 1.96 * share_error / (0.55 * 0.45) * ELO, rel=0.02
    )


def test_draws_make_errors_smaller() -> None:
    decisive = of_two(((WIN,), 100), ((LOSS,), 100))
    drawn = of_two(((WIN,), 20), ((LOSS,), 20), ((DRAW,), 160))
    assert drawn.error(0) < 0.55 * decisive.error(0)


def test_similar_matches_make_errors_larger() -> None:
    single = of_two(((WIN,), 200), ((LOSS,), 200))
    alike = of_two(((WIN, WIN), 100), ((LOSS, LOSS), 100))
    opposed = of_two(((WIN, LOSS), 170), ((WIN, WIN), 15), ((LOSS, LOSS), 15))
    assert alike.error(0) == pytest.approx(math.sqrt(2) * single.error(0), rel=0.03)
    assert opposed.error(0) < 0.7 * single.error(0)


@pytest.mark.parametrize(("draws", "least", "most"), [(3, 200, 600), (10, 80, 200), (100, 8, 25)])
def test_only_draws_leave_an_error(draws: int, least: float, most: float) -> None:
    interval = of_two(((DRAW,), draws)).difference(0, 1)
    assert interval.estimate == pytest.approx(0)
    assert least < interval.high < most
    assert interval.low == pytest.approx(-interval.high)


def test_ten_wins_of_ten_are_significant_and_finite() -> None:
    ratings = of_two(((WIN,), 10))
    low = ratings.difference(0, 1).low
    # The leads at which ten wins of ten have a likelihood of 1/40 and of 1/4.
    assert 400 * math.log10(1 / (40**0.1 - 1)) < low < 400 * math.log10(1 / (4**0.1 - 1))
    assert ratings.is_bounded
    assert 300 < ratings.difference(0, 1).estimate < 800
    assert 0.995 < ratings.superiority(0, 1) < 1


def test_one_win_is_not_significant() -> None:
    ratings = of_two(((WIN,), 1))
    assert ratings.difference(0, 1).low < 0 < ratings.difference(0, 1).estimate
    assert 0.6 < ratings.superiority(0, 1) < 0.9


def test_a_higher_share_of_wins_is_more_significant() -> None:
    superiorities = [of_two(((WIN,), wins)).superiority(0, 1) for wins in range(1, 30)]
    assert superiorities == sorted(superiorities)


def test_virtual_draws_bound_a_player_without_losses() -> None:
    ratings = rate(tallied(3, [EncounterResult(0, 1, (WIN,)), EncounterResult(1, 2, (WIN, WIN))]))
    assert ratings.is_bounded
    assert 1000 > ratings.elo[0] > ratings.elo[1] > ratings.elo[2] > -1000
    assert not rate(tallied(2, [EncounterResult(0, 1, (WIN, LOSS))])).is_bounded


def test_a_player_without_encounters_has_an_unknown_rating_of_0() -> None:
    ratings = rate(tallied(3, [EncounterResult(0, 1, (WIN, LOSS)), EncounterResult(0, 1, (WIN,))]))
    assert ratings.elo[2] == 0
    assert ratings.error(2) == math.inf
    assert ratings.difference(0, 2) == (0, -math.inf, math.inf)
    assert ratings.superiority(2, 0) == 0.5
    assert not ratings.is_bounded
    assert rate(Tally(2)).elo == [0, 0]


def test_groups_that_never_met_are_rated_separately() -> None:
    ratings = rate(
        tallied(4, [EncounterResult(0, 1, (WIN, DRAW)), EncounterResult(2, 3, (DRAW, LOSS))] * 5)
    )
    assert ratings.is_bounded
    assert ratings.elo[0] == pytest.approx(-ratings.elo[1]) == pytest.approx(ratings.elo[3])
    assert ratings.difference(0, 2).high == math.inf
    assert ratings.error(0) < math.inf


def test_removed_encounters_do_not_count() -> None:
    tally = tallied(2, [EncounterResult(0, 1, (WIN,)), EncounterResult(0, 1, (DRAW,))])
    tally.add(EncounterResult(1, 0, (LOSS,)), -1)
    assert rate(tally).elo == pytest.approx([0, 0])
    tally.add(EncounterResult(0, 1, (DRAW,)), -1)
    assert rate(tally).error(0) == math.inf


def test_an_encounter_without_matches_does_not_count() -> None:
    assert rate(tallied(2, [EncounterResult(0, 1, ())])).error(0) == math.inf


def test_a_player_is_as_strong_as_itself() -> None:
    ratings = of_two(((WIN, LOSS), 3))
    assert ratings.difference(1, 1) == (0, 0, 0)
    assert ratings.superiority(1, 1) == 0.5


@pytest.mark.parametrize("players", [2, 3, 7, 20])
def test_ratings_agree_with_another_implementation(players: int) -> None:
    chance = random.Random(players)
    tally = Tally(players)
    won = np.zeros((players, players))
    for one in range(players):
        for other in range(one):
            for point in [WIN, LOSS, *chance.choices([WIN, DRAW, LOSS], k=5)]:
                tally.add(EncounterResult(one, other, (point,)))
                won[one, other] += point
                won[other, one] += WIN - point
    ours = rate(tally)
    theirs = ELO * choix.ilsr_pairwise_dense(won, alpha=0.0, max_iter=1000, tol=1e-10)
    assert ours.elo == pytest.approx(list(theirs - theirs.mean()), abs=1)
    doubled = [
        (one, other)
        for one in range(players)
        for other in range(players)
        for _ in range(round(2 * won[one, other]))
    ]
    theirs = ELO * choix.opt_pairwise(players, doubled, alpha=0.0)
    assert ours.elo == pytest.approx(list(theirs - theirs.mean()), abs=1)


def test_scores_equal_those_that_the_ratings_predict() -> None:
    chance = random.Random(5)
    tally = Tally(50)
    for one in range(50):
        for other in [(one + step) % 50 for step in (1, 7, 11)]:
            points = tuple(chance.choice([WIN, DRAW, LOSS]) for _ in range(4))
            tally.add(EncounterResult(one, other, points))
    ratings = rate(tally)
    assert not ratings.is_bounded
    for one in range(50):
        expected = sum(
            tally.matches_of(one, other)
            / (1 + 10 ** ((ratings.elo[other] - ratings.elo[one]) / 400))
            for other in range(50)
        )
        scored = sum(tally.score_of(one, other) for other in range(50))
        assert expected == pytest.approx(scored, abs=1e-9)


def test_lopsided_results_have_a_rating() -> None:
    ratings = of_two(((WIN,), 1_000_000), ((LOSS,), 1))
    assert ratings.difference(0, 1).estimate == pytest.approx(2400, abs=1e-6)


@given(MEETINGS)
@settings(max_examples=60)
def test_ratings_are_finite_and_0_on_average(results: list[EncounterResult]) -> None:
    ratings = rate(tallied(4, results))
    assert sum(ratings.elo) == pytest.approx(0, abs=1e-6)
    assert all(abs(elo) < 3000 for elo in ratings.elo)
    for one in range(4):
        assert ratings.error(one) > 0
        for other in range(one):
            estimate, low, high = ratings.difference(one, other)
            assert low < estimate < high
            assert ratings.superiority(one, other) + ratings.superiority(other, one) == (
                pytest.approx(1)
            )


@given(MEETINGS, st.randoms(use_true_random=False), st.permutations(range(4)))
@settings(max_examples=60)
def test_neither_names_nor_order_matter(
    results: list[EncounterResult], chance: random.Random, names: list[int]
) -> None:
    renamed = [EncounterResult(names[m.one], names[m.other], m.points) for m in results]
    chance.shuffle(renamed)
    before, after = rate(tallied(4, results)), rate(tallied(4, renamed))
    assert [after.elo[name] for name in names] == pytest.approx(before.elo, abs=1e-6)
    assert [after.error(name) for name in names] == pytest.approx(
        [before.error(player) for player in range(4)]
    )


@given(MEETINGS)
@settings(max_examples=60)
def test_swapping_winners_and_losers_negates_the_ratings(results: list[EncounterResult]) -> None:
    lost = [EncounterResult(m.other, m.one, m.points) for m in results]
    before, after = rate(tallied(4, results)), rate(tallied(4, lost))
    assert after.elo == pytest.approx([-elo for elo in before.elo], abs=1e-6)
    mirrored = before.difference(0, 1)
    assert after.difference(0, 1) == pytest.approx(
        (-mirrored.estimate, -mirrored.high, -mirrored.low), abs=1e-5
    )


@given(MEETINGS, st.integers(0, 3), st.integers(1, 3))
@settings(max_examples=60)
def test_another_win_never_lowers_a_rating(
    results: list[EncounterResult], one: int, step: int
) -> None:
    other = (one + step) % 4
    before = rate(tallied(4, results))
    # The first link between groups changes the average to which their ratings are relative.
    assume(before.difference(one, other).high < math.inf)
    after = rate(tallied(4, [*results, EncounterResult(one, other, (WIN,))]))
    # With this win virtual draws are no longer needed, so the ratings spread.
    assume(before.is_bounded == after.is_bounded)
    assert after.elo[one] >= before.elo[one] - 1e-6
    assert after.elo[other] <= before.elo[other] + 1e-6


@given(st.floats(-6, 6), st.floats(3, 1000))
def test_the_approximation_of_students_distribution_is_close(z: float, freedom: float) -> None:
    assert below(z) == pytest.approx(norm.cdf(z), rel=1e-9)
    assert to_normal(to_student(z, freedom), freedom) == pytest.approx(z, abs=1e-6)
    assert below(to_normal(z, freedom)) == pytest.approx(student.cdf(z, freedom), abs=0.003)
    assert to_student(Z_95, freedom) == pytest.approx(student.ppf(0.975, freedom), rel=0.02)
