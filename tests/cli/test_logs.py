"""The filter and the JSON format of log lines."""

import json
import logging

from gamehall.cli.logs import LINES_PER_SECOND, JsonFormatter, RateLimitFilter
from gamehall.core import Seat


def record(message: str) -> logging.LogRecord:
    return logging.LogRecord("gamehall", logging.INFO, __file__, 1, message, (), None)


def test_similar_lines_are_limited_and_counted() -> None:
    now = 10.0
    limiter = RateLimitFilter(clock=lambda: now)
    assert sum(limiter.filter(record("closing %s")) for _ in range(100)) == LINES_PER_SECOND
    assert limiter.filter(record("another kind"))
    now = 11.0
    first = record("closing %s")
    assert limiter.filter(first)
    assert first.msg == f"closing %s (dropped {100 - LINES_PER_SECOND} similar lines before)"
    second = record("closing %s")
    assert limiter.filter(second)
    assert second.msg == "closing %s"


def test_a_json_line_has_the_message_and_the_fields() -> None:
    line = record("tttp: dropping %s")
    line.args = ("127.0.0.1:4711",)
    line.fields = {"door": "tttp", "match": "m0123456789", "winner": Seat.FIRST}
    written = json.loads(JsonFormatter().format(line))
    assert written.pop("time").endswith("+00:00")
    assert written == {
        "level": "info",
        "message": "tttp: dropping 127.0.0.1:4711",
        "door": "tttp",
        "match": "m0123456789",
        "winner": Seat.FIRST.value,
    }


def test_a_traceback_is_part_of_its_json_line() -> None:
    line = record("cannot tell")
    fault = ValueError("no board")
    line.exc_info = (ValueError, fault, None)
    text = JsonFormatter().format(line)
    assert "\n" not in text
    assert "ValueError: no board" in json.loads(text)["traceback"]
