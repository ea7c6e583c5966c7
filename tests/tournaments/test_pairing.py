"""Who meets whom, and who begins."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.tournaments.pairing import Pair, Starts, in_order_of_arrival, in_rounds, starter


def test_S0_Q07_S1_Q11_pairs_meet_in_the_order_of_arrival() -> None:
    assert in_order_of_arrival(3) == [Pair(0, 1), Pair(0, 2), Pair(1, 2)]
    assert in_order_of_arrival(4)[3:] == [Pair(0, 3), Pair(1, 3), Pair(2, 3)]


@given(st.integers(0, 40))
def test_everybody_meets_everybody_once_in_either_order(players: int) -> None:
    everybody = list(combinations(range(players), 2))
    assert sorted(in_order_of_arrival(players)) == everybody
    assert sorted(pair for pairs in in_rounds(players) for pair in pairs) == everybody


@given(st.integers(2, 40))
def test_in_a_round_nobody_meets_two_and_at_most_one_rests(players: int) -> None:
    rounds = in_rounds(players)
    assert len(rounds) == (players if players % 2 else players - 1)
    for pairs in rounds:
        meeting = [player for pair in pairs for player in pair]
        assert len(set(meeting)) == len(meeting) >= players - 1


@pytest.mark.parametrize(
    ("starts", "beginners"), [(Starts.ALTERNATE, [0, 1, 0]), (Starts.FIXED, [0, 0, 0])]
)
def test_S1_Q09_the_matches_of_a_pair_are_begun_in_turn_or_by_the_earlier(
    starts: Starts, beginners: list[int]
) -> None:
    assert [starter(Pair(0, 1), number, starts) for number in range(3)] == beginners
