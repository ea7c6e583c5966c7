"""What a room was told, in writing."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple

import msgspec

from gamehall.core import MoveT
from gamehall.rooms.reaction import Peer
from gamehall.rooms.requests import BeginTournament, Request


class Entry(msgspec.Struct, Generic[MoveT], frozen=True, array_like=True):
    """A request of a peer or, without a peer, that time has passed."""

    now: float
    peer: Peer | None = None
    request: Request[MoveT] | None = None

    @property
    def peers(self) -> set[Peer]:
        """Everybody who is in the room because of this entry."""
        if isinstance(self.request, BeginTournament):
            return {Peer(peer) for peer, _ in self.request.entrants}
        return {self.peer} if self.peer else set()


class Codec(Generic[MoveT]):
    """Entries of the rooms of one game, as bytes and back."""

    def __init__(self, moves: Any) -> None:
        """`moves` is the type of the game's moves, which may be a union."""
        self.encode: Callable[[Entry[MoveT]], bytes] = msgspec.json.Encoder().encode
        kind = Entry[moves]
        self._decoder: msgspec.json.Decoder[Entry[Any]] = msgspec.json.Decoder(kind)

    def decode(self, content: bytes) -> Entry[MoveT]:
        """Return the entry that was encoded. Raises msgspec.DecodeError."""
        return self._decoder.decode(content)


class Compaction(NamedTuple):
    """The shortest list of entries that rebuilds a room, and where its chance goes on from."""

    drawn: dict[str, int]
    """What had been drawn from the room's seed before the first of these entries."""
    entries: list[Entry[Any]]
