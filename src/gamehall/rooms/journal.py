"""What a room has been told, in writing: told again, it is as it was.

A room is a function of what it is told and when, and of the seed it began with. So its journal is
the list of that, and to resume is to read it out to a fresh room.
"""

from collections.abc import Iterable
from typing import Any, Generic

import msgspec

from gamehall.core import MoveT
from gamehall.rooms.reception import Reception
from gamehall.rooms.requests import Chat, Look, Request, SpectatorChat
from gamehall.rooms.room import Peer, Room

PASSING = (Look, Chat, SpectatorChat)
"""Requests that change nothing that is worth having back."""


class Entry(msgspec.Struct, Generic[MoveT], frozen=True, array_like=True):
    """Something that a room was told: a request of a peer or, without, that time has passed."""

    now: float
    peer: Peer | None = None
    request: Request[MoveT] | None = None
    door: str = ""
    """Through which the peer came, where that matters."""


class Codec(Generic[MoveT]):
    """Entries of the rooms of one game, as bytes and back."""

    def __init__(self, moves: Any) -> None:
        """`moves` is the type of the game's moves, which may be a union."""
        self._encoder = msgspec.json.Encoder()
        kind = Entry[moves]
        self._decoder: msgspec.json.Decoder[Entry[Any]] = msgspec.json.Decoder(kind)

    def encode(self, entry: Entry[MoveT]) -> bytes:
        """The entry as a line of JSON."""
        return self._encoder.encode(entry)

    def decode(self, content: bytes) -> Entry[MoveT]:
        """The entry that was encoded. Raises msgspec.DecodeError."""
        return self._decoder.decode(content)


def is_worth_noting(request: Request[MoveT]) -> bool:
    """Whether a room would be another without it."""
    return not isinstance(request, PASSING)


def tell_again(room: Room[MoveT], reception: Reception, entries: Iterable[Entry[MoveT]]) -> float:
    """Tells a fresh room what an earlier one was told, and says when the last of it was.

    What the room answers was said before, and is dropped; so are records and reports, which were
    kept then.
    """
    now = 0.0
    for entry in entries:
        now = entry.now
        if entry.peer is None or entry.request is None:
            reception.observe(room.tick(now))
        else:
            told = room.handle(entry.peer, entry.request, now)
            if room.knows_peers:
                reception.note(entry.peer, entry.door, entry.request, told)
            reception.observe(told)
        room.records.clear()
        room.take_reports()
        room.take_log()
    return now
