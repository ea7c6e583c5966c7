"""The base class of bots, their time budget, and their entries in the catalogue."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeAlias

from gamehall.core import GamehallError, MoveT, Position, Seat, SeededRandom
from gamehall.match import Result

TimeSource: TypeAlias = Callable[[], float]
"""Returns the time in seconds since some fixed point, such as `time.monotonic`."""

ShouldStop: TypeAlias = Callable[[], bool]
"""Returns True when a search must stop."""

# The rest of the time that the server allows is for the network.
SHARE_TO_USE = 0.8
SECONDS_TO_SPARE = 0.05


class Budget:
    """The time for one move. It starts to run when the budget is created."""

    def __init__(
        self, clock: TimeSource, seconds_wanted: float, seconds_left: float | None
    ) -> None:
        """Limit the time to what the server allows: `seconds_left`, None for no limit."""
        seconds = seconds_wanted
        if seconds_left is not None:
            seconds = min(seconds, SHARE_TO_USE * seconds_left - SECONDS_TO_SPARE)
        self._clock = clock
        self._began = clock()
        self.seconds = max(seconds, 0.0)

    @property
    def spent(self) -> float:
        """The seconds that have passed."""
        return self._clock() - self._began

    @property
    def is_spent(self) -> bool:
        return self.spent >= self.seconds


def never() -> bool:
    """Return False: a ShouldStop for a search without a limit."""
    return False


class BotResignedError(GamehallError):
    """Raised by a bot to resign."""


class BotError(GamehallError):
    """A bot has failed. The message tells its author why."""


class Bot(ABC, Generic[MoveT]):
    """A computer player. Subclasses implement `choose`."""

    @abstractmethod
    def choose(self, position: Position[MoveT], seat: Seat, seconds_left: float | None) -> MoveT:
        """Return the move that `seat`, which is to move, makes in this position.

        `seconds_left` is None if there is no limit. Raise BotResignedError to resign.
        """

    def game_over(
        self, position: Position[MoveT] | None, seat: Seat | None, result: Result
    ) -> None:
        """Called when a match has ended. The default does nothing.

        `position` is None if the protocol does not show the final position; `seat` is the bot's
        own, None if the server never told it.
        """

    def close(self) -> None:
        """Release resources. Called once, possibly while another thread waits in `choose`."""


class BotKind(NamedTuple):
    """An entry in the catalogue of bots."""

    name: str
    game: str | None
    """The game that it plays, None for every game."""
    summary: str
    place: str
    """Its class, as MODULE:CLASS. Imported only when needed: some modules take seconds."""
    seconds_per_move: float | None = None
    """The default thinking time, None for a bot that is not given a clock."""

    def make(self, seed: int, clock: TimeSource, seconds_per_move: float | None = None) -> Bot[Any]:
        """Create the bot, with its default thinking time if `seconds_per_move` is None."""
        module, _, name = self.place.partition(":")
        bot_class: Callable[..., Bot[Any]] = getattr(importlib.import_module(module), name)
        if self.seconds_per_move is None:
            return bot_class(seed)
        return bot_class(seed, clock, seconds_per_move or self.seconds_per_move)


class RandomBot(Bot[Any]):
    """Picks a legal move at random, all with equal probability."""

    def __init__(self, seed: int) -> None:
        self._rng = SeededRandom(seed)

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        return self._rng.pick(list(position.legal_moves()))
