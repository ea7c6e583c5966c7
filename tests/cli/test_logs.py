"""Logs never hold up the hall."""

import logging

from gamehall.cli.logs import LINES_PER_SECOND, Thinned


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
