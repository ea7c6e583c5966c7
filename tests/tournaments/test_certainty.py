"""The doubt about goals, and goals as text."""

import math
import random
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamehall.tournaments.formats.adaptive import Goal, doubt, read_goal, worst_pairs
from gamehall.tournaments.ratings import Ratings, rate
from gamehall.tournaments.tally import DRAW, LOSS, WIN, EncounterResult, Points, Tally

BEST = Goal(1, 0.95)


def pair_of_matches(chance: random.Random, lead_elo: float) -> Points:
    """Return the points of two matches with one opening, which may favour a side."""
    share = 1 / (1 + 10 ** (-lead_elo / 400))
    half = min(share, 1 - share) / 3
    first = chance.random()
    second = 1 - first if chance.random() < 0.3 else chance.random()
    return tuple(
        WIN if u < share - half else DRAW if u < share + half else LOSS for u in (first, second)
    )


def best_of(ratings: Ratings, top: int) -> set[int]:
    order = sorted(range(len(ratings.elo)), key=lambda player: -ratings.elo[player])
    return set(order[:top])


def single_test_doubt(ratings: Ratings, goal: Goal) -> float:
    """Return the doubt of a single test."""
    assert goal.top is not None
    best = best_of(ratings, goal.top)
    rest = set(range(len(ratings.elo))) - best
    return sum(1 - ratings.superiority(one, other) for one in best for other in rest)


def play_until_known(
    chance: random.Random,
    true_elo: list[float],
    goal: Goal,
    max_encounters: int,
    doubt_of: Callable[[Ratings, Goal], float] = doubt,
) -> tuple[Ratings | None, int]:
    """Test after every eight encounters. Return the final ratings and the number of encounters.

    The pairs are drawn by their share of the doubt. The ratings are None if the goal is not reached
    within `max_encounters`.
    """
    tally = Tally(len(true_elo))

    def play(one: int, other: int) -> None:
        points = pair_of_matches(chance, true_elo[one] - true_elo[other])
        tally.add(EncounterResult(one, other, points))

    encounters = 0
    for one, other in combinations(range(len(true_elo)), 2):
        play(one, other)
        encounters += 1
    while encounters < max_encounters:
        ratings = rate(tally)
        if doubt_of(ratings, goal) <= goal.doubt:
            return ratings, encounters
        pairs = worst_pairs(ratings, goal)
        for one, other, _ in chance.choices(pairs, [share for _, _, share in pairs], k=8):
            play(one, other)
            encounters += 1
    return None, encounters


def wrong_claims(
    true_elo: list[float], goal: Goal, doubt_of: Callable[[Ratings, Goal], float] = doubt
) -> int:
    """Return how many of 100 claims are wrong. The players are sorted, the best first."""
    assert goal.top is not None
    chance = random.Random(1)
    wrong = 0
    for _ in range(100):
        ratings, _ = play_until_known(chance, true_elo, goal, 200, doubt_of)
        wrong += ratings is not None and best_of(ratings, goal.top) != set(range(goal.top))
    return wrong


@pytest.mark.parametrize(
    ("true_elo", "top"),
    [([1.0, 0.0], 1), ([100.0, 50.0, 45.0, 0.0], 2)],
)
def test_repeated_tests_keep_the_error_rate(true_elo: list[float], top: int) -> None:
    assert wrong_claims(true_elo, Goal(top, 0.95)) <= 5


def test_naive_repeated_tests_exceed_the_error_rate() -> None:
    assert wrong_claims([1.0, 0.0], BEST, single_test_doubt) > 5


def test_a_clear_lead_is_found_after_few_matches() -> None:
    chance = random.Random(2)
    runs = [play_until_known(chance, [150.0, 0.0, -20.0], BEST, 1000) for _ in range(20)]
    assert all(ratings is not None and best_of(ratings, 1) == {0} for ratings, _ in runs)
    assert sum(encounters for _, encounters in runs) / len(runs) < 80


def tallied(players: int, *meetings: tuple[int, int, float, int]) -> Ratings:
    tally = Tally(players)
    for one, other, point, times in meetings:
        tally.add(EncounterResult(one, other, (point,)), times)
    return rate(tally)


def test_without_matches_the_doubt_is_1() -> None:
    ratings = rate(Tally(4))
    assert doubt(ratings, BEST) == 1
    assert [share for _, _, share in worst_pairs(ratings, BEST)] == pytest.approx([1 / 3] * 3)


def test_there_is_no_doubt_if_all_players_are_in_the_top() -> None:
    ratings = tallied(2, (0, 1, WIN, 3))
    assert doubt(ratings, Goal(2, 0.95)) == 0
    assert doubt(ratings, Goal(5, 0.95)) == 0
    assert worst_pairs(ratings, Goal(2, 0.95)) == []


def test_more_wins_reduce_the_doubt() -> None:
    doubts = [doubt(tallied(2, (0, 1, WIN, wins)), BEST) for wins in range(1, 40)]
    assert doubts == sorted(doubts, reverse=True)
    assert doubts[2] > 0.05
    assert doubts[-1] < 0.001


def test_the_doubt_is_never_less_than_that_of_a_single_test() -> None:
    ratings = tallied(3, (0, 1, WIN, 30), (0, 1, LOSS, 12), (1, 2, WIN, 20), (1, 2, LOSS, 11))
    assert single_test_doubt(ratings, BEST) < doubt(ratings, BEST) < 1


def test_the_worst_pair_is_at_the_border_of_the_top() -> None:
    ratings = tallied(
        4,
        *((0, 1, WIN, 60), (0, 1, LOSS, 20), (1, 2, WIN, 42), (1, 2, LOSS, 38)),
        *((2, 3, WIN, 60), (2, 3, LOSS, 20)),
    )
    pairs = worst_pairs(ratings, Goal(2, 0.95))
    assert pairs[0][:2] == (1, 2)
    assert {pair[:2] for pair in pairs} == {(0, 2), (0, 3), (1, 2), (1, 3)}
    assert math.fsum(share for _, _, share in pairs) == pytest.approx(1)
    assert pairs[0][2] > 0.9


def test_the_order_depends_on_neighbours() -> None:
    ratings = tallied(3, (2, 0, WIN, 90), (2, 0, LOSS, 30), (0, 1, WIN, 90), (0, 1, LOSS, 40))
    pairs = worst_pairs(ratings, Goal(None, 0.9))
    assert {pair[:2] for pair in pairs} == {(2, 0), (0, 1)}
    assert pairs[0][:2] == (0, 1)
    assert doubt(ratings, Goal(None, 0.9)) > doubt(ratings, Goal(1, 0.9))


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([WIN, DRAW, LOSS])),
        max_size=25,
    ),
    st.sampled_from([1, 2, 3, None]),
)
@settings(max_examples=60)
def test_the_doubt_is_a_probability_and_its_shares_are_sorted(
    matches: list[tuple[int, int, float]], top: int | None
) -> None:
    ratings = tallied(4, *((one, (one + step) % 4, point, 1) for one, step, point in matches))
    assert 0 < doubt(ratings, Goal(top, 0.95)) <= 1
    pairs = worst_pairs(ratings, Goal(top, 0.95))
    shares = [share for _, _, share in pairs]
    assert shares == sorted(shares, reverse=True)
    assert math.fsum(shares) == pytest.approx(1)
    assert all(ratings.elo[one] >= ratings.elo[other] for one, other, _ in pairs)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("top 3 known at 95%", Goal(3, 0.95)),
        ("top 1 known at 99 %", Goal(1, 0.99)),
        ("order known at 90%", Goal(None, 0.9)),
        ("  Top 10  known at 99.5%\n", Goal(10, 0.995)),
    ],
)
def test_a_goal_is_parsed(text: str, goal: Goal) -> None:
    assert read_goal(text) == goal


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no goal: say"),
        ("top three known at 95%", "is no goal: say"),
        ("top -1 known at 95%", "is no goal: say"),
        ("top 3 known at 95", "is no goal: say"),
        ("top 3 known at 95% or so", "is no goal: say"),
        ("top 0 known at 95%", "at least top 1"),
        ("top 3 known at 100%", "less than 100%"),
        ("order known at 20%", "at least 50%"),
    ],
)
def test_an_invalid_goal_is_rejected(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_goal(text)
