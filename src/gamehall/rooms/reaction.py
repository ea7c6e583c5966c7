"""What a room answers with: all that follows from one request, or from time having passed."""

from collections.abc import Sequence
from typing import Generic, NewType

import msgspec

from gamehall.core import MoveT
from gamehall.match import Record
from gamehall.rooms.notices import Notice
from gamehall.rooms.report import TournamentReport

Peer = NewType("Peer", int)
"""A connected program, seated or not. The host gives out the numbers and never uses one twice."""


class Delivery(msgspec.Struct, Generic[MoveT], frozen=True):
    """One notice, to be told to each of these peers."""

    peers: Sequence[Peer]
    notice: Notice[MoveT]


class LogLine(msgspec.Struct, frozen=True):
    """A line for the log of one match."""

    match: str
    """A name that no other match of the room has."""
    content: dict[str, object]


class Reaction(msgspec.Struct, Generic[MoveT]):
    """The answer of a room. It is built during one call of `handle` or `tick`."""

    deliveries: list[Delivery[MoveT]] = []
    """Told in this order."""
    records: list[Record] = []
    """The matches that have ended."""
    reports: list[TournamentReport] = []
    """The tournaments that have ended."""
    log: list[LogLine] = []
    finished: int = 0
    """How many matches between two players, or whole tournaments, have come to an end."""
    changed: bool = True
    """False if replaying the journal without this request would give the same room."""
