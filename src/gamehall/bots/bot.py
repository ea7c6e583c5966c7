"""What a bot is, how long it may think, and how the hall lists it.

A bot that takes its time is told the clock and never uses more time than it has (see Budget).
"""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeAlias

from gamehall.core import GamehallError, MoveT, Position, Seat, SeededRandom
from gamehall.match import Result

Clock: TypeAlias = Callable[[], float]
"""Gives the time in seconds, from any beginning."""

IsOver: TypeAlias = Callable[[], bool]
"""Returns True when it is time to stop thinking."""

SHARE_TO_USE = 0.8
"""Of the time that is left for a move: the rest is for the way to the server and back."""
SECONDS_TO_SPARE = 0.05


class Budget:
    """The time for one move. It begins when it is made."""

    def __init__(self, clock: Clock, seconds_wanted: float, seconds_left: float | None) -> None:
        """`seconds_left`: how long the server waits for the move, None if there is no limit."""
        seconds = seconds_wanted
        if seconds_left is not None:
            seconds = min(seconds, SHARE_TO_USE * seconds_left - SECONDS_TO_SPARE)
        self._clock = clock
        self._began = clock()
        self.seconds = max(seconds, 0.0)

    @property
    def spent(self) -> float:
        """How many seconds have passed."""
        return self._clock() - self._began

    @property
    def is_spent(self) -> bool:
        """True if it is time to move."""
        return self.spent >= self.seconds


def never() -> bool:
    """Let a search run to its end: an IsOver without a limit."""
    return False


class BotResignedError(GamehallError):
    """What a bot raises to resign."""


class BotError(GamehallError):
    """A bot cannot go on. The text tells its author why."""


class Bot(ABC, Generic[MoveT]):
    """A player that thinks. Subclass it, and write `choose`."""

    @abstractmethod
    def choose(self, position: Position[MoveT], seat: Seat, seconds_left: float | None) -> MoveT:
        """Return the move that `seat`, which is to move, makes in this position.

        `seconds_left` is None if there is no limit. Raise BotResignedError to resign.
        """

    def game_over(
        self, position: Position[MoveT] | None, seat: Seat | None, result: Result
    ) -> None:
        """A match has ended in this position, None if the wire does not show it.

        Nothing need be done about it. `seat` is the bot's, None if the server never said.
        """

    def close(self) -> None:
        """Nobody will ask any more, not even for what is being thought about just now."""


class BotKind(NamedTuple):
    """A bot that comes with the hall, and that anybody can have play."""

    name: str
    game: str | None
    """The game that it plays, None if it plays any."""
    summary: str
    place: str
    """Where its class is, as MODULE:CLASS: some take long to load, and most are not wanted."""
    seconds_per_move: float | None = None
    """How long it thinks unless told otherwise, None if it does not take its time."""

    def make(self, seed: int, clock: Clock, seconds_per_move: float | None = None) -> Bot[Any]:
        """Return one such bot.

        `seconds_per_move`: how long it thinks, None: as long as it likes to.
        """
        module, _, name = self.place.partition(":")
        kind = getattr(importlib.import_module(module), name)
        if self.seconds_per_move is None:
            made: Bot[Any] = kind(seed)
        else:
            made = kind(seed, clock, seconds_per_move or self.seconds_per_move)
        return made


class RandomBot(Bot[Any]):
    """Makes any legal move, each as likely as the other."""

    def __init__(self, seed: int) -> None:
        self._shuffler = SeededRandom(seed)

    def choose(self, position: Position[Any], seat: Seat, seconds_left: float | None) -> Any:
        return self._shuffler.pick(list(position.legal_moves()))
