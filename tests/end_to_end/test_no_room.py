"""When the disk is full or the database is lost, play stops, and nobody is told what is not kept.

Real halls with people at every door. What they keep things in fails while they play; when there is
room again, everything goes on.
"""

import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from gamehall.storage import open_database
from gamehall.storage.database import FILE
from tests.end_to_end.test_kill import (
    ARGUMENTS,
    DOORS,
    Past,
    Told,
    check_no_result_twice,
    check_nothing_is_lost,
    check_the_end,
)
from tests.support.crash_load import ASCENSION, ConnectionLimits
from tests.support.postgres import PostgresServer
from tests.support.served import Served

SECONDS_TO_BE_GONE = 10.0
"""Less than clients would wait for an answer that does not come."""

HEARD = 150
"""What clients hear before the trouble that shows a move, at all doors together."""

NOTICE = "gamehall: cannot keep what is played: "


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.mark.parametrize("seed", [1, 2])
def test_a_full_disk_stops_play_and_with_room_it_goes_on(seed: int, tmp_path: Path) -> None:
    def fill_disk(hall: Served) -> None:
        # To the hall, a file that may not grow is a disk without room.
        size = (tmp_path / f"{FILE}-wal").stat().st_size
        resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (size, size))

    why = check_play_stops_and_goes_on(str(tmp_path), seed, fill_disk, lambda: None)
    assert why in ("database or disk is full", "disk I/O error")


CUT = ("terminating connection", "server closed the connection", "connection is lost")
"""What is said of a connection that has been cut, depending on when."""


def test_a_database_that_is_stopped_stops_play_and_started_again_it_goes_on(
    postgres: PostgresServer,
) -> None:
    why = check_play_stops_and_goes_on(
        postgres.fresh_database(), 3, lambda _: postgres.stop(), postgres.start
    )
    assert any(words in why for words in CUT), why


def test_a_connection_to_the_database_that_is_cut_stops_play_and_opened_again_it_goes_on(
    postgres: PostgresServer,
) -> None:
    where = postgres.fresh_database()

    def cut(_: Served) -> None:
        with psycopg.connect(where) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    why = check_play_stops_and_goes_on(where, 4, cut, lambda: None)
    assert any(words in why for words in CUT), why


def check_play_stops_and_goes_on(
    where: str, seed: int, fail: Callable[[Served], None], mend: Callable[[], None]
) -> str:
    """Has a hall fail in the middle of play, and another one go on; why the first has stopped."""
    crowd, told = ConnectionLimits(seed), Told()
    with Served("--data", where, *ARGUMENTS) as hall:
        crowd.play({door: hall.port(door) for door in DOORS}, {}, b"")
        crowd.wait_for(HEARD, DOORS)
        crowd.expect_kill()
        fail(hall)
        try:
            exit_code = hall.wait()
        finally:
            mend()
        stopped_at = time.monotonic()
        crowd.finish()
        assert time.monotonic() - stopped_at < SECONDS_TO_BE_GONE, "clients were left hanging"
        told.results += hall.output.splitlines()
    assert exit_code == 1, hall.errors
    assert "Traceback" not in hall.errors, hall.errors
    why = [line for line in hall.errors.splitlines() if line.startswith(NOTICE)]
    assert len(why) == 1, hall.errors
    past = Past(open_database(where))
    check_nothing_is_lost(crowd, past)
    check_no_result_twice(past.records)
    told.cut_short += past.matches_of_go
    for player in crowd.ascension:
        player.is_done = player.is_done or past.is_over[ASCENSION]
    crowd.is_last_life = True
    with Served("--data", where, *ARGUMENTS) as hall:
        crowd.play({door: hall.port(door) for door in DOORS}, past.returns, past.state)
        crowd.finish()
        assert hall.stop() == 0
        told.results += hall.output.splitlines()
        assert "Traceback" not in hall.errors, hall.errors
    check_the_end(crowd, open_database(where), told, kills=1)
    return why[0].removeprefix(NOTICE)
