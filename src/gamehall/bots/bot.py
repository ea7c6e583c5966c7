"""What a bot is."""

from abc import ABC, abstractmethod
from typing import Generic

from gamehall.core import MoveT, Position, Seat
from gamehall.match import Result


class BotResigned(Exception):
    """What a bot raises to resign."""


class BotFault(Exception):
    """A bot cannot go on. The text tells its author why."""


class Bot(ABC, Generic[MoveT]):
    """A player that thinks. Subclass it, and write `choose`."""

    @abstractmethod
    def choose(self, position: Position[MoveT], seat: Seat, seconds_left: float | None) -> MoveT:
        """The move that `seat`, which is to move, makes in this position.

        `seconds_left` is None if there is no limit. Raise BotResigned to resign.
        """

    def game_over(
        self, position: Position[MoveT] | None, seat: Seat | None, result: Result
    ) -> None:
        """A match has ended in this position, None if the wire does not show it.

        Nothing need be done about it. `seat` is the bot's, None if the server never said.
        """

    def close(self) -> None:
        """Nobody will ask any more, not even for what is being thought about just now."""
