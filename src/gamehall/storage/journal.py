"""The ledger of a hall in its database: journals of rooms, and records, in one transaction."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias
from uuid import uuid4

import msgspec

from gamehall.match import Record
from gamehall.rooms.ledger import Epoch, Ledger
from gamehall.storage.archive import keeping
from gamehall.storage.database import Database
from gamehall.storage.writer import Work, Writer

BEGIN: Final = "INSERT INTO epochs (epoch, room, seed, secret, settings) VALUES (?, ?, 0, ?, ?)"
NOTE: Final = "INSERT INTO journal (epoch, content) VALUES (?, ?)"
DROP_ENTRIES: Final = "DELETE FROM journal WHERE epoch = ?"
DROP_EPOCH: Final = "DELETE FROM epochs WHERE epoch = ?"
LAST: Final = (
    "SELECT epoch, seed, secret, settings FROM epochs WHERE room = ? ORDER BY number DESC LIMIT 1"
)
ENTRIES: Final = "SELECT content FROM journal WHERE epoch = ? ORDER BY number"

Soon: TypeAlias = Callable[[Callable[[], None]], object]
"""Has something called before long, as an event loop's call_soon does."""


class DatabaseLedger(Ledger):
    """Keeps what rooms were told. What it gives out as a number, its writer says to be safe.

    What comes in one turn of the loop goes to the writer together, and the entries of a life into
    one row, a line each: so a busy hall pays once for many.
    """

    def __init__(
        self, database: Database, writer: Writer, soon: Soon | None = None, fresh: bool = False
    ) -> None:
        """`soon` is None if everything is to be written at once.

        `fresh`: whether earlier lives of the rooms are left alone.
        """
        self._database = database
        self._writer = writer
        self._soon: Soon = soon or _at_once
        self._fresh = fresh
        self._begun: list[Work] = []
        self._entries: dict[str, list[bytes]] = {}
        self._kept: list[Work] = []
        self._ended: list[Work] = []
        self._is_due = False

    def begin(self, room: str, secret: bytes, settings: bytes) -> str:
        epoch = str(uuid4())
        self._begun.append(Work(BEGIN, (epoch, room, secret.hex(), settings)))
        return epoch

    def write(self, room: str, epoch: str, entry: bytes, records: Sequence[Record]) -> int | None:
        self._entries.setdefault(epoch, []).append(entry)
        if records:
            ended = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            for record in records:
                stamped = msgspec.structs.replace(record, room=room, ended=ended)
                self._kept.append(keeping(stamped))
        number = self._writer.next_number
        self._flush_soon()
        return number

    def end(self, epoch: str) -> None:
        self._ended += [Work(DROP_ENTRIES, (epoch,)), Work(DROP_EPOCH, (epoch,))]
        self._flush_soon()

    def last(self, room: str) -> tuple[Epoch, list[bytes]] | None:
        """Raises StorageError."""
        if self._fresh:
            return None
        connection = self._database.connect()
        try:
            found = connection.run(LAST, room)
            if not found:
                return None
            epoch, number, secret, settings = found[0]
            seed = number if secret is None else bytes.fromhex(secret)
            rows = [bytes(content) for (content,) in connection.run(ENTRIES, epoch)]
        finally:
            connection.close()
        return Epoch(epoch, seed, bytes(settings)), [
            line for row in rows for line in row.split(b"\n")
        ]

    def flush(self) -> None:
        """Gives what has come to the writer."""
        self._is_due = False
        notes = [Work(NOTE, (epoch, b"\n".join(lines))) for epoch, lines in self._entries.items()]
        works = [*self._begun, *notes, *self._kept, *self._ended]
        if works:
            self._writer.put(*works)
        self._begun, self._entries, self._kept, self._ended = [], {}, [], []

    def _flush_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._soon(self.flush)


def _at_once(call: Callable[[], None]) -> None:
    call()
