"""Records that were written are there, also for the next who opens the database."""

import sqlite3
from pathlib import Path

import msgspec
import pytest

from gamehall.games.connect_four import ConnectFour
from gamehall.match import BadRecord, Clock, Record, Referee
from gamehall.storage import Archive, Database, StorageError, Writer, open_database
from gamehall.storage.archive import keeping
from tests.match.test_record import play_at_random


def record(seed: int) -> Record:
    return play_at_random(Referee(ConnectFour(), Clock(), seed), seed)


def keep(database: Database, *records: Record) -> None:
    writer = Writer(database)
    for one in records:
        writer.put(keeping(one))
    writer.close()


def test_what_was_written_is_found_by_its_number(database: Database) -> None:
    keep(database, record(1), record(2))
    keep(database, record(3))
    archive = Archive(database)
    assert [kept.number for kept in archive.latest(10)] == [3, 2, 1]
    assert archive.latest(1)[0].record == record(3)
    assert archive.find(2) == record(2)
    assert archive.find(4) is None


def test_many_at_once_are_all_kept_in_their_order(database: Database) -> None:
    some = record(1)
    keep(database, *(msgspec.structs.replace(some, seed=number) for number in range(12_000)))
    kept = Archive(database).latest(12_000)
    assert [one.record.seed for one in kept] == list(range(11_999, -1, -1))


def test_two_may_write(database: Database) -> None:
    one, other = Writer(database), Writer(database)
    one.put(keeping(record(1)))
    other.put(keeping(record(2)))
    one.close()
    other.close()
    assert len(Archive(database).latest(10)) == 2


def test_a_record_that_was_spoilt_is_no_traceback(tmp_path: Path) -> None:
    keep(open_database(tmp_path), record(1))
    connection = sqlite3.connect(tmp_path / "hall.sqlite")
    with connection:
        connection.execute("UPDATE records SET content = '{}'")
    connection.close()
    with pytest.raises(BadRecord, match="not the record"):
        Archive(open_database(tmp_path)).find(1)


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot use"):
        open_database(tmp_path / "file")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "hall.sqlite").write_text("something else entirely, and long enough for that")
    with pytest.raises(StorageError, match="not a database"):
        open_database(tmp_path)


def test_what_is_written_outlives_the_program_at_once(tmp_path: Path) -> None:
    """A write-ahead log, and not the slower journal; synced at checkpoints."""
    connection = open_database(tmp_path).connect()
    [(mode,)] = connection.run("PRAGMA journal_mode")
    [(synchronous,)] = connection.run("PRAGMA synchronous")
    connection.close()
    assert (mode, synchronous) == ("wal", 1)
