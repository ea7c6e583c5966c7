"""The ledger of a hall in its database: journals of rooms, and records, in one transaction."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

import msgspec

from gamehall.hosting.ledger import Epoch, Ledger
from gamehall.play import Record
from gamehall.storage.archive import keeping
from gamehall.storage.database import Database
from gamehall.storage.writer import Work, Writer

BEGIN: Final = "INSERT INTO epochs (epoch, room, seed, settings) VALUES (?, ?, ?, ?)"
NOTE: Final = "INSERT INTO journal (epoch, content) VALUES (?, ?)"
DROP_ENTRIES: Final = "DELETE FROM journal WHERE epoch = ?"
DROP_EPOCH: Final = "DELETE FROM epochs WHERE epoch = ?"
LAST: Final = "SELECT epoch, seed, settings FROM epochs WHERE room = ? ORDER BY number DESC LIMIT 1"
ENTRIES: Final = "SELECT content FROM journal WHERE epoch = ? ORDER BY number"


class DatabaseLedger(Ledger):
    """Keeps what rooms were told. What it gives out as a number, its writer says to be safe."""

    def __init__(self, database: Database, writer: Writer, fresh: bool = False) -> None:
        """`fresh`: whether earlier lives of the rooms are left alone."""
        self._database = database
        self._writer = writer
        self._fresh = fresh

    def begin(self, room: str, seed: int, settings: bytes) -> str:
        epoch = str(uuid4())
        self._writer.put(Work(BEGIN, (epoch, room, seed, settings)))
        return epoch

    def write(self, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> int | None:
        works = [Work(NOTE, (epoch, entry))]
        if records:
            ended = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            for record in records:
                works.append(keeping(msgspec.structs.replace(record, room=room, ended=ended)))
        return self._writer.put(*works)

    def end(self, epoch: str) -> None:
        self._writer.put(Work(DROP_ENTRIES, (epoch,)), Work(DROP_EPOCH, (epoch,)))

    def last(self, room: str) -> tuple[Epoch, list[bytes]] | None:
        """Raises CannotKeep."""
        if self._fresh:
            return None
        connection = self._database.connect()
        try:
            found = connection.run(LAST, room)
            if not found:
                return None
            epoch, seed, settings = found[0]
            entries = [bytes(content) for (content,) in connection.run(ENTRIES, epoch)]
        finally:
            connection.close()
        return Epoch(epoch, seed, bytes(settings)), entries
