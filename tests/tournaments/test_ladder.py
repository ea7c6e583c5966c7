"""The ladder format."""

import pytest

from gamehall.tournaments.formats.staged import Ladder


def strongest_is_last(contest: Ladder) -> None:
    """Let the player with the higher number win all matches."""
    while not contest.is_over:
        for number, one, other, _ in contest.take():
            contest.note(number, (1.0,) if one > other else (0.0,))


def test_a_ladder_by_hand() -> None:
    contest = Ladder(4, 2, True, rounds=3)
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 1), (2, 3)]
    contest.note(0, (0.5, 0.0))
    contest.note(1, (0.5, 0.5))
    assert contest.ranking() == [[1], [0], [2], [3]]
    assert contest.remark() == "round 2 of 3"
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 2)]
    contest.note(2, (0.0, 0.0))
    assert [(one, other) for _, one, other, _ in contest.take()] == [(1, 2), (0, 3)]
    contest.note(4, (1.0, 0.0))
    contest.note(3, (0.0, 0.5))
    assert contest.is_over
    assert contest.ranking() == [[2], [1], [0], [3]]


@pytest.mark.parametrize("players", range(2, 12))
def test_by_default_the_last_player_can_climb_to_the_top(players: int) -> None:
    contest = Ladder(players, 1, False)
    strongest_is_last(contest)
    assert contest.ranking() == [[player] for player in reversed(range(players))]


def test_two_players_meet_in_every_second_round_and_begin_in_turn() -> None:
    contest = Ladder(2, 1, False, rounds=6)
    met = []
    while not contest.is_over:
        (encounter,) = contest.take()
        met.append((encounter.one, encounter.round))
        contest.note(encounter.number, (0.5,))
    assert met == [(0, 1), (1, 3), (0, 5)]
    assert contest.expected == 3


def test_two_players_begin_in_turn_even_with_other_encounters_in_between() -> None:
    contest = Ladder(3, 1, False, rounds=9)
    begun: dict[frozenset[int], list[int]] = {}
    while not contest.is_over:
        (encounter,) = contest.take()
        pair = frozenset((encounter.one, encounter.other))
        begun.setdefault(pair, []).append(encounter.one)
        contest.note(encounter.number, (0.5,))
    assert begun == {frozenset({0, 1}): [0, 1, 0, 1, 0], frozenset({1, 2}): [1, 2, 1, 2]}


def test_a_ladder_without_rounds_is_rejected() -> None:
    with pytest.raises(ValueError, match="at least 1 round, not 0"):
        Ladder(4, 2, True, rounds=0)
