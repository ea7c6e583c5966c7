"""What a room is to the shell: requests go in, deliveries come out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic, NewType

import msgspec

from gamehall.core import MoveT
from gamehall.match import Record
from gamehall.rooms.notices import Notice
from gamehall.rooms.report import TournamentReport
from gamehall.rooms.requests import Request
from gamehall.rooms.view import RoomView

Peer = NewType("Peer", int)
"""A connected program, seated or not. The shell gives out the numbers and never uses one twice."""


class Delivery(msgspec.Struct, Generic[MoveT], frozen=True):
    """One notice, to be told to each of these peers."""

    peers: Sequence[Peer]
    notice: Notice[MoveT]


class LogLine(msgspec.Struct, frozen=True):
    """Something worth noting in the log of one match, for those who want to know later."""

    match: str
    """A name that no other match of the room has."""
    content: dict[str, object]


class Room(ABC, Generic[MoveT]):
    """The one authority over its matches: who sits where, who plays what, who hears of it.

    Deliveries are told in the order of the list. A room does not mind requests of peers that it
    does not know.
    """

    deadline: float | None
    """When `tick` wants to be called, None if it need not be."""

    finished: int
    """How many matches between two players, or whole tournaments, have come to an end."""

    records: list[Record]
    """The matches that have ended since somebody last took these away."""

    knows_peers: ClassVar[bool] = True
    """Whether a place belongs to the peer that has it, and not to whoever asks for it."""

    has_news: ClassVar[bool] = False
    """Whether there may ever be reports or a log to take."""

    @property
    @abstractmethod
    def is_quiet(self) -> bool:
        """Whether nobody would miss anything if the room were another, fresh one."""

    @property
    def is_over(self) -> bool:
        """Whether nothing goes on that a later hall would have to go on with."""
        return self.is_quiet

    @property
    def is_worth_restoring(self) -> bool:
        """Whether a hall that is opened again must have this room back, and not a fresh one."""
        return not self.is_over

    def begins_afresh(self, request: Request[MoveT], now: float) -> bool:
        """Return whether a fresh room would do the same with this request, and show the same then.

        So nothing that was before it need be remembered.
        """
        return False

    @property
    def waiting_players(self) -> Sequence[str]:
        """The names of those who wait for somebody to play with, "" for one without."""
        return ()

    @abstractmethod
    def view(self) -> RoomView[MoveT]:
        """What somebody who looks on can see now. To look changes nothing."""

    def take_reports(self) -> list[TournamentReport]:
        """What tournaments have come to since this was last asked."""
        return []

    def take_log(self) -> list[LogLine]:
        """What is worth noting since this was last asked."""
        return []

    def heeds(self, peer: Peer, request: Request[MoveT]) -> bool:
        """Whether that may change anything. What does not, need not be remembered."""
        return True

    @abstractmethod
    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> list[Delivery[MoveT]]:
        """What follows from a request."""

    @abstractmethod
    def tick(self, now: float) -> list[Delivery[MoveT]]:
        """What follows from the time having passed."""
