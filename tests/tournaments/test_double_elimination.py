"""Who loses twice is out."""

from collections import Counter
from random import Random

import pytest

from gamehall.tournaments.formats.double_elimination import DoubleElimination


def play(contest: DoubleElimination, seed: int) -> Counter[int]:
    """Play without draws; gives how often everybody has lost."""
    chance = Random(seed)
    losses: Counter[int] = Counter()
    while not contest.is_over:
        for number, one, other, _ in contest.take():
            point = chance.choice([0.0, 1.0])
            losses[other if point else one] += 1
            contest.note(number, (point,))
    return losses


@pytest.mark.parametrize("players", range(2, 35))
def test_everybody_but_the_winner_has_lost_twice(players: int) -> None:
    for seed in range(10):
        contest = DoubleElimination(players, 1, False)
        losses = play(contest, seed)
        ranking = contest.ranking()
        (winner,) = ranking[0]
        assert losses.pop(winner, 0) <= 1
        assert losses == {player: 2 for player in range(players) if player != winner}
        assert len(ranking[1]) == 1


def test_four_players_by_hand() -> None:
    """0 and 1 win at first, 1 beats 0, and 0 comes back through the lower bracket."""
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


def test_who_has_lost_does_not_meet_the_same_opponent_again_in_the_next_rounds() -> None:
    """Of eight, those who fall in the second round meet survivors of the other half."""
    for seed in range(20):
        chance = Random(seed)
        contest = DoubleElimination(8, 1, False)
        met: list[frozenset[int]] = []
        while contest.round <= 3:
            for number, one, other, _ in contest.take():
                met.append(frozenset((one, other)))
                contest.note(number, (chance.choice([0.0, 1.0]),))
        assert len(set(met)) == len(met) == 4 + 4 + 2
