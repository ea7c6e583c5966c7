"""The records of finished matches in the database."""

from typing import Final

import msgspec

from gamehall.match import Record
from gamehall.storage.database import Database

INSERT_RECORD: Final = "INSERT INTO records (game, match_name, content) VALUES (?, ?, ?)"
SELECT_RECORD: Final = "SELECT number, content FROM records WHERE number = ?"
SELECT_BY_MATCH: Final = (
    "SELECT number, content FROM records WHERE match_name = ? ORDER BY number DESC LIMIT 1"
)
SELECT_LATEST_RECORDS: Final = "SELECT number, content FROM records ORDER BY number DESC LIMIT ?"


class ArchivedRecord(msgspec.Struct, frozen=True):
    """A record, and its number in the archive."""

    number: int
    record: Record


def record_row(record: Record) -> tuple[object, ...]:
    """Return the parameters of INSERT_RECORD for a record."""
    return (record.game, record.match_name, record.to_json())


class Archive:
    """Finds records. Every method raises RecordError and StorageError."""

    def __init__(self, database: Database, seconds_to_wait: float | None = None) -> None:
        """`seconds_to_wait` is that of `Database.connect`."""
        self._database = database
        self._seconds_to_wait = seconds_to_wait

    def find(self, number: int) -> Record | None:
        """Return the record with this number, None if there is none."""
        found = self._select(SELECT_RECORD, number)
        return found[0].record if found else None

    def find_match(self, match: str) -> Record | None:
        """Return the record of a match, None if there is none."""
        found = self._select(SELECT_BY_MATCH, match)
        return found[0].record if found else None

    def latest(self, limit: int) -> list[ArchivedRecord]:
        """Return the newest records, newest first."""
        return self._select(SELECT_LATEST_RECORDS, limit)

    def _select(self, query: str, parameter: int | str) -> list[ArchivedRecord]:
        connection = self._database.connect(self._seconds_to_wait)
        try:
            rows = connection.run(query, parameter)
        finally:
            connection.close()
        return [ArchivedRecord(number, Record.from_json(content)) for number, content in rows]
