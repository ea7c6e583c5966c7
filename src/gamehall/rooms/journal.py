"""The journal of a room: what it was told, and when. Replayed, it gives the same room again.

A room is a function of what it is told and when, and of the seed it began with. So its journal is
the list of that, and a room is restored by telling a fresh one the same.
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
    """What a room needs to begin, besides what it is told."""

    room: str
    """Its name; that of a table is its lobby's, a slash and its number."""
    settings: bytes
    seed: bytes
    """From this all chance in the room follows; it stands nowhere but in the journal."""
    drawn: dict[str, int] = {}
    """What had been drawn from the seed before the first entry."""

    @property
    def owner(self) -> str:
        """The name of the room or, for a table, of its lobby."""
        return self.room.partition("/")[0]


RoomKey = NewType("RoomKey", int)
"""By what a journal knows a room that was begun or restored; never used twice."""


class StoredRoom(msgspec.Struct, frozen=True):
    """A room as the journal has it."""

    key: RoomKey
    spec: RoomSpec
    entries: list[bytes]


class JournalError(GamehallError):
    """A journal that cannot be used. The text says where it is damaged, and what to do."""


class Journal(Protocol):
    """Keeps what rooms are told, and the records of the matches that ended by it."""

    def begin(self, spec: RoomSpec) -> RoomKey:
        """Begin the journal of a room."""

    def append(self, key: RoomKey, entry: bytes, records: Sequence[Record]) -> None:
        """Add an entry, and the records of the matches that it has ended."""

    def close(self, key: RoomKey) -> None:
        """Drop the entries of a room: they are not needed any more."""

    def commit(self, durable: Callable[[], None]) -> None:
        """Store everything since the last commit in one transaction; then call `durable`.

        That may be before this returns, or later; the calls come in the order of the commits.
        """

    def restore(self) -> list[StoredRoom]:
        """Return the rooms that were not closed, the oldest first. Raises JournalError."""

    def read(self, key: RoomKey) -> StoredRoom | None:
        """Return a room as it is now, with what is not committed yet; None if nothing is kept.

        Raises JournalError if that is impossible; then the journal ends the process.
        """


class NoJournal:
    """Keeps nothing."""

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
    """Tell a fresh room what an earlier one was told. Return the latest time of an entry.

    The reactions are dropped: they were delivered and stored at that time. The entries of a journal
    that was made shorter need not be in the order of their times.
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
        for opening in reaction.opens:
            for peer in opening.members:
                presence.forget(peer)
        for peer, _, _ in reaction.transfers:
            # It went on elsewhere, and was known there from then on.
            if peer in presence.members and presence.members[peer].room == name:
                presence.forget(peer)
    return latest
