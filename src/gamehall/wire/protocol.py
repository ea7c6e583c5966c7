"""The interface of a wire protocol."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic

from gamehall.core import Game, MoveT, SeededRandom, type_of_moves
from gamehall.match import Clock
from gamehall.rooms.room import Room
from gamehall.wire.session import ClientSession, Session
from gamehall.wire.settings import SettingsT


class WireProtocol(ABC, Generic[SettingsT, MoveT]):
    """A wire protocol: the settings of its door, the room behind it, and both ends of a connection.

    A folder under protocols/ defines one by an attribute PROTOCOL, an instance of a subclass.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    port: ClassVar[int]
    """The default port."""
    game: ClassVar[str]
    """The name of its game in the catalogue."""
    settings: type[SettingsT]
    seconds_to_linger: ClassVar[float] = 0
    """How long the server stays open after the last match, for clients that poll."""
    is_for_tournaments: ClassVar[bool] = False
    """Whether players sign up for tournaments rather than single matches."""
    answers: ClassVar[Mapping[str, str]] = {}
    """Default answers of a client to the questions about the terms, by question."""

    @property
    def moves(self) -> Any:
        """The type of the game's moves."""
        return type_of_moves(type(self.game_at(self.settings())))

    def risk(self, settings: SettingsT) -> str | None:
        """Return a warning about what clients can do to players with these settings, or None."""
        if settings.secrets:
            return None
        return (
            "a client with a player's name and address can take its seat when its connection"
            f" is lost; consider {self.name}.secrets=true"
        )

    @abstractmethod
    def game_at(self, settings: SettingsT) -> Game[MoveT]:
        """Return the game with these settings; terms that players agree on are at defaults."""

    @abstractmethod
    def clock_at(self, settings: SettingsT) -> Clock:
        """Return the time limit for a turn with these settings."""

    @abstractmethod
    def room(self, settings: SettingsT, shuffler: SeededRandom) -> Room[MoveT]:
        """Return a new room with these settings."""

    @abstractmethod
    def sessions(self, settings: SettingsT) -> Callable[[float], Session[Any, MoveT]]:
        """Return a function from the current time to the session of a new connection."""

    @abstractmethod
    def client(self, settings: SettingsT) -> ClientSession[Any, MoveT]:
        """Return the client's end of a connection to a door with these settings.

        A client must know the settings that the protocol does not transmit.
        """


AnyProtocol = WireProtocol[Any, Any]
"""A protocol of the catalogue."""
