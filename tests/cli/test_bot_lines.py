"""The line that `gamehall bot` prints for each game."""

import pytest

from gamehall.cli.bot import _write_match
from gamehall.core import Seat
from gamehall.match import Ending, Result
from gamehall.players.conversation import PlayedMatch


@pytest.mark.parametrize(
    ("detail", "line"),
    [
        ("winner", "game 1: won as the second player"),
        ("4 in a row", "game 1: won as the second player: 4 in a row"),
    ],
)
def test_a_detail_that_only_repeats_the_verdict_is_omitted(detail: str, line: str) -> None:
    result = Result(Seat.SECOND, Ending.PLAYED_OUT, detail)
    assert _write_match(1, PlayedMatch(Seat.SECOND, result, None), as_json=False) == line
