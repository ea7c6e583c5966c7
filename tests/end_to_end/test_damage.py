"""A server with a damaged journal does not start; the error says what is damaged and what to do."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gamehall.games.connect_four import ConnectFour
from gamehall.match import Clock, Referee
from gamehall.storage import Archive, open_database
from gamehall.storage.database import FILE
from gamehall.storage.migrations import MIGRATIONS
from tests.independent.tttp_clients import StreamClient, read_update
from tests.match.test_record import play_at_random
from tests.support.records import store
from tests.support.served import Served, start_error

HOST = "127.0.0.1"
RECORD = play_at_random(Referee(ConnectFour(), Clock(), 2), 2)


def change(statements: str) -> Callable[[Path], None]:
    """Return a function that runs these statements in the database of a folder."""

    def run(folder: Path) -> None:
        with closing(sqlite3.connect(folder / FILE)) as connection:
            connection.executescript(statements)

    return run


def delete_file(folder: Path) -> None:
    (folder / FILE).unlink()


def empty_file(folder: Path) -> None:
    (folder / FILE).write_bytes(b"")


EMPTIED = f"{FILE} is empty, or not the database that the last server here has used"
DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "a changed entry": (
        change("UPDATE journal_entries SET content = replace(content, 'red', 'sam') WHERE id = 1"),
        "entry 1 of the room tttp/1 (1), or the row of the room, was changed",
    ),
    "no first entry": (
        change("DELETE FROM journal_entries WHERE id = 1"),
        "entry 1 of the room tttp/1 (1) is missing",
    ),
    "no entry in the middle": (
        change("DELETE FROM journal_entries WHERE id = 2"),
        "entry 2 of the room tttp/1 (1) is missing",
    ),
    "no last entry": (
        change("DELETE FROM journal_entries WHERE id = 3"),
        "entry 3 of the room tttp/1 (1) is missing, the last should be 3",
    ),
    "no room": (change("DELETE FROM journal_rooms"), "the row of the room 1 is missing"),
    "no journal": (
        change("DELETE FROM journal_entries; DELETE FROM journal_rooms"),
        "rooms are missing: there are 0 of 1",
    ),
    "nothing in any table": (
        change(
            "DELETE FROM journal_entries; DELETE FROM journal_rooms; DELETE FROM hall;"
            " DELETE FROM records"
        ),
        "the table `hall` must have one row, and has 0",
    ),
    "no file": (delete_file, EMPTIED),
    "an empty file": (empty_file, EMPTIED),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a server that was stopped during a game."""
    store(open_database(tmp_path), RECORD)
    with (
        Served("--data", str(tmp_path), "--door=tttp=0") as hall,
        StreamClient(HOST, hall.port()) as red,
        StreamClient(HOST, hall.port()) as blue,
    ):
        assert (red.join(b"red"), blue.join(b"blue")) == (1, 2)
        assert [read_update(red).won, read_update(red).won, read_update(blue).won] == [0, 0, 0]
        red.play(3, 5)
        assert read_update(blue).turn == 2
        assert hall.stop() == 0
    return tmp_path


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_database_is_an_error_and_fresh_keeps_the_records(
    kind: str, folder: Path
) -> None:
    damage, words = DAMAGE[kind]
    damage(folder)
    for _ in range(2):
        line = start_error("--data", str(folder), "--door=tttp=0")
        assert line.startswith("gamehall: ")
        assert words in line
        assert "--fresh" in line
        assert "backup" in line
    arguments = ("--data", str(folder), "--door=tttp=0")
    with Served(*arguments, "--fresh") as hall, StreamClient(HOST, hall.port()) as blue:
        assert blue.join(b"blue") == 1
        assert hall.stop() == 0
    with Served(*arguments) as hall:
        assert hall.stop() == 0
    is_lost = "file" in kind or "any table" in kind
    assert len(Archive(open_database(folder)).latest(10)) == (0 if is_lost else 1)


def test_games_in_play_of_an_earlier_version_are_dropped_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("gamehall.storage.database.MIGRATIONS", MIGRATIONS[:4])
        store(open_database(tmp_path), RECORD)
    change("INSERT INTO epochs (epoch, room, seed, settings) VALUES ('old', 'tttp', 5, '{}')")(
        tmp_path
    )
    has_warned = []
    for _ in range(2):
        with Served("--data", str(tmp_path), "--door=tttp=0") as hall:
            assert hall.stop() == 0
            has_warned.append("dropped the games in play: they were stored by an" in hall.errors)
    assert has_warned == [True, False]
    assert len(Archive(open_database(tmp_path)).latest(10)) == 1
