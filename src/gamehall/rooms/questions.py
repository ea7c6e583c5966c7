"""What the first of two players is asked about the terms of their match."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Generic

from gamehall.core import Game, MoveT, Seat


class BadAnswerText(Exception):
    """An answer about the terms that cannot be taken. Its text says what could."""


class Questions(ABC, Generic[MoveT]):
    """What the first player is asked, and the game that its answers make."""

    names: ClassVar[tuple[str, ...]]
    """In the order in which they are asked."""

    @abstractmethod
    def read(self, question: str, text: str, answers: Mapping[str, object]) -> object:
        """What an answer says, given those before it. Raises BadAnswerText."""

    @abstractmethod
    def agree(self, answers: Mapping[str, object]) -> tuple[Game[MoveT], Seat]:
        """The game, and the seat of whoever answered. Not checked: that all is answered."""
