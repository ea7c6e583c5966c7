"""What a room is to the host: requests go in, one reaction comes out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from gamehall.core import MoveT
from gamehall.rooms.reaction import Peer, Reaction
from gamehall.rooms.requests import Request
from gamehall.rooms.view import RoomView


class Room(ABC, Generic[MoveT]):
    """The one authority over its matches: who sits where, who plays what, who hears of it.

    A room is a function of what it is told, and when, and of its seed. The host calls `tick` before
    `handle` whenever the deadline has passed. Requests of peers that the room does not know are
    allowed, and change nothing unless they are a way in.
    """

    deadline: float | None
    """When `tick` wants to be called, None if it need not be."""

    @property
    @abstractmethod
    def is_quiet(self) -> bool:
        """Return True if nobody would miss anything if the room were replaced by a fresh one."""

    @property
    def is_over(self) -> bool:
        """Return True if nothing is going on that a restarted server would have to continue."""
        return self.is_quiet

    @property
    def is_worth_restoring(self) -> bool:
        """Return True if a restarted server must restore this room, not begin a fresh one."""
        return not self.is_over

    def begins_afresh(self, request: Request[MoveT], now: float) -> bool:
        """Return True if a fresh room would react to this request, and look afterwards, the same.

        Then nothing that came before the request needs to be remembered.
        """
        return False

    @property
    def waiting_players(self) -> Sequence[str]:
        """The names of the players who wait for an opponent, "" for one without a name."""
        return ()

    @abstractmethod
    def view(self) -> RoomView[MoveT]:
        """Return what an observer can see now. This changes nothing."""

    @abstractmethod
    def handle(self, peer: Peer, request: Request[MoveT], now: float) -> Reaction[MoveT]:
        """Return what follows from a request."""

    @abstractmethod
    def tick(self, now: float) -> Reaction[MoveT]:
        """Return what follows from the time having passed."""
