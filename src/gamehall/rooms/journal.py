"""The journal of a room: its requests and their times. Replaying them restores the room.

The state of a room is a function of its requests, their times, and its seed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NewType, Protocol

import msgspec

from gamehall.core import GamehallError, MoveT
from gamehall.match import Record
from gamehall.rooms.notices import Closed
from gamehall.rooms.presence import Presence
from gamehall.rooms.room import Entry, Room


class RoomSpec(msgspec.Struct, frozen=True):
    """What is needed to create a room."""

    room: str
    """The name of the room. The name of a table is its lobby's, a slash and its number."""
    settings: bytes
    seed: bytes
    """Determines all randomness in the room. It is secret: only the journal stores it."""
    drawn: dict[str, int] = {}
    """How many values had been drawn from the seed before the first entry, for each purpose."""

    @property
    def owner(self) -> str:
        """The name of the room or, for a table, of its lobby."""
        return self.room.partition("/")[0]


RoomKey = NewType("RoomKey", int)
"""Identifies a room in its journal; never used twice."""


class StoredRoom(msgspec.Struct, frozen=True):
    """A room as it is stored in the journal."""

    key: RoomKey
    spec: RoomSpec
    entries: list[bytes]


class JournalError(GamehallError):
    """The journal cannot be used. The text says where it is damaged, and what to do."""


class Journal(Protocol):
    """Stores the entries of rooms, and the records of the matches that they ended."""

    def begin(self, spec: RoomSpec) -> RoomKey:
        """Begin the journal of a room and return its key."""

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        """Add an entry, and the records of the matches that it has ended."""

    def close(self, key: RoomKey) -> None:
        """Delete the entries of a room."""

    def commit(self, durable: Callable[[], None]) -> None:
        """Store everything since the last commit in one transaction; then call `durable`.

        `durable` may be called before or after this method returns, in the order of the commits.
        """

    def restore(self) -> list[StoredRoom]:
        """Return the rooms that were not closed, the oldest first. Raises JournalError."""

    def read(self, key: RoomKey) -> StoredRoom | None:
        """Return a room as it is now, including uncommitted entries; None if nothing is stored.

        Raises JournalError if that fails; then the journal ends the process.
        """


class NoJournal:
    """Stores nothing."""

    def begin(self, spec: RoomSpec) -> RoomKey:
        return RoomKey(0)

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        pass

    def close(self, key: RoomKey) -> None:
        pass

    def commit(self, durable: Callable[[], None]) -> None:
        durable()

    def restore(self) -> list[StoredRoom]:
        return []

    def read(self, key: RoomKey) -> StoredRoom | None:
        return None


def replay(
    room: Room[MoveT], name: str, presence: Presence, entries: Iterable[Entry[MoveT]]
) -> float:
    """Replay journal entries in a new room. Return the latest time of an entry.

    The reactions are dropped: they were delivered and stored before. The entries of a compacted
    journal need not be in the order of their times.
    """
    latest = 0.0
    for entry in entries:
        now = entry.now
        latest = max(latest, now)
        if entry.peer is None or entry.request is None:
            reaction = room.tick(now)
        else:
            reaction = room.handle(entry.peer, entry.request, now)
            presence.note(name, entry.peer, entry.request, reaction)
        for delivery in reaction.deliveries:
            if type(delivery.notice) is Closed:
                for peer in delivery.peers:
                    presence.forget(peer)
        for opening in reaction.tables_to_open:
            for peer in opening.members:
                presence.forget(peer)
        for peer, _, _ in reaction.transfers:
            # The journal of the other room knows the client from here on.
            if peer in presence.members and presence.members[peer].room == name:
                presence.forget(peer)
    return latest
