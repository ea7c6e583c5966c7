"""The journal and the log lines of `gamehall serve`."""

import asyncio
from pathlib import Path

import pytest

from gamehall.cli.logs import BackgroundHandler
from gamehall.cli.serving import OutputObserver, StoredData
from gamehall.core import Seat
from gamehall.match import Ending, Record, Result
from gamehall.server.logged import loggable
from gamehall.storage import DatabaseJournal, LoopJournal, ThreadJournal, open_database


@pytest.mark.parametrize(
    ("survives_power_cuts", "kind"), [(False, LoopJournal), (True, ThreadJournal)]
)
def test_a_journal_that_waits_for_the_disk_is_written_in_a_thread(
    survives_power_cuts: bool, kind: type[DatabaseJournal], tmp_path: Path
) -> None:
    stored = StoredData(open_database(tmp_path, survives_power_cuts), fresh=False)
    loop = asyncio.new_event_loop()
    try:
        journal = stored.open_journal(loop, pytest.fail)
        assert type(journal) is kind
        assert journal.finish() == 0
    finally:
        loop.close()


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
    OutputObserver(None, BackgroundHandler(None, 1)).match_ended("tttp", record)
    assert caplog.messages[0].startswith(f"tttp: {words}")
    assert record.match_name in caplog.messages[0]


def test_players_without_names_are_logged_by_their_seats(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    result = Result(Seat.SECOND, Ending.LEFT, "the opponent left")
    record = Record("go", {}, 7, (None, None), (), result)
    OutputObserver(None, BackgroundHandler(None, 1)).match_ended("go-text", record)
    beaten = "go-text: the second player beat the first player (the opponent left)"
    assert caplog.messages[0].startswith(beaten)


@pytest.mark.parametrize(
    ("name", "shown"),
    [("ann", "ann"), ("a\nERROR b", "'a\\nERROR b'"), ("x" * 50, "x" * 40 + "...")],
)
def test_a_name_is_logged_on_one_line(name: str, shown: str) -> None:
    assert loggable(name) == shown
