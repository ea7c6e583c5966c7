"""Round robin and gauntlet."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamehall.tournaments.formats.format import Encounter
from gamehall.tournaments.formats.round_robin import Gauntlet, RoundRobin


def all_of(contest: RoundRobin) -> list[Encounter]:
    encounters: list[Encounter] = []
    while taken := contest.take():
        encounters += taken
    return encounters


@given(st.integers(2, 12), st.integers(1, 5), st.booleans())
def test_all_players_meet_the_given_number_of_times(
    players: int, games: int, in_pairs: bool
) -> None:
    if in_pairs:
        games *= 2
    encounters = all_of(RoundRobin(players, games, in_pairs))
    met = Counter(frozenset((one, other)) for _, one, other, _ in encounters)
    times = games // 2 if in_pairs else games
    assert met == {frozenset(pair): times for pair in combinations(range(players), 2)}
    assert [encounter.number for encounter in encounters] == list(range(len(encounters)))


@given(st.integers(2, 12), st.integers(1, 5))
def test_seats_are_balanced_to_within_one(players: int, games: int) -> None:
    encounters = all_of(RoundRobin(players, games, False))
    ahead: Counter[int] = Counter()
    ahead_of_each_other: Counter[tuple[int, int]] = Counter()
    for _, one, other, _ in encounters:
        ahead[one] += 1
        ahead[other] -= 1
        ahead_of_each_other[min(one, other), max(one, other)] += 1 if one < other else -1
    assert all(abs(difference) <= 1 for difference in ahead.values())
    assert all(abs(difference) <= 1 for difference in ahead_of_each_other.values())


def test_two_players_who_meet_again_begin_in_turn() -> None:
    encounters = all_of(RoundRobin(3, 3, False))
    assert [one for _, one, other, _ in encounters if {one, other} == {0, 1}] == [0, 1, 0]


@given(st.integers(2, 12), st.integers(1, 3))
def test_all_players_progress_evenly(players: int, games: int) -> None:
    """In a round no player plays twice, and rounds follow each other."""
    encounters = all_of(RoundRobin(players, games, False))
    rounds = [encounter.round for encounter in encounters]
    assert rounds == sorted(rounds)
    for number in range(1, rounds[-1] + 1):
        meeting = [p for e in encounters if e.round == number for p in (e.one, e.other)]
        assert len(set(meeting)) == len(meeting) >= players - 1


def test_it_is_over_after_all_encounters_and_has_no_ranking() -> None:
    contest = RoundRobin(3, 2, True)
    assert contest.expected == 3
    for number in (2, 0, 1):
        assert not contest.is_over
        contest.take()
        contest.note(number, (1.0, 0.5))
    assert contest.is_over
    assert contest.ranking() is None
    assert contest.remark() == ""


@pytest.mark.parametrize("number", [999_999, 123_456])
def test_a_million_encounters_are_returned_in_parts(number: int) -> None:
    contest = RoundRobin(2, 1_000_000, False)
    assert contest.expected == 1_000_000
    assert len(contest.take()) == len(contest.take()) == 4096
    assert contest.encounter(number).one == number % 2


def test_the_first_player_meets_each_other_player() -> None:
    assert Gauntlet(3, 4, True).take() == [
        Encounter(0, 0, 1, 1),
        Encounter(1, 0, 2, 1),
        Encounter(2, 0, 1, 2),
        Encounter(3, 0, 2, 2),
    ]


@given(st.integers(2, 20), st.integers(1, 7))
def test_each_pairing_has_its_encounters_and_seats_are_balanced(players: int, games: int) -> None:
    encounters = Gauntlet(players, games, False).take()
    first = Counter(other for _, one, other, _ in encounters if one == 0)
    second = Counter(one for _, one, other, _ in encounters if other == 0)
    assert first + second == dict.fromkeys(range(1, players), games)
    assert all(abs(first[player] - second[player]) <= 1 for player in range(1, players))
    assert abs(first.total() - second.total()) <= 1
