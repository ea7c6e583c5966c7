"""What the matches of a tournament come to."""

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
def test_S0_Q22_S1_Q23_what_counts_of_cheaters_matches(
    rule: CheaterRule, counting: list[Win]
) -> None:
    """cat and dan have cheated: what they played against each other goes if matches are given."""
    assert settle(WINS, {"cat", "dan"}, UNPLAYED, rule) == counting


@pytest.mark.parametrize("rule", CheaterRule)
def test_without_cheaters_everything_stands(rule: CheaterRule) -> None:
    assert settle(WINS, (), (), rule) == WINS


def test_S1_Q24_a_pair_goes_to_who_has_won_more_or_last() -> None:
    wins = [Win("a", "b"), Win("b", "a"), Win("c", "a"), Win("b", "a"), Win("a", "c")]
    assert by_pair(wins) == [Win("b", "a"), Win("a", "c")]


def test_standings_go_by_wins_then_losses_then_arrival() -> None:
    assert standings(["ann", "bob", "cat", "dan", "eve"], WINS) == [
        Rank("cat", 2, 1),
        Rank("dan", 1, 0),
        Rank("ann", 1, 1),
        Rank("eve", 0, 0),
        Rank("bob", 0, 2),
    ]
