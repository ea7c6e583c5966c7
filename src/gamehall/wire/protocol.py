"""What a protocol is to the hall."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, get_args, get_origin

from gamehall.core import Game, MoveT, SeededRandom
from gamehall.match import Clock
from gamehall.rooms.room import Room
from gamehall.wire.session import ClientSession, Session
from gamehall.wire.settings import SettingsT


class Protocol(ABC, Generic[SettingsT, MoveT]):
    """One wire language: how a door that speaks it is set, and what stands behind the door.

    A folder under protocols/ is a protocol by having an attribute PROTOCOL, an instance of a
    subclass of this.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    port: ClassVar[int]
    """The port that its door has unless told otherwise."""
    game: ClassVar[str]
    """The game that is played at it, by the name in the catalogue."""
    settings: type[SettingsT]
    seconds_to_linger: ClassVar[float] = 0
    """How long clients may need to find out by themselves that everything is over."""
    is_for_tournaments: ClassVar[bool] = False
    """Whether players sign up for tournaments there, and not for a match."""
    answers: ClassVar[Mapping[str, str]] = {}
    """What a client that has no wishes says when it is asked about the terms."""

    @property
    def moves(self) -> Any:
        """The type of the game's moves: what stands second in the brackets of the base class."""
        bases = type(self).__orig_bases__  # type: ignore[attr-defined]
        [arguments] = [get_args(base) for base in bases if get_origin(base) is Protocol]
        return arguments[1]

    def risk(self, settings: SettingsT) -> str | None:
        """What whoever can reach the door may do to players, as it is set, None if nothing."""
        if settings.secrets:
            return None
        return (
            "whoever has a player's name and comes from its address may take its seat when its"
            f" connection is lost; consider {self.name}.secrets=true"
        )

    @abstractmethod
    def game_at(self, settings: SettingsT) -> Game[MoveT]:
        """The game at a door that is set like this, as far as its players do not agree on terms."""

    @abstractmethod
    def clock_at(self, settings: SettingsT) -> Clock:
        """How long a turn may take at a door that is set like this."""

    @abstractmethod
    def room(self, settings: SettingsT, shuffler: SeededRandom) -> Room[MoveT]:
        """A room on the document's own terms, as far as the settings do not change them."""

    @abstractmethod
    def sessions(self, settings: SettingsT) -> Callable[[float], Session[Any, MoveT]]:
        """What makes the session of a peer that connects, given the time."""

    @abstractmethod
    def client(self, settings: SettingsT) -> ClientSession[Any, MoveT]:
        """The other end: the session of a client, at a door that is set like this.

        What a document does not have the server tell, its client must know.
        """


AnyProtocol = Protocol[Any, Any]
"""A protocol out of the catalogue, whatever its settings and its game."""
