"""Journals in a database: what is read is what was written, by this version and by earlier ones."""

import pytest

from gamehall.rooms.ledger import Epoch
from gamehall.storage import Database, Writer, open_database
from gamehall.storage.journal import DatabaseLedger
from gamehall.storage.migrations import MIGRATIONS

SECRET = bytes(range(224, 256))


def test_a_room_has_its_secret_back(database: Database) -> None:
    writer = Writer(database)
    ledger = DatabaseLedger(database, writer)
    epoch = ledger.begin("tttp", SECRET, b"{}")
    ledger.write("tttp", epoch, b"[1.0]", ())
    ledger.write("tttp", epoch, b"[2.0]", ())
    writer.close()
    assert ledger.last("tttp") == (Epoch(epoch, SECRET, b"{}"), [b"[1.0]", b"[2.0]"])
    assert ledger.last("go-text") is None


def test_a_journal_from_before_rooms_had_secrets_is_read(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("gamehall.storage.database.MIGRATIONS", MIGRATIONS[:3])
        connection = open_database(place).connect()
    largest = 2**63 - 1
    connection.run(
        "INSERT INTO epochs (epoch, room, seed, settings) VALUES (?, ?, ?, ?)",
        *("old", "tttp", largest, b"{}"),
    )
    connection.run("INSERT INTO journal (epoch, content) VALUES (?, ?)", "old", b"[1.0]\n[2.0]")
    connection.close()
    database = open_database(place)
    writer = Writer(database)
    ledger = DatabaseLedger(database, writer)
    assert ledger.last("tttp") == (Epoch("old", largest, b"{}"), [b"[1.0]", b"[2.0]"])
    ledger.end("old")
    epoch = ledger.begin("tttp", SECRET, b"{}")
    ledger.write("tttp", epoch, b"[3.0]", ())
    writer.close()
    assert ledger.last("tttp") == (Epoch(epoch, SECRET, b"{}"), [b"[3.0]"])
