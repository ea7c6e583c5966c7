"""Seats, games, positions, outcomes: what a game is to the rest of the hall."""

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import (
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    Self,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from gamehall.core.errors import GamehallError


class Seat(Enum):
    """One of the two places at a table. FIRST is the one who makes the first move of a match."""

    FIRST = 1
    SECOND = 2

    other: "Seat"
    """The seat across the table."""

    # A member is only equal to itself; Enum's own hash is a call of Python.
    __hash__ = object.__hash__


Seat.FIRST.other = Seat.SECOND
Seat.SECOND.other = Seat.FIRST


MoveT = TypeVar("MoveT")


LONGEST_QUOTE = 60
"""How many letters of an odd value an error message shows."""


class IllegalMove(GamehallError, ValueError):
    """A move that the rules forbid, or a value that is no move of the game at all.

    Its text says which rule, or what a move looks like, in words for a player.
    """


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
        """Exactly the moves that `after` accepts, each once, in a fixed order.

        Where something is hidden by `seen_by`, they are a guess: what the viewer cannot see may
        make others illegal.
        """

    @abstractmethod
    def after(self, move: MoveT) -> Self:
        """The position that `move` leads to.

        Raises IllegalMove for anything but a legal move, a value of any other type included, and
        raises nothing else. What only equals a legal move is none: 3.0 is not a column, nor is a
        plain tuple a cell.
        """

    def allows(self, move: MoveT) -> bool:
        """Whether the move is legal here; False for a value that is no move at all."""
        try:
            self.after(move)
        except IllegalMove:
            return False
        return True

    def seen_by(self, viewer: Seat | None) -> Self:
        """This position without what that viewer may not know; None is a spectator.

        Not checked: that the viewer is a Seat or None. Anything else sees what a spectator sees.
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

    def task(self) -> str:
        """Return what the player to move is to do, if it is not an ordinary turn; else ""."""
        return ""

    def __str__(self) -> str:
        """Return the diagram, so that `print(position)` shows the board."""
        return self.diagram().rstrip("\n")

    def _repr_svg_(self) -> str:
        """Return the picture, which notebooks show for a position."""
        return self.picture()


class TermChoice(NamedTuple):
    """A term of a game that players choose before a match, and what they may choose from."""

    name: str
    title: str
    """For people, as in `Board`."""
    options: tuple[tuple[str | int | float, str], ...]
    """Values and how people read them, the usual one first."""


class Game(ABC, Generic[MoveT]):
    """Rules together with agreed terms (board size, line length, ...); never one playing of them.

    A game is a frozen dataclass whose fields are its terms, so that the catalogue can list them.
    To make one on terms that do not exist raises ValueError, which names the term.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    seat_titles: ClassVar[tuple[str, str]] = ("First player", "Second player")
    """What people call those who sit in the first and in the second seat."""
    term_choices: ClassVar[tuple[TermChoice, ...]] = ()
    """The terms that people are offered a choice of, where players agree on them."""

    def __post_init__(self) -> None:
        """Check that each term has its type. A game that checks more calls this first."""
        for name, kind in _types_of_terms(type(self)).items():
            value = getattr(self, name)
            if not _is_of_type(value, kind):
                raise ValueError(f"{name} must be {_type_in_words(kind)}, not {quoted(value)}")

    @abstractmethod
    def start(self, seed: int = 0) -> Position[MoveT]:
        """The first position. Games without chance ignore the seed; with it, equal seeds agree.

        Not checked: that the seed is an int.
        """

    @abstractmethod
    def write_move(self, move: MoveT) -> str:
        """The move in this game's notation, legal or not.

        Raises ValueError for what can never be a move on these terms.
        """

    def targets(self, move: MoveT) -> tuple[str, ...]:
        """What is pointed at in the picture, one thing after the other, to make this move.

        No move's targets are the beginning of another's. What the picture does not have is offered
        in words: by default that is the move as it is written. Raises ValueError like write_move.
        """
        return (self.write_move(move),)

    def explain(self, name: str) -> str | None:
        """What something on the board is, by its name; None in games where all is plain to see.

        A name that nothing has is no error. Raises ValueError at most for what is no text.
        """
        return None

    @classmethod
    def why_won(cls, reason: str, winner: str, loser: str) -> str:
        """Return the reason of an outcome as a clause that says who did what.

        Games whose reasons leave out the player extend it; see `clause`. A reason that the game
        does not know stays as it is. `winner` or `loser` is "you" for the reader.
        """
        return reason

    @abstractmethod
    def read_move(self, text: str) -> MoveT:
        """The move that `text` writes. Raises ValueError, saying what was expected.

        Not checked: that the move is legal anywhere.
        """


SECOND_PERSON = {"has": "have", "stands": "stand"}
"""The verbs of reasons, as they follow "you"."""


def clause(subject: str, verb: str, rest: str) -> str:
    """Return "ann has a line", but "you have a line"."""
    return f"{subject} {SECOND_PERSON.get(verb, verb) if subject == 'you' else verb} {rest}"


def type_of_moves(kind: type[Game[Any]]) -> Any:
    """Return the type of the game's moves: what stands in the brackets of the base class.

    Raises ValueError if there are no such brackets.
    """
    for ancestor in kind.__mro__:
        for base in getattr(ancestor, "__orig_bases__", ()):
            if get_origin(base) is Game:
                return get_args(base)[0]
    raise ValueError(f"{kind.__name__} does not say what its moves are: derive it from Game[...]")


def quoted(value: object) -> str:
    """Any value for an error message: its repr, cut off where it gets long.

    Never raises: the repr of a foreign object may fail, and that of a huge int does.
    """
    try:
        text = repr(value)
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."


def check_text(value: object) -> None:
    """Raise ValueError unless the value is text: it is what callers of read_move expect."""
    if not isinstance(value, str):
        raise ValueError(f"{quoted(value)} is not a text")  # noqa: TRY004


def is_of_ints(value: object, kind: type[tuple[int, ...]]) -> bool:
    """Whether the value is a tuple of exactly this kind, with nothing but ints in it.

    Equality is not enough to know a coordinate by: 3.0 and True equal 3 and 1.
    """
    return type(value) is kind and all(type(item) is int for item in value)


@cache
def _types_of_terms(game: type[Game[Any]]) -> dict[str, Any]:
    hints = get_type_hints(game)
    return {term.name: hints[term.name] for term in fields(game)}  # type: ignore[arg-type]


def _is_of_type(value: object, kind: Any) -> bool:
    if kind is float:
        return type(value) is int or isinstance(value, float)
    if kind is int:
        return type(value) is int
    return isinstance(value, kind) if isinstance(kind, type) else True


def _type_in_words(kind: Any) -> str:
    if issubclass(kind, Enum):
        return "one of " + ", ".join(map(str, kind))
    words = {int: "a whole number", float: "a number", bool: "True or False"}
    return words.get(kind, f"of type {kind.__name__}")
