"""Store and read records without playing matches."""

from pathlib import Path

from gamehall.match import Record
from gamehall.storage import Database, open_database
from gamehall.storage.archive import INSERT_RECORD, record_row


def store(database: Database, *records: Record) -> None:
    connection = database.connect()
    try:
        with connection.transaction(database.begin_exclusive):
            connection.run_many(INSERT_RECORD, [record_row(record) for record in records])
    finally:
        connection.close()


def records_in(folder: Path) -> list[bytes]:
    """Return all records in an order that does not depend on their numbers."""
    connection = open_database(folder).connect()
    try:
        return sorted(bytes(row[0]) for row in connection.run("SELECT content FROM records"))
    finally:
        connection.close()
