"""Records that were added are there, also for the next who opens the folder."""

import sqlite3
from pathlib import Path

import msgspec
import pytest

from gamehall.games.connect_four import ConnectFour
from gamehall.play import BadRecord, Clock, Record, Referee
from gamehall.storage import Archive, CannotKeep
from tests.play.test_record import play_at_random


def record(seed: int) -> Record:
    return play_at_random(Referee(ConnectFour(), Clock(), seed), seed)


def test_what_was_added_is_found_by_its_number(tmp_path: Path) -> None:
    with Archive(tmp_path / "new" / "folder") as archive:
        archive.add(record(1))
        archive.add(record(2))
    with Archive(tmp_path / "new" / "folder") as archive:
        archive.add(record(3))
    archive = Archive(tmp_path / "new" / "folder")
    assert [kept.number for kept in archive.latest(10)] == [3, 2, 1]
    assert archive.latest(1)[0].record == record(3)
    assert archive.find(2) == record(2)
    assert archive.find(4) is None
    archive.close()


def test_many_at_once_are_all_kept_in_their_order(tmp_path: Path) -> None:
    some = record(1)
    with Archive(tmp_path) as archive:
        for number in range(2000):
            archive.add(msgspec.structs.replace(some, seed=number))
    with Archive(tmp_path) as archive:
        assert [kept.record.seed for kept in archive.latest(2000)] == list(range(1999, -1, -1))


def test_two_may_have_it_open(tmp_path: Path) -> None:
    with Archive(tmp_path) as one, Archive(tmp_path) as other:
        one.add(record(1))
        other.add(record(2))
    with Archive(tmp_path) as archive:
        assert len(archive.latest(10)) == 2


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotKeep, match="cannot keep anything in"):
        Archive(tmp_path / "file")


def test_a_file_that_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "hall.sqlite").write_text("something else entirely, and long enough for that")
    with pytest.raises(CannotKeep, match="not a database"):
        Archive(tmp_path)


def test_a_record_that_was_spoilt_is_no_traceback(tmp_path: Path) -> None:
    with Archive(tmp_path) as archive:
        archive.add(record(1))
    connection = sqlite3.connect(tmp_path / "hall.sqlite")
    with connection:
        connection.execute("UPDATE records SET content = '{}'")
    connection.close()
    with Archive(tmp_path) as archive, pytest.raises(BadRecord, match="not the record"):
        archive.find(1)
