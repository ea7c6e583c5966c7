"""One against all others."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gamehall.tournaments.formats.format import Encounter
from gamehall.tournaments.formats.gauntlet import Gauntlet


def test_the_first_meets_each_other_one_in_turn() -> None:
    assert Gauntlet(3, 4, True).take() == [
        Encounter(0, 0, 1, 1),
        Encounter(1, 0, 2, 1),
        Encounter(2, 0, 1, 2),
        Encounter(3, 0, 2, 2),
    ]


@given(st.integers(2, 20), st.integers(1, 7))
def test_each_pairing_is_met_as_often_as_said_and_seats_are_balanced(
    players: int, games: int
) -> None:
    encounters = Gauntlet(players, games, False).take()
    first = Counter(other for _, one, other, _ in encounters if one == 0)
    second = Counter(one for _, one, other, _ in encounters if other == 0)
    assert first + second == dict.fromkeys(range(1, players), games)
    assert all(abs(first[player] - second[player]) <= 1 for player in range(1, players))
    assert abs(first.total() - second.total()) <= 1
