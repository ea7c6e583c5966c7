"""When the disk is full or the database is away, play stops: no client is told what is not stored.

Real servers with clients at every door. They wait, and go on when what they play can be stored.
"""

import resource
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from gamehall.storage import open_database
from gamehall.storage.database import FILE
from tests.end_to_end.test_kill import (
    ARGUMENTS,
    DOORS,
    Told,
    check_the_end,
)
from tests.independent.tttp_clients import StreamClient, read_update
from tests.support.crash_load import HOST, CrashClients
from tests.support.postgres import PostgresServer
from tests.support.served import Served

HEARD = 60
"""What clients hear before the trouble that shows a move, at all doors together."""

SECONDS_OF_SILENCE = 1.0
SECONDS_PER_TURN = 2

CUTS = 5
HEARD_BETWEEN_CUTS = 15


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@contextmanager
def full_disk(hall: Served) -> Iterator[None]:
    """To the server, files that may not be written are on a full disk."""
    _, hard = resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (hard, hard))


@contextmanager
def locked_database(folder: Path) -> Iterator[None]:
    """Another program writes to the database, and takes its time."""
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def wait_for_log(hall: Served, words: str) -> str:
    """Wait for a line of the server's log."""
    assert hall.program.stderr is not None
    for line in hall.program.stderr:
        assert "Traceback" not in line
        if words in line:
            return line
    raise AssertionError(f"the server has ended without saying {words!r}")


@pytest.mark.parametrize("durability", ["crash", "power"])
@pytest.mark.parametrize("trouble", ["full disk", "locked database"])
def test_while_nothing_can_be_written_play_stops_and_then_it_goes_on(
    trouble: str, durability: str, tmp_path: Path
) -> None:
    clients, told = CrashClients(1), Told()
    # Everybody plays one match or tournament, and must come to its end.
    clients.is_last_life = True
    with Served("--data", str(tmp_path), "--durability", durability, *ARGUMENTS) as hall:
        clients.play({door: hall.port(door) for door in DOORS}, {}, b"")
        clients.wait_for(HEARD, DOORS)
        with full_disk(hall) if trouble == "full disk" else locked_database(tmp_path):
            line = wait_for_log(hall, "cannot write the journal: ")
            assert "play stops until it can be written" in line
            # What was committed before the trouble has been heard by now, and nothing else is.
            heard = clients.total.total()
            time.sleep(SECONDS_OF_SILENCE)
            assert clients.total.total() == heard
        assert "play goes on" in wait_for_log(hall, "the journal can be written again")
        clients.finish()
        assert hall.stop() == 0
        told.results += hall.output.splitlines()
        assert "Traceback" not in hall.errors, hall.errors
    check_the_end(clients, open_database(tmp_path), told, kills=0)


def test_a_full_disk_takes_no_time_from_a_player(tmp_path: Path) -> None:
    arguments = ("--door=tttp=0", f"--set=tttp.turn-seconds={SECONDS_PER_TURN}")
    with (
        Served("--data", str(tmp_path), *arguments) as hall,
        StreamClient(HOST, hall.port()) as red,
        StreamClient(HOST, hall.port()) as blue,
    ):
        assert (red.join(b"red"), blue.join(b"blue")) == (1, 2)
        assert [read_update(red).won, read_update(red).won, read_update(blue).won] == [0, 0, 0]
        with full_disk(hall):
            red.play(3, 5)
            # What is tested is that this time is nobody's, so it must pass.
            time.sleep(SECONDS_PER_TURN + 1.0)
        assert [(seen.turn, seen.won) for seen in (read_update(red), read_update(blue))] == [
            (2, 0),
            (2, 0),
        ]
        blue.play(3, 4)
        assert [read_update(red).won, read_update(blue).won] == [0, 0]
        assert hall.stop() == 0


@pytest.mark.parametrize("durability", ["crash", "power"])
def test_a_server_that_is_stopped_on_a_full_disk_loses_nothing_that_was_acknowledged(
    durability: str, tmp_path: Path
) -> None:
    arguments = ("--data", str(tmp_path), "--door=tttp=0", "--durability", durability)
    with Served(*arguments) as hall:
        red, blue = StreamClient(HOST, hall.port()), StreamClient(HOST, hall.port())
        with red, blue:
            assert (red.join(b"red"), blue.join(b"blue")) == (1, 2)
            assert [read_update(red).won, read_update(red).won, read_update(blue).won] == [0, 0, 0]
            red.play(3, 5)
            seen = read_update(blue)
            assert read_update(red) == seen
            # The limit is not raised again: the server ends with it.
            resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (0, 0))
            blue.play(3, 4)
            wait_for_log(hall, "cannot write the journal: ")
            assert hall.stop() == 1
            assert red.at_end(), "nobody was told of the move"
        *_, last = hall.errors.splitlines()
        assert last.startswith("gamehall: the last moves could not be stored")
        assert "Traceback" not in hall.errors
    with Served(*arguments) as hall, StreamClient(HOST, hall.port()) as blue:
        assert blue.join(b"blue") == 2
        assert read_update(blue) == seen
        assert hall.stop() == 0


@pytest.mark.parametrize("durability", ["crash", "power"])
def test_a_server_that_is_stopped_on_a_full_disk_closes_a_connection_that_it_was_about_to_close(
    durability: str, tmp_path: Path
) -> None:
    arguments = ("--data", str(tmp_path), "--door=tttp=0", "--durability", durability)
    with Served(*arguments) as hall, socket.create_connection((HOST, hall.port()), 30) as red:
        red.sendall(b"JOIN\x03red")
        assert red.recv(1) == b"J"
        resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (0, 0))
        # That ends the connection, but not before it is stored that the player has left.
        red.sendall(b"JUNK")
        wait_for_log(hall, "cannot write the journal: ")
        assert hall.stop() == 1
        assert "Traceback" not in hall.errors


@pytest.mark.parametrize("trouble", ["stopped", "paused", "connections cut"])
def test_while_postgres_is_away_play_stops_and_then_it_goes_on(
    trouble: str, postgres: PostgresServer
) -> None:
    where = postgres.fresh_database()
    clients, told = CrashClients(3), Told()
    clients.is_last_life = True
    with Served("--data", where, *ARGUMENTS) as hall:
        clients.play({door: hall.port(door) for door in DOORS}, {}, b"")
        clients.wait_for(HEARD, DOORS)
        if trouble == "connections cut":
            for _ in range(CUTS):
                cut_connections(where)
                clients.wait_for(clients.total.total() + HEARD_BETWEEN_CUTS, ())
        else:
            with stopped(postgres) if trouble == "stopped" else postgres.paused():
                wait_for_log(hall, "; play stops until it ")
                # What was committed before may still be on its way to the clients.
                time.sleep(SECONDS_OF_SILENCE)
                heard = clients.total.total()
                time.sleep(SECONDS_OF_SILENCE)
                assert clients.total.total() == heard
            assert "play goes on" in wait_for_log(hall, "the journal can be written again")
        clients.finish()
        assert hall.stop() == 0
        told.results += hall.output.splitlines()
        assert "Traceback" not in hall.errors, hall.errors
    check_the_end(clients, open_database(where), told, kills=0)


@contextmanager
def stopped(postgres: PostgresServer) -> Iterator[None]:
    postgres.stop()
    try:
        yield
    finally:
        postgres.start()


def cut_connections(where: str) -> None:
    """Have PostgreSQL end all connections to a database but this."""
    with psycopg.connect(where) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
