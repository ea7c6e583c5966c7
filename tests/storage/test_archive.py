"""The archive of records."""

import sqlite3
from pathlib import Path

import msgspec
import pytest

from gamehall.games.connect_four import ConnectFour
from gamehall.match import Clock, Record, RecordError, Referee
from gamehall.storage import Archive, Database, open_database
from tests.match.test_record import play_at_random
from tests.support.records import store


def record(seed: int) -> Record:
    return play_at_random(Referee(ConnectFour(), Clock(), seed), seed)


def test_records_are_found_by_number_and_newest_first(database: Database) -> None:
    store(database, record(1), record(2))
    store(database, record(3))
    archive = Archive(database)
    assert [kept.number for kept in archive.latest(10)] == [3, 2, 1]
    assert archive.latest(1)[0].record == record(3)
    assert archive.find(2) == record(2)
    assert archive.find(4) is None


def test_many_records_are_stored_in_order(database: Database) -> None:
    some = record(1)
    store(database, *(msgspec.structs.replace(some, seed=number) for number in range(12_000)))
    kept = Archive(database).latest(12_000)
    assert [one.record.seed for one in kept] == list(range(11_999, -1, -1))


def test_a_damaged_record_raises_a_record_error(tmp_path: Path) -> None:
    store(open_database(tmp_path), record(1))
    connection = sqlite3.connect(tmp_path / "hall.sqlite")
    with connection:
        connection.execute("UPDATE records SET content = '{}'")
    connection.close()
    with pytest.raises(RecordError, match="not the record"):
        Archive(open_database(tmp_path)).find(1)
