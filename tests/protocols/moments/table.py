"""A table of states and messages of a door."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from gamehall.protocols.catalogue import all_protocols
from tests.support.memory_stage import MemoryStage

EVE, ANN = "eve", "ann"
"""The sender of the message, and a player that must not be affected by it."""


class Outcome(Enum):
    """The outcome of a message, as its sender and others see it."""

    ACCEPTED = "accepted"
    """It is allowed now and has an effect."""
    IGNORED = "ignored"
    """No client is sent anything."""
    ERROR = "error"
    """Only the sender is sent something, an error, and nothing changes."""
    BOOTED = "booted"
    """The sender is sent the end of its game, and its connection is closed."""
    CLOSED = "closed"
    """The connection of the sender is closed."""
    ENDED = "ended"
    """The game, or the agreement on its terms, ends for both; both connections are closed."""


@dataclass(frozen=True)
class Answered:
    """Only the sender is sent something that begins with this, and nothing changes."""

    beginning: bytes


Expected = Outcome | Answered


class Departure(Enum):
    """Ends of a connection, which are sent like messages."""

    HALF_CLOSE = "half-close"
    """The sender ends its input and can still read."""
    RESET = "reset"
    """The connection is lost."""


@dataclass(frozen=True)
class State:
    """A state of a door."""

    name: str
    enter: Callable[[Any], None]
    """Brings a scene into this state."""
    tags: frozenset[str]
    """Messages give their outcomes by these tags."""
    everything: Outcome | None = None
    """The outcome of all messages, except ends of the connection, unless a tag says otherwise."""


def state(name: str, enter: Callable[[Any], None], tags: str = "", **more: Outcome) -> State:
    """Return a state with these tags, which are separated by commas."""
    return State(name, enter, frozenset(filter(None, tags.split(", "))), **more)


@dataclass(frozen=True)
class Message:
    """A message and its outcomes."""

    name: str
    data: bytes | Departure
    usual: Expected
    at: Mapping[str, Expected] = field(default_factory=dict)
    """The outcome in states with this tag; the first that fits counts."""
    tags: str = ""
    """What its scene must know about it."""
    seconds: float = 0
    """How long to wait for the outcome."""

    def expected(self, state: State) -> Expected:
        usual: Expected = self.usual
        if state.everything is not None and isinstance(self.data, bytes):
            usual = state.everything
        return next((what for tag, what in self.at.items() if tag in state.tags), usual)


class Scene(ABC):
    """A conversation at a door in memory, to the end of a game."""

    door: ClassVar[str]
    settings: ClassVar[Mapping[str, str]] = {}
    states: ClassVar[Sequence[State]]
    messages: ClassVar[Sequence[Message]]

    def __init__(self) -> None:
        self.stage = self.open()
        self.gone: set[str] = set()
        """The clients whose connection has ended."""

    def open(self) -> MemoryStage:
        return MemoryStage(all_protocols()[self.door], self.settings, 4096)

    def send(self, message: Message) -> Expected:
        """Let eve send a message and return its outcome."""
        match message.data:
            case bytes(data):
                self.stage.send(EVE, data)
            case Departure.HALF_CLOSE:
                self.stage.hang_up(EVE)
            case Departure.RESET:
                self.stage.reset(EVE)
                self.gone.add(EVE)
        if message.seconds:
            self.stage.wait(message.seconds)
        received = self.stage.unread()
        if EVE not in self.gone and self.stage.is_closed(EVE):
            self.gone.add(EVE)
        others = {who: sent for who, sent in received.items() if who != EVE}
        return self.classify(received.get(EVE, b""), EVE in self.gone, others)

    @abstractmethod
    def classify(self, received: bytes, is_closed: bool, others: Mapping[str, bytes]) -> Expected:
        """Return the outcome of a message after which the sender, and others, were sent this."""

    @abstractmethod
    def finish_game(self, state: State, message: Message, outcome: Expected) -> None:
        """Play to the end of a game, with another client in eve's place if she is gone.

        Raises AssertionError if that is impossible, or ann does not get the end that is due.
        """


def cells(scenes: Sequence[type[Scene]]) -> list[tuple[type[Scene], State, Message]]:
    """Return every state of every door with every message."""
    return [
        (scene, state, message)
        for scene in scenes
        for state in scene.states
        for message in scene.messages
    ]
