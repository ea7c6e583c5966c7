"""What `gamehall bot` says of a match."""

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
def test_a_word_that_only_repeats_the_verdict_is_left_out(detail: str, line: str) -> None:
    result = Result(Seat.SECOND, Ending.PLAYED_OUT, detail)
    assert _write_match(1, PlayedMatch(Seat.SECOND, result, None), as_json=False) == line
