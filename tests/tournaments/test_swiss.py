"""The Swiss system and its matchings."""

from collections import Counter
from collections.abc import Sequence, Set
from math import log
from random import Random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from py4swiss.engines.dutch.engine import Engine
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import RoundResult
from py4swiss.trf.sections import PlayerSection, XSection

from gamehall.tournaments.formats.format import Encounter
from gamehall.tournaments.formats.matching import Graph, first_choice_matching, perfect_matching
from gamehall.tournaments.formats.swiss import Swiss, most_rounds, usual_rounds
from gamehall.tournaments.tally import Points

TOKENS = {0.0: "0", 0.5: "=", 1.0: "1"}
"""FIDE's symbols of a loss, a draw and a win."""


class Observer:
    """A Swiss tournament and its results."""

    def __init__(self, contest: Swiss) -> None:
        self.contest = contest
        self.rounds: list[list[tuple[Encounter, Points]]] = []

    def play(self, seed: int) -> None:
        chance = Random(seed)
        while not self.contest.is_over:
            self.rounds.append([])
            for encounter in self.contest.take():
                points = (chance.choice([0.0, 0.5, 1.0]),)
                self.rounds[-1].append((encounter, points))
                self.contest.note(encounter.number, points)

    def resting(self, round_index: int, players: int) -> set[int]:
        playing = {p for e, _ in self.rounds[round_index] for p in (e.one, e.other)}
        return set(range(players)) - playing


@given(st.integers(2, 14), st.integers(0, 999), st.data())
def test_no_two_players_meet_twice_and_no_player_rests_twice(
    players: int, seed: int, more: st.DataObject
) -> None:
    rounds = more.draw(st.integers(1, most_rounds(players)))
    observer = Observer(Swiss(players, 1, False, rounds))
    observer.play(seed)
    assert len(observer.rounds) == rounds
    met = [frozenset((e.one, e.other)) for played in observer.rounds for e, _ in played]
    assert len(set(met)) == len(met)
    rested = Counter(p for number in range(rounds) for p in observer.resting(number, players))
    assert rested.total() == (rounds if players % 2 else 0)
    assert all(times == 1 for times in rested.values())


def test_the_upper_half_meets_the_lower_half_and_then_winners_meet() -> None:
    contest = Swiss(8, 2, True, rounds=3)
    assert [(one, other) for _, one, other, _ in contest.take()] == [
        (0, 4), (1, 5), (2, 6), (3, 7),
    ]  # fmt: skip
    for number in range(4):
        contest.note(number, (1.0, 0.5))
    assert [(one, other) for _, one, other, _ in contest.take()] == [
        (0, 2), (1, 3), (4, 6), (5, 7),
    ]  # fmt: skip
    for number in range(4, 8):
        contest.note(number, (0.5, 0.5))
    assert contest.remark() == "round 3 of 3"
    assert [(one, other) for _, one, other, _ in contest.take()] == [
        (0, 1), (2, 3), (4, 5), (6, 7),
    ]  # fmt: skip


def test_ties_are_broken_by_games_and_then_by_the_wins_of_opponents() -> None:
    contest = Swiss(4, 2, True, rounds=2)
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 2), (1, 3)]
    contest.note(0, (1.0, 1.0))
    contest.note(1, (1.0, 0.5))
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 1), (2, 3)]
    contest.note(2, (0.0, 0.5))
    contest.note(3, (0.0, 0.0))
    # 1 has won twice; 0 and 3 once with 2.5 games each, where 0 has met the winner as 3 has.
    assert contest.ranking() == [[1], [0, 3], [2]]


def test_a_player_with_better_opponents_ranks_before_one_with_the_same_score() -> None:
    contest = Swiss(4, 2, True, rounds=2)
    contest.take()
    contest.note(0, (1.0, 1.0))
    contest.note(1, (0.5, 0.5))
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 1), (3, 2)]
    contest.note(2, (0.0, 0.0))
    contest.note(3, (0.0, 0.0))
    # 0 and 2 have won one pairing and two games each; 0 has met 1, who is first, and 2 has not.
    assert contest.ranking() == [[1], [0], [2], [3]]


def test_the_last_player_who_has_not_rested_rests_which_counts_as_a_win() -> None:
    contest = Swiss(3, 2, True)
    assert contest.rounds == 3
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 1)]
    contest.note(0, (1.0, 1.0))
    assert contest.ranking() == [[0, 2], [1]]
    assert [(one, other) for _, one, other, _ in contest.take()] == [(0, 2)]
    contest.note(1, (0.5, 0.5))
    assert [(one, other) for _, one, other, _ in contest.take()] == [(2, 1)]
    contest.note(2, (1.0, 1.0))
    assert contest.is_over


@pytest.mark.parametrize("players", [5, 6])
def test_the_default_rounds_of_six_players_are_always_possible(players: int) -> None:
    """Three rounds can leave two rings of three players, which have no perfect matching."""
    for seed in range(200):
        observer = Observer(Swiss(players, 1, False))
        observer.play(seed)
        assert len(observer.rounds) == 4


def test_two_players_meet_once() -> None:
    contest = Swiss(2, 2, True)
    assert contest.expected == contest.rounds == 1


@pytest.mark.parametrize(
    ("players", "usual", "most"),
    [(2, 1, 1), (3, 3, 3), (4, 3, 3), (5, 4, 5), (8, 4, 7), (9, 5, 9), (100, 8, 99)],
)
def test_the_default_and_maximum_numbers_of_rounds(players: int, usual: int, most: int) -> None:
    assert usual_rounds(players) == usual
    assert most_rounds(players) == most


@pytest.mark.parametrize("rounds", [0, 6])
def test_a_number_of_rounds_that_needs_rematches_is_rejected(rounds: int) -> None:
    with pytest.raises(ValueError, match=f"6 players can have 1 to 5 rounds .* not {rounds}"):
        Swiss(6, 2, True, rounds)


def dutch_distance(observer: Observer, players: int, rounds: int) -> tuple[list[float], float]:
    """Return the wins of all players, and how much the pairs differ by the rules of FIDE."""
    results: list[list[object]] = [[] for _ in range(players)]
    won = [0.0] * players
    for number, played in enumerate(observer.rounds):
        for player in observer.resting(number, players):
            results[player].append(RoundResult(id=0, color="-", result="U"))
            won[player] += 1
        for (_, one, other, _), (point,) in played:
            results[one].append(RoundResult(id=other + 1, color="w", result=TOKENS[point]))
            results[other].append(RoundResult(id=one + 1, color="b", result=TOKENS[1 - point]))
            won[one] += point
            won[other] += 1 - point
    history = ParsedTrf(
        player_sections=[
            PlayerSection(
                code=PlayerCode.PLAYER,
                starting_number=player + 1,
                points_times_ten=round(10 * won[player]),
                rank=player + 1,
                results=results[player],
            )
            for player in range(players)
        ],
        x_section=XSection(number_of_rounds=rounds),
    )
    history.validate_contents()
    pairs = [(p.white - 1, p.black - 1) for p in Engine.generate_pairings(history) if p.black]
    return won, sum((won[one] - won[other]) ** 2 for one, other in pairs)


@pytest.mark.parametrize("players", [20, 21])
def test_pairings_are_about_as_close_as_by_the_rules_of_fide(players: int) -> None:
    """From the same history, round by round. FIDE has rules on seats as well, so none is exact."""
    ours = theirs = 0.0
    for seed in range(6):
        whole = Observer(Swiss(players, 1, False, rounds=6))
        whole.play(seed)
        history = Observer(whole.contest)
        for number, played in enumerate(whole.rounds):
            won, dutch = dutch_distance(history, players, 6)
            ours += sum((won[e.one] - won[e.other]) ** 2 for e, _ in played)
            theirs += dutch
            history.rounds = whole.rounds[: number + 1]
    assert theirs > 0
    assert ours <= 1.5 * theirs


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    size = draw(st.sampled_from([2, 4, 6, 8, 10]))
    pairs = [(one, other) for other in range(size) for one in range(other)]
    graph: Graph = [set() for _ in range(size)]
    for one, other in draw(st.lists(st.sampled_from(pairs), max_size=2 * size)):
        graph[one].add(other)
        graph[other].add(one)
    return graph


def all_matchings(graph: Graph, left: Sequence[int]) -> list[dict[int, int]]:
    """Yield every perfect matching of the remaining nodes."""
    if not left:
        return [{}]
    first, *others = left
    return [
        {first: other, other: first, **rest}
        for other in others
        if other in graph[first]
        for rest in all_matchings(graph, [o for o in others if o != other])
    ]


@given(graphs())
def test_a_perfect_matching_is_found_if_there_is_one(graph: Graph) -> None:
    every = all_matchings(graph, range(len(graph)))
    found = perfect_matching(graph)
    if found is None:
        assert not every
    else:
        assert dict(enumerate(found)) in every


@given(graphs())
def test_each_node_gets_its_first_choice_that_leaves_a_matching_of_the_others(graph: Graph) -> None:
    """Let nodes choose in order, each the partner with the highest number first."""

    def choices(left: Set[int]) -> tuple[int, Sequence[int]]:
        first, *others = sorted(left)
        return first, others[::-1]

    every = [[m[one] for one in range(len(graph))] for m in all_matchings(graph, range(len(graph)))]
    assert first_choice_matching(graph, choices) == (max(every) if every else None)


@pytest.mark.parametrize("size", [16, 32, 64])
def test_networkx_finds_perfect_matchings_in_the_same_graphs(size: int) -> None:
    """With a little more than log(size) edges per node, half of all graphs have a matching."""
    chance = Random(size)
    answers = Counter[bool]()
    for _ in range(40):
        graph: Graph = [set() for _ in range(size)]
        drawn = nx.gnm_random_graph(size, round(size * (log(size) + 0.4) / 2), chance)
        for one, other in drawn.edges:
            graph[one].add(other)
            graph[other].add(one)
        mates = perfect_matching(graph)
        theirs = nx.max_weight_matching(drawn, maxcardinality=True)
        assert (mates is not None) == (2 * len(theirs) == size)
        if mates is not None:
            assert all(mates[mates[one]] == one and mates[one] in graph[one] for one in range(size))
        answers[mates is not None] += 1
    assert min(answers[True], answers[False]) >= 5


def test_two_rings_of_three_have_no_perfect_matching() -> None:
    rings: Graph = [{1, 2}, {0, 2}, {0, 1}, {4, 5}, {3, 5}, {3, 4}]
    assert perfect_matching(rings) is None
