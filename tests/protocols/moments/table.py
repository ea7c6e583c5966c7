"""What a table of states and messages consists of."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from gamehall.protocols.catalogue import all_protocols
from tests.support.memory_stage import MemoryStage

EVE, ANN = "eve", "ann"
"""Who sends the message, and the player who must not suffer from it."""


class Outcome(Enum):
    """What comes of a message, as far as its sender can see, and who else hears of it."""

    ACCEPTED = "accepted"
    """It was right at this moment: something comes of it."""
    IGNORED = "ignored"
    """Nothing is sent to anybody."""
    ERROR = "error"
    """The sender gets an error of its wire; nobody else hears of it, and nothing changes."""
    BOOTED = "booted"
    """The sender hears that its game is over, and its connection is closed."""
    CLOSED = "closed"
    """The sender's connection is closed, without a word where the game had not begun."""
    ENDED = "ended"
    """The game, or the agreement on it, is over for both; both connections are closed."""


@dataclass(frozen=True)
class Answered:
    """The sender gets this and what may follow; nobody else hears of it, and nothing changes."""

    beginning: bytes


Expected = Outcome | Answered


class Departure(Enum):
    """What is no message, and is sent like one."""

    HALF_CLOSE = "half-close"
    """The sender ends its side of the connection; it may still listen."""
    VANISH = "vanish"
    """The connection is lost."""


@dataclass(frozen=True)
class State:
    """A moment in a conversation: how one gets there, and what holds then."""

    name: str
    lead: Callable[[Any], None]
    """Brings a scene there."""
    tags: frozenset[str]
    """By which messages say what comes of them."""
    everything: Outcome | None = None
    """What usually comes of all messages alike, departures apart."""


def state(name: str, lead: Callable[[Any], None], tags: str = "", **more: Outcome) -> State:
    """A row of states; tags are separated by commas."""
    return State(name, lead, frozenset(filter(None, tags.split(", "))), **more)


@dataclass(frozen=True)
class Message:
    """Something that can be sent, and what comes of it."""

    name: str
    data: bytes | Departure
    usual: Expected
    at: Mapping[str, Expected] = field(default_factory=dict)
    """What comes of it instead in the states that have this tag; the first that fits counts."""
    tags: str = ""
    """What its scene must know of it."""
    seconds: float = 0
    """How long afterwards one looks what has come of it."""

    def expected(self, state: State) -> Expected:
        usual: Expected = self.usual
        if state.everything is not None and isinstance(self.data, bytes):
            usual = state.everything
        return next((what for tag, what in self.at.items() if tag in state.tags), usual)


class Scene(ABC):
    """One conversation at a door in memory, from its beginning to the end of a game."""

    door: ClassVar[str]
    settings: ClassVar[Mapping[str, str]] = {}
    states: ClassVar[Sequence[State]]
    messages: ClassVar[Sequence[Message]]

    def __init__(self) -> None:
        self.stage = self.open()
        self.gone: set[str] = set()
        """Who has ended its connection, or had it ended."""

    def open(self) -> MemoryStage:
        """The door, with nobody there."""
        return MemoryStage(all_protocols()[self.door], self.settings, 4096)

    def send(self, message: Message) -> Expected:
        """Let eve send a message; what has come of it."""
        match message.data:
            case bytes(data):
                self.stage.send(EVE, data)
            case Departure.HALF_CLOSE:
                self.stage.hang_up(EVE)
            case Departure.VANISH:
                self.stage.vanish(EVE)
                self.gone.add(EVE)
        if message.seconds:
            self.stage.wait(message.seconds)
        told = self.stage.unread()
        if EVE not in self.gone and self.stage.is_closed(EVE):
            self.gone.add(EVE)
        others = {who: sent for who, sent in told.items() if who != EVE}
        return self.classify(told.get(EVE, b""), EVE in self.gone, others)

    @abstractmethod
    def classify(self, told: bytes, is_closed: bool, others: Mapping[str, bytes]) -> Expected:
        """What has come of a message by which the sender, and others, were told this."""

    @abstractmethod
    def go_on(self, state: State, message: Message, outcome: Expected) -> None:
        """Play on to the end of a game, with somebody else in eve's place if she is gone.

        Raises AssertionError if that is not possible, or the end is not what ann was promised.
        """


def cells(scenes: Sequence[type[Scene]]) -> list[tuple[type[Scene], State, Message]]:
    """Every state of every door with every message of it."""
    return [
        (scene, state, message)
        for scene in scenes
        for state in scene.states
        for message in scene.messages
    ]
