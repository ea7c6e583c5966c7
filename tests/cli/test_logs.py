"""Logs never hold up the hall."""

import json
import logging

from gamehall.cli.logs import LINES_PER_SECOND, JsonLines, Thinned
from gamehall.core import Seat


def record(message: str) -> logging.LogRecord:
    return logging.LogRecord("gamehall", logging.INFO, __file__, 1, message, (), None)


def test_only_so_many_lines_of_a_kind_and_then_their_number() -> None:
    now = 10.0
    thinned = Thinned(clock=lambda: now)
    assert sum(thinned.filter(record("closing %s")) for _ in range(100)) == LINES_PER_SECOND
    assert thinned.filter(record("another kind"))
    now = 11.0
    first = record("closing %s")
    assert thinned.filter(first)
    assert first.msg == f"closing %s (and {100 - LINES_PER_SECOND} more like it before)"
    second = record("closing %s")
    assert thinned.filter(second)
    assert second.msg == "closing %s"


def test_a_line_of_json_has_the_words_and_what_they_are_about() -> None:
    line = record("tttp: dropping %s")
    line.args = ("127.0.0.1:4711",)
    line.fields = {"door": "tttp", "match": "m0123456789", "winner": Seat.FIRST}
    written = json.loads(JsonLines().format(line))
    assert written.pop("time").endswith("+00:00")
    assert written == {
        "level": "info",
        "message": "tttp: dropping 127.0.0.1:4711",
        "door": "tttp",
        "match": "m0123456789",
        "winner": Seat.FIRST.value,
    }


def test_what_went_wrong_stands_in_its_line() -> None:
    line = record("cannot tell")
    fault = ValueError("no board")
    line.exc_info = (ValueError, fault, None)
    text = JsonLines().format(line)
    assert "\n" not in text
    assert "ValueError: no board" in json.loads(text)["traceback"]
