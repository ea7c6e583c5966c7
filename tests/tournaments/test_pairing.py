"""The pairs of a round robin, and who begins."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.tournaments.pairing import (
    Pair,
    Schedule,
    Starts,
    in_order_of_arrival,
    in_rounds,
    starter,
)


def test_S0_Q07_S1_Q11_pairs_meet_in_the_order_of_arrival() -> None:
    assert in_order_of_arrival(3) == [Pair(0, 1), Pair(0, 2), Pair(1, 2)]
    assert in_order_of_arrival(4)[3:] == [Pair(0, 3), Pair(1, 3), Pair(2, 3)]


@given(st.integers(0, 40))
def test_all_players_meet_once_in_both_orders(players: int) -> None:
    all_pairs = list(combinations(range(players), 2))
    assert sorted(in_order_of_arrival(players)) == all_pairs
    assert sorted(pair for pairs in in_rounds(players) for pair in pairs) == all_pairs


@given(st.integers(2, 40))
def test_in_a_round_each_player_meets_one_other_and_at_most_one_rests(players: int) -> None:
    rounds = in_rounds(players)
    assert len(rounds) == (players if players % 2 else players - 1)
    for pairs in rounds:
        meeting = [player for pair in pairs for player in pair]
        assert len(set(meeting)) == len(meeting) >= players - 1


@pytest.mark.parametrize(
    ("starts", "beginners"), [(Starts.ALTERNATE, [0, 1, 0]), (Starts.FIXED, [0, 0, 0])]
)
def test_S1_Q09_the_players_of_a_pair_begin_in_turn_or_the_earlier_begins(
    starts: Starts, beginners: list[int]
) -> None:
    assert [starter(Pair(0, 1), number, starts) for number in range(3)] == beginners


def schedule(players: int, parallel: bool) -> Schedule:
    rounds = [pair for pairs in in_rounds(players) for pair in pairs]
    return Schedule(players, rounds if parallel else in_order_of_arrival(players), parallel)


def test_without_parallel_one_pair_meets_after_the_other() -> None:
    one_by_one = schedule(3, parallel=False)
    for pair in in_order_of_arrival(3):
        assert one_by_one.begin() == [pair]
        assert one_by_one.begin() == []
        assert not one_by_one.is_done
        one_by_one.end(pair)
    assert one_by_one.begin() == []
    assert one_by_one.is_done


def test_with_parallel_as_many_pairs_as_possible_meet() -> None:
    assert len(schedule(40, parallel=True).begin()) == 20
    assert len(schedule(39, parallel=True).begin()) == 19


def test_a_free_pair_does_not_wait_for_the_end_of_a_round() -> None:
    at_once = schedule(6, parallel=True)
    first, second, _ = at_once.begin()
    at_once.end(first)
    assert at_once.begin() == []
    at_once.end(second)
    [*following] = at_once.begin()
    assert {player for pair in following for player in pair} == {*first, *second}


def test_players_who_have_become_free_are_paired() -> None:
    at_once = schedule(4, parallel=True)
    first, second = at_once.begin()
    at_once.end(first)
    at_once.end(second)
    assert len(at_once.begin()) == 2


def test_a_withdrawn_player_has_no_further_pairs() -> None:
    one_by_one = schedule(4, parallel=False)
    assert one_by_one.begin() == [Pair(0, 1)]
    assert one_by_one.withdraw(0) == [Pair(0, 2), Pair(0, 3)]
    one_by_one.end(Pair(0, 1))
    met = []
    while pairs := one_by_one.begin():
        met += pairs
        one_by_one.end(pairs[0])
    assert met == [Pair(1, 2), Pair(1, 3), Pair(2, 3)]
    assert one_by_one.is_done


@given(st.data(), st.integers(2, 9), st.booleans())
def test_every_pair_meets_once_in_any_order_of_results(
    choice: st.DataObject, players: int, parallel: bool
) -> None:
    """Pairs of a withdrawn player do not meet."""
    plan = schedule(players, parallel)
    meeting: list[Pair] = []
    met: list[Pair] = []
    dropped: list[Pair] = []
    while True:
        meeting += plan.begin()
        busy = [player for pair in meeting for player in pair]
        assert len(set(busy)) == len(busy)
        if not meeting:
            break
        if choice.draw(st.integers(0, 9)) == 0:
            dropped += plan.withdraw(choice.draw(st.integers(0, players - 1)))
        pair = meeting.pop(choice.draw(st.integers(0, len(meeting) - 1)))
        plan.end(pair)
        met.append(pair)
    assert plan.is_done
    assert sorted(met + dropped) == sorted(in_order_of_arrival(players))
