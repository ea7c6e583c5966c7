"""Standings, and how matches of cheaters count."""

import pytest

from gamehall.tournaments.standings import CheaterRule, Rank, Win, by_pair, settle, standings

WINS = [Win("ann", "bob"), Win("cat", "ann"), Win("dan", "cat"), Win("cat", "bob")]
UNPLAYED = [Win("bob", "cat"), Win("dan", "cat")]


@pytest.mark.parametrize(
    ("rule", "counting"),
    [
        (CheaterRule.KEEP, WINS),
        (CheaterRule.FORFEIT, [*WINS, Win("bob", "cat")]),
        (CheaterRule.DROP, [Win("ann", "bob")]),
        (CheaterRule.REAWARD, [Win("ann", "bob"), Win("ann", "cat"), Win("bob", "cat")]),
    ],
)
def test_S0_Q22_S1_Q23_how_matches_of_cheaters_count(
    rule: CheaterRule, counting: list[Win]
) -> None:
    """cat and dan have cheated; with REAWARD their match against each other does not count."""
    assert settle(WINS, {"cat", "dan"}, UNPLAYED, rule) == counting


@pytest.mark.parametrize("rule", CheaterRule)
def test_without_cheaters_all_matches_count(rule: CheaterRule) -> None:
    assert settle(WINS, (), (), rule) == WINS


def test_S1_Q24_a_pair_is_won_by_the_player_with_more_wins_or_the_last_one() -> None:
    wins = [Win("a", "b"), Win("b", "a"), Win("c", "a"), Win("b", "a"), Win("a", "c")]
    assert by_pair(wins) == [Win("b", "a"), Win("a", "c")]


def test_standings_are_sorted_by_wins_then_losses_then_arrival() -> None:
    assert standings(["ann", "bob", "cat", "dan", "eve"], WINS) == [
        Rank("cat", 2, 1),
        Rank("dan", 1, 0),
        Rank("ann", 1, 1),
        Rank("eve", 0, 0),
        Rank("bob", 0, 2),
    ]
