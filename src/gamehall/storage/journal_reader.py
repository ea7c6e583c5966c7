"""Reads and verifies a journal: at the start of a server, and for `gamehall journal`.

`journal.py` writes it, and describes the checksums.
"""

from array import array
from collections.abc import Hashable, Iterable
from typing import Any, Final, NamedTuple
from zlib import crc32

import msgspec

from gamehall.rooms.journal import RoomSpec
from gamehall.storage.database import DatabaseConnection

HALL: Final = "SELECT rooms, checksum FROM hall"
ROOMS: Final = "SELECT id, spec, entries, checksum FROM journal_rooms ORDER BY id"
ENTRIES: Final = "SELECT id, room, number, content, checksum FROM journal_entries ORDER BY id"


class JournalRoom:
    """A room in the journal, and the end of its chain of entries."""

    __slots__ = ("checksum", "entries", "first_checksum", "id", "rows", "spec")

    def __init__(self, room_id: int, spec: RoomSpec, content: bytes) -> None:
        """Begin an empty room. `content` is the encoded spec."""
        self.id = room_id
        self.spec = spec
        self.entries = 0
        self.first_checksum = self.checksum = crc32(content, room_id)
        self.rows = array("q")
        """The ids of its entries."""


class JournalContents(NamedTuple):
    """The contents of a journal, and the damage that was found in it."""

    rooms: list[JournalRoom]
    entries: dict[int, list[bytes]]
    """The entries by the id of their room."""
    last_entry: int
    """The id of the last entry, 0 if there is none."""
    faults: list[str]


def read_journal(connection: DatabaseConnection) -> JournalContents:
    """Read a journal, and look for missing and changed rows. Raises StorageError."""
    return _Reader().read(connection)


class _Reader:
    """Reads a journal. Values may have any type: SQLite does not enforce those of the columns."""

    def __init__(self) -> None:
        self._faults: list[str] = []
        self._rooms: dict[int, JournalRoom] = {}
        self._ends: dict[int, tuple[Any, Any]] = {}
        """The number and checksum of each room's last entry, according to the row of the room."""
        self._contents: dict[int, list[bytes]] = {}
        self._unknown: set[Hashable] = set()
        """The ids of rooms whose row is missing or unreadable."""
        self._last_entry = 0

    def read(self, connection: DatabaseConnection) -> JournalContents:
        for room_id, spec, entries, checksum in connection.rows(ROOMS):
            self._add_room(room_id, spec, (entries, checksum))
        for row, room_id, number, content, checksum in connection.rows(ENTRIES):
            self._last_entry = row
            room = self._rooms.get(room_id)
            if room is not None:
                self._add_entry(room, row, number, content, checksum)
            elif room_id not in self._unknown:
                self._unknown.add(room_id)
                self._faults.append(f"the row of the room {room_id} is missing, which has entries")
        for room in self._rooms.values():
            self._check_end(room, *self._ends[room.id])
        self._check_hall(connection.run(HALL))
        rooms = list(self._rooms.values())
        return JournalContents(
            rooms=rooms, entries=self._contents, last_entry=self._last_entry, faults=self._faults
        )

    def _add_room(self, room_id: Any, content: Any, end: tuple[Any, Any]) -> None:
        encoded = bytes(content) if isinstance(content, bytes | memoryview) else b""
        try:
            room = JournalRoom(room_id, msgspec.json.decode(encoded, type=RoomSpec), encoded)
        except msgspec.MsgspecError:
            self._faults.append(f"the row of the room {room_id} was changed: it cannot be read")
            self._unknown.add(room_id)
            return
        self._rooms[room_id] = room
        self._ends[room_id] = end
        self._contents[room_id] = []

    def _add_entry(
        self, room: JournalRoom, row: int, number: Any, content: Any, checksum: Any
    ) -> None:
        expected = room.entries + 1
        is_bytes = isinstance(content, bytes | memoryview)
        encoded = bytes(content) if is_bytes else b""
        room.rows.append(row)
        self._contents[room.id].append(encoded)
        if number != expected:
            is_later = isinstance(number, int) and number > expected
            what = "is missing" if is_later else "is not where it should be"
            self._faults.append(f"{place(room, expected)} {what}")
        elif not is_bytes or checksum != crc32(encoded, room.checksum ^ row):
            also = ", or the row of the room," if number == 1 else ""
            self._faults.append(f"{place(room, number)}{also} was changed")
        # Continue from the stored values, so that the next entries are checked as well.
        room.entries = number if isinstance(number, int) else expected
        room.checksum = checksum if isinstance(checksum, int) else 0

    def _check_end(self, room: JournalRoom, entries: Any, checksum: Any) -> None:
        if isinstance(entries, int) and room.entries < entries:
            missing = place(room, room.entries + 1)
            self._faults.append(f"{missing} is missing, the last should be {entries}")
        elif (room.entries, room.checksum) != (entries, checksum):
            self._faults.append(f"the row of the room {room.spec.room} ({room.id}) was changed")

    def _check_hall(self, rows: list[tuple[Any, ...]]) -> None:
        found = (len(self._rooms), checksum_of(self._rooms.values()))
        if len(rows) != 1:
            self._faults.append(f"the table `hall` must have one row, and has {len(rows)}")
        elif self._faults or rows[0] == found:
            # A damaged room makes the sum wrong as well. Do not report that as another fault.
            return
        elif isinstance(rows[0][0], int) and rows[0][0] > found[0]:
            self._faults.append(f"rooms are missing: there are {found[0]} of {rows[0][0]}")
        else:
            self._faults.append("a room, or the row of the table `hall`, was changed")


def checksum_of(rooms: Iterable[JournalRoom]) -> int:
    """Return a checksum of rooms that does not depend on their order."""
    checksum = 0
    for room in rooms:
        checksum ^= room.first_checksum
    return checksum


def place(room: JournalRoom, number: int) -> str:
    """Return the position of an entry, for messages."""
    return f"entry {number} of the room {room.spec.room} ({room.id})"
