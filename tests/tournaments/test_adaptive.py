"""The adaptive format: informative matches until the goal is reached."""

from collections import Counter
from random import Random

import pytest

from gamehall.tournaments.formats.adaptive import Adaptive, first_round, read_goal, share_out
from gamehall.tournaments.formats.staged import Pairing

GOAL = read_goal("top 2 known at 90%")


def play(contest: Adaptive, elo: list[float], seed: int) -> Counter[frozenset[int]]:
    """Play with these true strengths, without draws. Return how often each pair has met."""
    chance = Random(seed)
    met: Counter[frozenset[int]] = Counter()
    while not contest.is_over:
        for number, one, other, _ in contest.take():
            met[frozenset((one, other))] += 1
            share = 1 / (1 + 10 ** ((elo[other] - elo[one]) / 400))
            points = tuple(
                float(chance.random() < share) for _ in range(contest.terms.matches_per_encounter)
            )
            contest.note(number, points)
    return met


def test_players_close_to_the_border_play_more() -> None:
    """The goal separates the second and the third player, who are close."""
    contest = Adaptive(6, 20_000, True, GOAL)
    met = play(contest, [600, 200, 130, -200, -300, -500], 1)
    assert contest.is_known
    assert contest.remark().startswith("the top 2 known at 90%, doubt ")
    (closest, most), (_, second) = met.most_common(2)
    assert closest == {1, 2}
    assert most > 2 * second
    assert {player for equals in contest.ranking()[:2] for player in equals} == {0, 1}


def test_a_player_far_ahead_is_known_after_few_matches() -> None:
    contest = Adaptive(5, 20_000, True, read_goal("top 1 known at 95%"))
    met = play(contest, [800, 0, 0, 0, 0], 1)
    assert contest.is_known
    assert contest.ranking()[0] == [0]
    assert met.total() < 200


@pytest.mark.parametrize(("games", "in_pairs"), [(1, False), (30, False), (30, True)])
def test_no_player_exceeds_its_limit_and_then_it_ends(games: int, in_pairs: bool) -> None:
    contest = Adaptive(9, games, in_pairs, read_goal("top 4 known at 99%"))
    met = play(contest, [0.0] * 9, 2)
    matches: Counter[int] = Counter()
    for pair, times in met.items():
        for player in pair:
            matches[player] += times * contest.terms.matches_per_encounter
    assert max(matches.values()) == games
    assert not contest.is_known
    assert contest.remark().startswith("the top 4 not known, doubt ")


def test_seats_of_two_alternate() -> None:
    contest = Adaptive(2, 60, False, read_goal("top 1 known at 99%"))
    begun = []
    while not contest.is_over:
        for encounter in contest.take():
            begun.append(encounter.one)
            contest.note(encounter.number, (0.5,))
    assert begun == [0, 1] * 30


def test_in_the_first_round_few_players_all_meet() -> None:
    assert first_round(3, 16) == [Pairing(0, 1, 1), Pairing(0, 2, 1), Pairing(1, 2, 1)]


def test_in_the_first_round_many_players_meet_their_neighbours() -> None:
    pairings = first_round(40, 80)
    assert len(pairings) == len({frozenset(pairing[:2]) for pairing in pairings}) == 80
    met = Counter(player for pairing in pairings for player in pairing[:2])
    assert met == dict.fromkeys(range(40), 4)


def test_encounters_are_distributed_in_proportion_and_none_is_lost() -> None:
    wanted = [(4, 5, 0.65), (2, 3, 0.25), (0, 1, 0.1)]
    assert share_out(wanted, 10) == [Pairing(4, 5, 7), Pairing(2, 3, 2), Pairing(0, 1, 1)]
    assert share_out(wanted, 1) == [Pairing(4, 5, 1)]


def test_without_doubt_no_encounters_are_distributed() -> None:
    assert share_out([], 10) == []


def test_a_round_without_encounters_is_rejected() -> None:
    with pytest.raises(ValueError, match="at least 1 encounter, not 0"):
        Adaptive(3, 10, False, GOAL, encounters_per_round=0)


def test_at_the_beginning_nothing_is_known() -> None:
    contest = Adaptive(3, 10, False, GOAL)
    assert contest.ranking() == [[0, 1, 2]]
    assert contest.expected is None
    assert contest.remark() == "the top 2 not known yet, doubt 100%"


def test_the_goal_may_be_the_order_of_all_players() -> None:
    contest = Adaptive(4, 20_000, True, read_goal("order known at 90%"))
    play(contest, [-300, 0, 300, 600], 3)
    assert contest.ranking() == [[3], [2], [1], [0]]
    assert contest.remark().startswith("the order known at 90%, doubt ")


def test_a_top_of_all_players_is_rejected() -> None:
    with pytest.raises(ValueError, match="of 2 players the top 2 are all: ask for at most 1"):
        Adaptive(2, 10, False, GOAL)
