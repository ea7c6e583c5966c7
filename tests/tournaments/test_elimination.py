"""Knockout and double elimination."""

from collections import Counter
from random import Random

import pytest

from gamehall.tournaments.formats.elimination import DoubleElimination, Knockout, seeded


def favourites_win(contest: Knockout) -> list[tuple[int, int]]:
    """Let the better seed win all matches. Return the pairs that met."""
    met = []
    while not contest.is_over:
        for number, one, other, _ in contest.take():
            met.append((min(one, other), max(one, other)))
            contest.note(number, (1.0,) if one < other else (0.0,))
    return met


def test_the_best_two_seeds_meet_last() -> None:
    assert seeded(8) == [0, 7, 3, 4, 1, 6, 2, 5]


def test_the_best_seeds_skip_the_first_round_if_slots_are_left_over() -> None:
    assert seeded(5) == [0, None, 3, 4, 1, None, 2, None]


@pytest.mark.parametrize("players", range(2, 35))
def test_a_knockout_has_one_pairing_less_than_players(players: int) -> None:
    contest = Knockout(players, 1, False)
    met = favourites_win(contest)
    assert len(met) == len(set(met)) == players - 1
    # All but the winner lose exactly once.
    assert sorted(loser for _, loser in met) == list(range(1, players))


def test_a_knockout_of_six_by_hand() -> None:
    contest = Knockout(6, 2, True)
    assert contest.remark() == "quarterfinals"
    assert [(one, other) for _, one, other, _ in contest.take()] == [(3, 4), (2, 5)]
    contest.note(1, (0.5, 0.0))
    assert contest.ranking() == [[0, 1, 2, 3, 4, 5]]
    contest.note(0, (1.0, 1.0))
    assert contest.ranking() == [[0, 1, 3, 5], [2, 4]]
    assert contest.remark() == "semifinals"
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 3), (1, 5)]
    contest.note(2, (1.0, 0.5))
    contest.note(3, (0.0, 0.5))
    assert contest.remark() == "the final"
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 5)]
    contest.note(4, (1.0, 0.5))
    assert contest.is_over
    assert contest.ranking() == [[0], [5], [1, 3], [2, 4]]


def test_a_tie_is_replayed_three_times_and_then_the_better_seed_advances() -> None:
    contest = Knockout(2, 4, False)
    for number, *_ in contest.take():
        contest.note(number, (0.5,))
    begun = []
    for number in (4, 5, 6):
        (encounter,) = contest.take()
        assert encounter.number == number
        begun.append(encounter.one)
        assert not contest.is_over
        contest.note(number, (0.5,))
    # In turn, as in the four before.
    assert begun == [0, 1, 0]
    assert contest.is_over
    assert contest.ranking() == [[0], [1]]
    assert contest.expected == 7


def test_only_the_tied_pairing_is_replayed() -> None:
    contest = Knockout(4, 2, True)
    contest.take()
    contest.note(0, (0.5, 0.5))
    contest.note(1, (0.0, 0.0))
    assert contest.expected == 4
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 3)]
    contest.note(2, (0.0, 0.5))
    assert contest.ranking() == [[2, 3], [0, 1]]


def play(contest: DoubleElimination, seed: int) -> Counter[int]:
    """Play without draws. Return the losses of each player."""
    chance = Random(seed)
    losses: Counter[int] = Counter()
    while not contest.is_over:
        for number, one, other, _ in contest.take():
            point = chance.choice([0.0, 1.0])
            losses[other if point else one] += 1
            contest.note(number, (point,))
    return losses


@pytest.mark.parametrize("players", range(2, 35))
def test_all_players_but_the_winner_have_lost_twice(players: int) -> None:
    for seed in range(10):
        contest = DoubleElimination(players, 1, False)
        losses = play(contest, seed)
        ranking = contest.ranking()
        (winner,) = ranking[0]
        assert losses.pop(winner, 0) <= 1
        assert losses == {player: 2 for player in range(players) if player != winner}
        assert len(ranking[1]) == 1


def test_four_players_by_hand() -> None:
    """0 and 1 win at first, 1 beats 0, and 0 returns through the lower bracket."""
    contest = DoubleElimination(4, 2, True)
    rounds = []

    def win(*winners: int) -> None:
        taken = contest.take()
        rounds.append([(one, other) for _, one, other, _ in taken])
        for encounter, winner in zip(taken, winners, strict=True):
            points = (1.0, 0.5) if winner == encounter.one else (0.0, 0.5)
            contest.note(encounter.number, points)

    assert contest.expected == 6
    win(0, 1)
    assert contest.ranking() == [[0, 1], [2, 3]]
    assert contest.remark() == "round 2: 2 unbeaten, 2 beaten once"
    win(1, 2)
    assert contest.ranking() == [[1], [0, 2], [3]]
    win(0)
    assert contest.ranking() == [[1], [0], [2], [3]]
    win(0)
    assert contest.remark() == "the second final: both have lost once"
    assert contest.expected == 7
    win(0)
    assert rounds == [[(0, 3), (1, 2)], [(0, 1), (3, 2)], [(0, 2)], [(1, 0)], [(1, 0)]]
    assert contest.is_over
    assert contest.ranking() == [[0], [1], [2], [3]]


def test_an_unbeaten_finalist_who_wins_needs_no_second_final() -> None:
    contest = DoubleElimination(2, 2, True)
    for number in range(2):
        contest.take()
        contest.note(number, (1.0, 1.0))
    assert contest.is_over
    assert contest.ranking() == [[0], [1]]


def test_a_loser_does_not_meet_the_same_opponent_again_in_the_next_rounds() -> None:
    """With eight players, losers of the second round meet players of the other half."""
    for seed in range(20):
        chance = Random(seed)
        contest = DoubleElimination(8, 1, False)
        met: list[frozenset[int]] = []
        while contest.round <= 3:
            for number, one, other, _ in contest.take():
                met.append(frozenset((one, other)))
                contest.note(number, (chance.choice([0.0, 1.0]),))
        assert len(set(met)) == len(met) == 4 + 4 + 2
