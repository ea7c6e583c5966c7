"""The reasons why a match was won, as clauses that name a player."""

from typing import Any

import pytest

from gamehall.core import Game, Seat
from gamehall.games.catalogue import all_games
from gamehall.games.santorini import Santorini
from gamehall.match import Ending, Result
from tests.games.playing import random_game

NAMES = ("ann", "bob")


def reasons(game: Game[Any], matches: int) -> set[tuple[Seat, str]]:
    """Return the winners and reasons of random games that were won."""
    found = set()
    for seed in range(matches):
        *_, last = random_game(game, seed)
        if last.outcome and last.outcome.winner is not None:
            found.add((last.outcome.winner, last.outcome.reason))
    return found


@pytest.mark.parametrize("name", sorted(all_games()))
def test_every_reason_of_a_game_has_a_subject(name: str) -> None:
    game = all_games()[name]
    found = reasons(game(), 2 if name in ("ascension", "go") else 12)
    assert found
    for winner, reason in found:
        clause = Result(winner, Ending.PLAYED_OUT, reason).why(game, NAMES)
        subjects = ("black ", "white ", "both ", "ann ", "bob ")
        assert clause.startswith(subjects), clause


@pytest.mark.parametrize(
    ("name", "reason", "winner_reads", "loser_reads"),
    [
        ("connect-four", "4 in a row", "you have 4 in a row", "bob has 4 in a row"),
        (
            "santorini",
            "stands on the third level",
            "you stand on the third level",
            "bob stands on the third level",
        ),
        ("santorini", "the other cannot move", "bob cannot move", "you cannot move"),
        ("ascension", "11 honor to 2", "you have 11 honor to 2", "bob has 11 honor to 2"),
        ("go", "white wins by 0.5", "white wins by 0.5", "white wins by 0.5"),
        ("connect-four", "the server says so", "the server says so", "the server says so"),
    ],
)
def test_a_reason_can_address_the_reader_as_you(
    name: str, reason: str, winner_reads: str, loser_reads: str
) -> None:
    game = all_games()[name]
    assert game.why_won(reason, "you", "bob") == winner_reads
    assert game.why_won(reason, "bob", "you") == loser_reads


@pytest.mark.parametrize(
    ("ending", "detail", "why"),
    [
        (Ending.RESIGNED, "bob resigned", "bob resigned"),
        (Ending.OUT_OF_TIME, "took too long to answer", "bob ran out of time"),
        (Ending.LEFT, "bob left", "bob left the game"),
        (
            Ending.LEFT,
            "bob left: did not come back in time",
            "bob left the game: did not come back in time",
        ),
        (Ending.ILLEGAL_MOVE, "d3 is taken", "bob made an illegal move: d3 is taken"),
        (Ending.BROKE_PROTOCOL, "no JSON", "bob broke the protocol: no JSON"),
        (Ending.CRASHED, "ValueError", "bob crashed: ValueError"),
    ],
)
def test_the_reason_names_the_loser(ending: Ending, detail: str, why: str) -> None:
    assert Result(Seat.FIRST, ending, detail).why(Santorini, NAMES) == why


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (Result(Seat.FIRST, Ending.PLAYED_OUT, "4 in a row"), "ann wins: ann has 4 in a row"),
        (Result(Seat.SECOND, Ending.RESIGNED, "ann resigned"), "bob wins: ann resigned"),
        (Result(None, Ending.PLAYED_OUT, "both have 5"), "No winner: both have 5"),
        (Result(None, Ending.TOO_LONG, "5000 moves"), "No winner: too long: 5000 moves"),
    ],
)
def test_a_result_is_one_sentence(result: Result, sentence: str) -> None:
    assert result.in_words(all_games()["connect-four"], NAMES) == sentence
