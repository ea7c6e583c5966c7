"""The changes that a journal in memory notes."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from gamehall.match import Record
from gamehall.rooms.journal import RoomKey, RoomSpec


class Begin(NamedTuple):
    """Begin the journal of a room."""

    key: RoomKey
    spec: RoomSpec


class Append(NamedTuple):
    """Append an entry, together with the records of matches that it ended."""

    key: RoomKey
    entry: bytes
    records: Sequence[Record]


class Close(NamedTuple):
    """Delete the journal of a room."""

    key: RoomKey


Change: TypeAlias = Begin | Append | Close
