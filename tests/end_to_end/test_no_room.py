"""While the disk is full or the database is away, play stops: unstored moves are not confirmed.

Clients at every door of a real server wait, and continue when the journal can be written again.
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
    ServerHistory,
    check_the_end,
)
from tests.independent.tttp_clients import StreamClient, read_update
from tests.support.crash_load import HOST, CrashClients
from tests.support.postgres import PostgresServer
from tests.support.served import Served

CONFIRMED_MOVES = 60
"""The number of moves confirmed before the trouble, at all doors together."""

SECONDS_OF_SILENCE = 1.0
SECONDS_PER_TURN = 2

CUTS = 5
MOVES_BETWEEN_CUTS = 15


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@contextmanager
def full_disk(hall: Served) -> Iterator[None]:
    """Limit the size of the server's files to 0, which has the effect of a full disk."""
    _, hard = resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (hard, hard))


@contextmanager
def locked_database(folder: Path) -> Iterator[None]:
    """Hold the write lock of the database, like a slow program."""
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def wait_for_log(hall: Served, words: str) -> str:
    """Wait for a line of the log with these words, and return it."""
    assert hall.program.stderr is not None
    for line in hall.program.stderr:
        assert "Traceback" not in line
        if words in line:
            return line
    raise AssertionError(f"the server has ended without saying {words!r}")


@contextmanager
def play_to_the_end(
    where: str, seed: int, *arguments: str
) -> Iterator[tuple[Served, CrashClients]]:
    """Have clients play one match or tournament at every door of a server.

    Yield when CONFIRMED_MOVES were confirmed. Afterwards wait for the ends of all games, and check
    that nothing is lost.
    """
    clients, history = CrashClients(seed), ServerHistory()
    clients.is_last_run = True
    with Served("--data", where, *arguments, *ARGUMENTS) as hall:
        clients.play({door: hall.port(door) for door in DOORS}, {}, b"")
        clients.wait_for(CONFIRMED_MOVES, DOORS)
        yield hall, clients
        clients.finish()
        assert hall.stop() == 0
        history.results += hall.output.splitlines()
        assert "Traceback" not in hall.errors, hall.errors
    check_the_end(clients, open_database(where), history, kills=0)


@pytest.mark.parametrize("durability", ["crash", "power"])
@pytest.mark.parametrize("trouble", ["full disk", "locked database"])
def test_play_stops_while_the_journal_cannot_be_written_and_then_continues(
    trouble: str, durability: str, tmp_path: Path
) -> None:
    with play_to_the_end(str(tmp_path), 1, "--durability", durability) as (hall, clients):
        with full_disk(hall) if trouble == "full disk" else locked_database(tmp_path):
            line = wait_for_log(hall, "cannot write the journal: ")
            assert "play stops until it can be written" in line
            # Moves that were committed before have been confirmed by now, and no others are.
            confirmed = clients.total.total()
            time.sleep(SECONDS_OF_SILENCE)
            assert clients.total.total() == confirmed
        assert "play goes on" in wait_for_log(hall, "the journal can be written again")


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
            # This time must not count for any player.
            time.sleep(SECONDS_PER_TURN + 1.0)
        assert [(seen.turn, seen.won) for seen in (read_update(red), read_update(blue))] == [
            (2, 0),
            (2, 0),
        ]
        blue.play(3, 4)
        assert [read_update(red).won, read_update(blue).won] == [0, 0]
        assert hall.stop() == 0


@pytest.mark.parametrize("durability", ["crash", "power"])
def test_a_server_that_is_stopped_on_a_full_disk_keeps_all_confirmed_moves(
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
            # This limit stays until the server ends.
            resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (0, 0))
            blue.play(3, 4)
            wait_for_log(hall, "cannot write the journal: ")
            assert hall.stop() == 1
            assert red.at_end(), "the move is not confirmed"
        *_, last = hall.errors.splitlines()
        assert last.startswith("gamehall: the last moves could not be stored")
        assert "Traceback" not in hall.errors
    with Served(*arguments) as hall, StreamClient(HOST, hall.port()) as blue:
        assert blue.join(b"blue") == 2
        assert read_update(blue) == seen
        assert hall.stop() == 0


@pytest.mark.parametrize("durability", ["crash", "power"])
def test_a_server_that_is_stopped_on_a_full_disk_closes_pending_connections(
    durability: str, tmp_path: Path
) -> None:
    arguments = ("--data", str(tmp_path), "--door=tttp=0", "--durability", durability)
    with Served(*arguments) as hall, socket.create_connection((HOST, hall.port()), 30) as red:
        red.sendall(b"JOIN\x03red")
        assert red.recv(1) == b"J"
        resource.prlimit(hall.program.pid, resource.RLIMIT_FSIZE, (0, 0))
        # This closes the connection, but only after it is stored that the player has left.
        red.sendall(b"JUNK")
        wait_for_log(hall, "cannot write the journal: ")
        assert hall.stop() == 1
        assert "Traceback" not in hall.errors


@pytest.mark.parametrize("trouble", ["stopped", "paused", "connections cut"])
def test_play_stops_while_postgres_is_away_and_then_continues(
    trouble: str, postgres: PostgresServer
) -> None:
    where = postgres.fresh_database()
    with play_to_the_end(where, 3) as (hall, clients):
        if trouble == "connections cut":
            for _ in range(CUTS):
                cut_connections(where)
                clients.wait_for(clients.total.total() + MOVES_BETWEEN_CUTS, ())
        else:
            with stopped(postgres) if trouble == "stopped" else postgres.paused():
                wait_for_log(hall, "; play stops until it ")
                # Moves that were committed before may still be on their way to the clients.
                time.sleep(SECONDS_OF_SILENCE)
                confirmed = clients.total.total()
                time.sleep(SECONDS_OF_SILENCE)
                assert clients.total.total() == confirmed
            assert "play goes on" in wait_for_log(hall, "the journal can be written again")


@contextmanager
def stopped(postgres: PostgresServer) -> Iterator[None]:
    postgres.stop()
    try:
        yield
    finally:
        postgres.start()


def cut_connections(where: str) -> None:
    """Close all other connections to a database."""
    with psycopg.connect(where) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
