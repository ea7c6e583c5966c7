"""What is written to the database while the hall plays."""

import threading
from queue import SimpleQueue

import pytest

from gamehall.storage import Database, StorageError, Work, Writer, open_database
from tests.support.postgres import PostgresServer

INSERT = "INSERT INTO records (game, content) VALUES (?, ?)"


def count(database: Database) -> int:
    connection = database.connect()
    try:
        [(number,)] = connection.run("SELECT COUNT(*) FROM records")
    finally:
        connection.close()
    return int(number)


def test_whoever_listens_late_hears_what_was_written_before(database: Database) -> None:
    """What a hall writes as it is opened is safe before anybody listens."""
    writer = Writer(database)
    numbers: list[int] = []
    try:
        for _ in range(3):
            writer.put(Work(INSERT, ("go", b"{}")))
        while count(database) < 3:
            pass
        # In its own thread the writer may not have noted yet what the database has.
        heard = threading.Event()

        def written(number: int) -> None:
            numbers.append(number)
            if number == 3:
                heard.set()

        writer.report_to(written, lambda _: None)
        assert heard.wait(10)
    finally:
        writer.close()
    assert numbers == sorted(numbers)


def test_whoever_listens_late_hears_of_a_failure_before(database: Database) -> None:
    writer = Writer(database)
    writer.put(Work("INSERT INTO nothing (game) VALUES (?)", ("go",)))
    writer.close()
    failures: list[str] = []
    writer.report_to(lambda _: None, failures.append)
    [failure] = failures
    assert "nothing" in failure


def test_what_is_given_together_is_written_together_or_not_at_all(database: Database) -> None:
    writer = Writer(database)
    writer.put(Work(INSERT, ("go", b"{}")), Work("INSERT INTO nothing (game) VALUES (?)", ("go",)))
    writer.close()
    assert count(database) == 0


def test_nobody_else_claims_what_a_hall_writes_to(place: str) -> None:
    first, second = open_database(place), open_database(place)
    first.claim()
    with pytest.raises(StorageError, match="another hall keeps its things in"):
        second.claim()
    first.release()
    second.claim()
    second.release()


def test_whoever_loses_the_claim_cannot_write_any_more(postgres_server: PostgresServer) -> None:
    """Otherwise a second hall could open there while the first goes on."""
    where = postgres_server.fresh_database()
    database = open_database(where)
    database.claim()
    failures: SimpleQueue[str] = SimpleQueue()
    writer = Writer(database)
    writer.report_to(lambda _: None, failures.put)
    other = open_database(where).connect()
    [(holder,)] = other.run(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 8415 AND granted"
    )
    other.run("SELECT pg_terminate_backend(?, 10000)", holder)
    other.close()
    writer.put(Work(INSERT, ("go", b"{}")))
    assert "terminating connection" in failures.get(timeout=10)
    writer.close()
    second = open_database(where)
    second.claim()
    second.release()
