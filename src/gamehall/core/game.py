"""What a game is to the rest of the hall: rules, positions, outcomes."""

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Generic, Self, TypeVar

import msgspec

from gamehall.core.seat import Seat

MoveT = TypeVar("MoveT")


class IllegalMove(Exception):
    """A move that the rules forbid. Its text says which rule, in words for a player."""


class Outcome(msgspec.Struct, frozen=True):
    """What the rules decided: the winner, or None for a draw, and why, in words."""

    winner: Seat | None
    reason: str


class _ValueMeta(msgspec.StructMeta, ABCMeta):
    """Lets a frozen struct have abstract methods too."""


class Position(msgspec.Struct, Generic[MoveT], frozen=True, metaclass=_ValueMeta):
    """One moment of a game, a value: playing a move makes a new position and leaves this one alone.

    Exactly one of `to_move` and `outcome` is None.
    """

    to_move: Seat | None
    outcome: Outcome | None

    @abstractmethod
    def legal_moves(self) -> Iterator[MoveT]:
        """Exactly the moves that `after` accepts, each once, in a fixed order."""

    @abstractmethod
    def after(self, move: MoveT) -> Self:
        """The position that `move` leads to. Raises IllegalMove, and nothing else."""

    def allows(self, move: MoveT) -> bool:
        """Whether the move is legal here."""
        try:
            self.after(move)
        except IllegalMove:
            return False
        return True

    def seen_by(self, viewer: Seat | None) -> Self:
        """This position without what that viewer may not know; None is a spectator.

        Where everything lies open, it is the position itself. What `after` gives otherwise is what
        follows as far as that viewer can tell.
        """
        return self

    @abstractmethod
    def picture(self) -> str:
        """This position as an SVG document.

        What can be pointed at to make a move bears its name (see Game.targets) as `data-target`.
        """

    @abstractmethod
    def diagram(self) -> str:
        """This position in letters, for terminals and logs; no line is longer than 80."""

    def in_words(self) -> str:
        """This position for somebody who is read to: sentences, in lines.

        The diagram, unless the game has better words.
        """
        return self.diagram()


class Game(ABC, Generic[MoveT]):
    """Rules together with agreed terms (board size, line length, ...); never one playing of them.

    A game is a frozen dataclass whose fields are its terms, so that the catalogue can list them.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def start(self, seed: int) -> Position[MoveT]:
        """The first position. Games without chance ignore the seed; with it, equal seeds agree."""

    @abstractmethod
    def write_move(self, move: MoveT) -> str:
        """The move in this game's notation."""

    def targets(self, move: MoveT) -> tuple[str, ...]:
        """What is pointed at in the picture, one thing after the other, to make this move.

        No move's targets are the beginning of another's. What the picture does not have is offered
        in words: by default that is the move as it is written.
        """
        return (self.write_move(move),)

    def explain(self, name: str) -> str | None:
        """What something on the board is, by its name; None in games where all is plain to see."""
        return None

    @abstractmethod
    def read_move(self, text: str) -> MoveT:
        """The move that `text` writes. Raises ValueError, saying what was expected."""
