"""Databases: claims, migrations, and databases that were emptied or exchanged."""

from pathlib import Path

import pytest

from gamehall.storage import Archive, StorageError, open_database
from gamehall.storage.database import FILE, LOCK_FILE
from gamehall.storage.migrations import MIGRATIONS
from tests.storage.test_archive import record
from tests.storage.test_journal import run
from tests.support.records import store


def test_only_one_server_can_claim_a_database(place: str) -> None:
    first, second = open_database(place), open_database(place)
    first.claim()
    with pytest.raises(StorageError, match="another server uses"):
        second.claim()
    first.release()
    second.claim()
    second.release()


@pytest.mark.parametrize("how", ["deleted", "emptied", "exchanged"])
def test_a_database_that_is_not_the_one_used_before_is_refused(how: str, tmp_path: Path) -> None:
    claim_and_release(tmp_path)
    claim_and_release(tmp_path)
    if how == "deleted":
        (tmp_path / FILE).unlink()
    elif how == "emptied":
        (tmp_path / FILE).write_bytes(b"")
    else:
        open_database(tmp_path / "other")
        (tmp_path / "other" / FILE).rename(tmp_path / FILE)
    for _ in range(2):
        # Every attempt is refused.
        with pytest.raises(StorageError, match=rf"{FILE} is empty, or not the .*--fresh"):
            claim_and_release(tmp_path)
    claim_and_release(tmp_path, fresh=True)
    claim_and_release(tmp_path)


def test_a_lock_file_of_an_earlier_version_without_a_mark_is_accepted(tmp_path: Path) -> None:
    (tmp_path / LOCK_FILE).write_text("")
    claim_and_release(tmp_path)
    assert (tmp_path / LOCK_FILE).read_text()


def test_a_database_without_its_mark_is_refused(place: str) -> None:
    database = open_database(place)
    run(database, "DELETE FROM hall")
    with pytest.raises(StorageError, match=r"table `hall` must have one row.*--fresh"):
        database.claim()
    database.claim(fresh=True)
    database.release()
    database.claim()
    database.release()


def test_a_database_without_a_table_is_refused(place: str) -> None:
    database = open_database(place)
    run(database, "DROP TABLE hall")
    with pytest.raises(StorageError, match=r"is damaged: .*hall.*Restore a backup"):
        database.claim()


def claim_and_release(folder: Path, fresh: bool = False) -> None:
    database = open_database(folder)
    try:
        database.claim(fresh)
    finally:
        database.release()


@pytest.mark.parametrize("has_games", [True, False])
def test_games_of_an_earlier_version_are_dropped_and_the_next_server_says_so(
    has_games: bool, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("gamehall.storage.database.MIGRATIONS", MIGRATIONS[:4])
        old = open_database(place)
    store(old, record(1))
    if has_games:
        run(
            old,
            "INSERT INTO epochs (epoch, room, seed, settings) VALUES ('old', 'tttp', 5, 'terms')",
        )
        run(old, "INSERT INTO journal (epoch, content) VALUES ('old', '[1.0]')")
    # Commands that only read do not reset the flag.
    assert Archive(open_database(place)).find(1) == record(1)
    for is_reported in (has_games, False):
        database = open_database(place)
        database.claim()
        assert bool(database.has_dropped_games) is is_reported
        database.release()


def test_a_database_of_a_newer_version_is_refused(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_database(place)
    monkeypatch.setattr("gamehall.storage.database.MIGRATIONS", MIGRATIONS[:-1])
    with pytest.raises(StorageError, match="a newer version"):
        open_database(place)


def test_a_transaction_whose_commit_fails_is_rolled_back(tmp_path: Path) -> None:
    """SQLite leaves a transaction open if its COMMIT fails."""
    database = open_database(tmp_path)
    connection = database.connect()
    connection.run("CREATE TABLE parents (id INTEGER PRIMARY KEY)")
    connection.run(
        "CREATE TABLE children (id INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED)"
    )
    connection.run("PRAGMA foreign_keys = ON")
    for _ in range(2):
        with pytest.raises(StorageError, match="FOREIGN KEY"), connection.transaction():
            connection.run("INSERT INTO children VALUES (1)")
    assert connection.run("SELECT * FROM children") == []
    connection.close()


def test_a_file_instead_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot use"):
        open_database(tmp_path / "file")


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hall.sqlite").write_text("something else entirely, and long enough for that")
    with pytest.raises(StorageError, match="not a database"):
        open_database(tmp_path)


@pytest.mark.parametrize(("survives_power_cuts", "expected"), [(False, 1), (True, 2)])
def test_commits_are_synced_only_if_they_must_survive_power_cuts(
    survives_power_cuts: bool, expected: int, tmp_path: Path
) -> None:
    """In WAL mode, synchronous 1 (NORMAL) syncs at checkpoints, 2 (FULL) at every commit."""
    connection = open_database(tmp_path, survives_power_cuts).connect()
    [(mode,)] = connection.run("PRAGMA journal_mode")
    [(synchronous,)] = connection.run("PRAGMA synchronous")
    connection.close()
    assert (mode, synchronous) == ("wal", expected)
