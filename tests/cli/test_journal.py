"""`gamehall journal verify` and `show`, while a server runs and after it has stopped."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gamehall.core import Seat
from gamehall.games.connect_four import Cell
from gamehall.rooms.journal import RoomSpec
from gamehall.rooms.requests import Join, Look, PlannedMove, Play, Request, Submit
from gamehall.rooms.room import Codec, Entry, Peer
from gamehall.storage import LoopJournal, open_database
from gamehall.storage.database import FILE, Sqlite
from gamehall.storage.migrations import MIGRATIONS
from tests.support.commands import run

SEED = b"not to be seen by anybody at all"
SECRET = "xyzzy"

REQUESTS: tuple[Request[Cell], ...] = (
    Join("ann", secret=SECRET, door="tttp"),
    Play(Cell(3, 5)),
    Submit(Seat.FIRST, (PlannedMove(Cell(1, 1)),), secret=SECRET),
    Look(Seat.FIRST, secret=SECRET),
    Join("bob\x1b[2J"),
)


def write_journal(folder: Path) -> tuple[Sqlite, LoopJournal]:
    """Write a journal of two rooms, and keep it open like a server."""
    database = open_database(folder)
    assert isinstance(database, Sqlite)
    database.claim()
    journal = LoopJournal(database, lambda *_: None, pytest.fail)
    journal.restore()
    codec: Codec[Cell] = Codec(Cell)
    for name in ("tttp", "other"):
        key = journal.begin(RoomSpec(name, b"{}", SEED))
        for number, request in enumerate(REQUESTS, 1):
            entry: Entry[Any] = Entry(float(number), Peer(7), request)
            journal.append(key, codec.encode(entry), ())
        journal.append(key, codec.encode(Entry(99.5)), ())
    journal.commit(lambda: None)
    return database, journal


@pytest.fixture(params=["no server", "server"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    database, journal = write_journal(tmp_path)
    if request.param == "server":
        yield tmp_path
    journal.finish()
    database.release()
    if request.param == "no server":
        yield tmp_path


def test_a_journal_without_faults(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / FILE).read_bytes()
    assert run("journal", "verify", "--data", folder) == 0
    assert capsys.readouterr().out == (
        "room tttp (1): 6 entries\nroom other (2): 6 entries\nno faults in 2 rooms\n"
    )
    assert run("journal", "verify", "--json", "--data", folder) == 0
    assert json.loads(capsys.readouterr().out) == {
        "rooms": [
            {"id": 1, "room": "tttp", "entries": 6},
            {"id": 2, "room": "other", "entries": 6},
        ],
        "faults": [],
    }
    assert (folder / FILE).read_bytes() == before


def test_every_fault_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("UPDATE journal_entries SET content = '[1.0]' WHERE id IN (2, 4)")
        connection.execute("DELETE FROM journal_entries WHERE id = 12")
    assert run("journal", "verify", "--data", folder) == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines()[2:] == [
        "damaged: entry 2 of the room tttp (1) was changed",
        "damaged: entry 4 of the room tttp (1) was changed",
        "damaged: entry 6 of the room other (2) is missing, the last should be 6",
    ]
    assert shown.err.startswith("gamehall: the journal has 3 faults: restore a backup, or start")
    assert run("journal", "verify", "--json", "--data", folder) == 1
    assert len(json.loads(capsys.readouterr().out)["faults"]) == 3
    # Show works for a damaged journal, too.
    assert run("journal", "show", "tttp", "--data", folder) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 7
    assert len(shown.err.splitlines()) == 3


def test_TM_14_entries_are_shown_without_secrets(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("journal", "show", "tttp", "--data", folder) == 0
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert lines[0] == "room tttp (1): 6 entries"
    assert lines[1].startswith('     1  1.000 s  client 7 at tttp: Join name="ann"')
    assert 'secret="(hidden)"' in lines[1]
    assert lines[2] == "     2  2.000 s  client 7: Play move=[3, 5]"
    assert lines[6] == "     6  99.500 s  time passes"
    assert "\x1b" not in shown
    assert run("journal", "show", "--json", "--data", folder) == 0
    in_json = capsys.readouterr().out
    first, second = json.loads(in_json)
    assert (first["room"], second["room"]) == ("tttp", "other")
    assert first["entries"][1]["request"] == {"type": "Play", "move": [3, 5]}
    assert first["entries"][5] == {"time": 99.5, "peer": None, "door": "", "request": None}
    for text in (shown, in_json):
        assert SECRET not in text
        assert SEED.decode() not in text
        assert SEED.hex() not in text


def test_an_unknown_room_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("journal", "show", "go-text", "--data", folder) == 2
    assert "there is no room go-text in the journal; there are: other, tttp" in (
        capsys.readouterr().err
    )


def test_a_folder_without_a_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("journal", "verify", "--data", tmp_path) == 0
    assert capsys.readouterr().out == "no faults in 0 rooms\n"
    assert run("journal", "show", "--data", tmp_path) == 0
    assert capsys.readouterr().out == "the journal is empty\n"
    # A command that only reads creates no files.
    assert not list(tmp_path.iterdir())
    assert run("journal", "show", "--data", tmp_path / "nowhere") == 2


@pytest.mark.parametrize("how", ["deleted", "emptied", "exchanged", "not a database", "older"])
def test_an_unusable_database_is_an_error(
    how: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database, journal = write_journal(tmp_path)
    journal.finish()
    database.release()
    path = tmp_path / FILE
    path.unlink()
    if how == "emptied":
        path.write_bytes(b"")
    elif how == "exchanged":
        open_database(tmp_path)
    elif how == "not a database":
        path.write_text("something else entirely, and long enough for that" * 100)
    elif how == "older":
        with monkeypatch.context() as earlier:
            earlier.setattr("gamehall.storage.database.MIGRATIONS", MIGRATIONS[:4])
            open_database(tmp_path)
    assert run("journal", "verify", "--data", tmp_path) == 1
    [line] = capsys.readouterr().err.splitlines()
    words = {"older": "an earlier version", "not a database": "file is not a database"}
    if how in words:
        assert words[how] in line
    assert line.startswith("gamehall: ")
