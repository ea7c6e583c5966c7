"""What the log says of a match that has ended."""

import pytest

from gamehall.cli.keeper import Keeper
from gamehall.cli.logs import BackgroundHandler
from gamehall.core import Seat
from gamehall.match import Ending, Record, Result
from gamehall.server.logged import loggable


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (Result(Seat.FIRST, Ending.PLAYED_OUT, "4 in a row"), "ann beat bob (4 in a row)"),
        (Result(Seat.SECOND, Ending.LEFT, "ann left"), "bob beat ann (ann left)"),
        (
            Result(Seat.FIRST, Ending.OUT_OF_TIME, "took too long to answer"),
            "ann beat bob (out of time: took too long to answer)",
        ),
        (Result(None, Ending.PLAYED_OUT, "the board is full"), "ann and bob drew"),
        (Result(None, Ending.CANCELLED, "bob left"), "ann and bob have no winner (bob left)"),
    ],
    ids=lambda value: value.ending.value if isinstance(value, Result) else "",
)
def test_the_log_names_players_winner_and_reason(
    result: Result, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    record = Record("connect-four", {}, 7, ("ann", "bob"), (), result)
    Keeper(None, BackgroundHandler(None, 1)).match_ended("tttp", record)
    assert caplog.messages[0].startswith(f"tttp: {words}")
    assert record.match in caplog.messages[0]


def test_players_without_names_are_told_apart_by_their_seats(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    result = Result(Seat.SECOND, Ending.LEFT, "the opponent left")
    record = Record("go", {}, 7, (None, None), (), result)
    Keeper(None, BackgroundHandler(None, 1)).match_ended("go-text", record)
    beaten = "go-text: the second player beat the first player (the opponent left)"
    assert caplog.messages[0].startswith(beaten)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("ann", "ann"), ("a\nERROR b", "'a\\nERROR b'"), ("x" * 50, "x" * 40 + "...")],
)
def test_a_name_stands_in_one_line_of_the_log(name: str, shown: str) -> None:
    assert loggable(name) == shown
