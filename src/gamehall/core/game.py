"""The base classes of games and positions, and the values they share: seats, outcomes, errors."""

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Iterable, Iterator
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


class Seat(Enum):
    """One of the two seats at a table. FIRST makes the first move of a match."""

    FIRST = 1
    SECOND = 2

    other: "Seat"

    # Members are compared by identity, and hashing by identity is faster than Enum's own method.
    __hash__ = object.__hash__


Seat.FIRST.other = Seat.SECOND
Seat.SECOND.other = Seat.FIRST

SEAT_NAMES = {Seat.FIRST: "first player", Seat.SECOND: "second player"}


MoveT = TypeVar("MoveT")


MAX_QUOTED_LENGTH = 60
"""How many characters of a value an error message quotes."""


class GamehallError(Exception):
    """Base class of every exception that this package defines. The text tells a person why."""


class IllegalMove(GamehallError, ValueError):
    """A move that the rules forbid, or a value that is not a move of the game.

    The text tells the player which rule is broken, or what a move looks like.
    """


class UnknownNameError(GamehallError, ValueError):
    """There is no such game or term. The message lists the known ones."""


class Outcome(msgspec.Struct, frozen=True):
    """The end of a game by its rules: the winner, or None for a draw, and the reason in words."""

    winner: Seat | None
    reason: str


class _AbstractStructMeta(msgspec.StructMeta, ABCMeta):
    """Metaclass of structs with abstract methods."""


class Position(msgspec.Struct, Generic[MoveT], frozen=True, metaclass=_AbstractStructMeta):
    """An immutable position of a game. Playing a move returns a new position.

    Exactly one of `to_move` and `outcome` is None.
    """

    to_move: Seat | None
    outcome: Outcome | None

    @abstractmethod
    def legal_moves(self) -> Iterator[MoveT]:
        """Yield the moves that `after` accepts, each once, in a fixed order.

        In the view of the player to move they are the same. In the view of another seat, and in
        positions that `after` returns from a view, moves with hidden cards are missing. There
        hidden cards may also forbid a move that is listed.
        """

    @abstractmethod
    def after(self, move: MoveT) -> Self:
        """Return the position after `move`.

        Raises IllegalMove, and nothing else, unless it is a legal move; this includes values of
        any other type. A value that merely equals a legal move is not one: 3.0 is not a column,
        and a plain tuple is not a cell.
        """

    def allows(self, move: MoveT) -> bool:
        """Return True if the move is legal here; False for a value that is not a move."""
        try:
            self.after(move)
        except IllegalMove:
            return False
        return True

    def seen_by(self, viewer: Seat | None) -> Self:
        """Return this position without what the viewer may not know. None is a spectator.

        Not checked: that the viewer is a Seat or None; any other value gets the spectator's view.
        A game without hidden information returns the position itself. `after` on a view returns
        what follows as far as the viewer can tell.
        """
        return self

    @property
    def has_hidden_information(self) -> bool:
        """True if no viewer sees the whole position: if the game overrides `seen_by`."""
        return type(self).seen_by is not Position.seen_by

    def estimate(self, seat: Seat) -> float:
        """Return the value to `seat` of a position that is not over, for bots that search.

        About 100 is a clear lead, 0 is even. The default is 0, so that searches see only the end.
        """
        return 0.0

    def determinize(self, seed: int) -> Self:
        """Return a full position that looks like this view to the player to move.

        Games with hidden cards override it, and draw the cards by the seed: bots that search guess
        them so. The default is the position itself.
        """
        return self

    @abstractmethod
    def picture(self) -> str:
        """Return the position as an SVG document.

        Parts that are clicked to make a move carry their name (see Game.targets) as `data-target`.
        """

    @abstractmethod
    def diagram(self) -> str:
        """Return the position as text for terminals and logs, at most 80 characters a line."""

    def in_words(self) -> str:
        """Return the position in sentences, for screen readers.

        The default is the diagram.
        """
        return self.diagram()

    def task(self) -> str:
        """Return what the player to move must do, or "" if it is an ordinary turn."""
        return ""

    def tally(self) -> str:
        """Return how the scores of a finished game add up, or "" if the reason says it all."""
        return ""

    def stopped(self) -> Self:
        """Return this position as it is shown after a match that has ended against its rules.

        So after a resignation, say. Games that draw the player to move override it, and leave that
        player out. The default is the position itself.
        """
        return self

    def __str__(self) -> str:
        """Return the diagram, so that `print(position)` shows the board."""
        return self.diagram().rstrip("\n")

    def _repr_svg_(self) -> str:
        """Return the picture, which notebooks show for a position."""
        return self.picture()


class TermChoice(NamedTuple):
    """A term of a game that players choose before a match, and its options."""

    name: str
    title: str
    """The label on pages, as in `Board`."""
    options: tuple[tuple[str | int | float, str], ...]
    """Values with their labels, the default first."""


class Game(ABC, Generic[MoveT]):
    """The rules of a game together with agreed terms, such as the board size.

    A subclass is a frozen dataclass whose fields are its terms, so that commands, pages and records
    can list them. Terms out of range raise ValueError, which names the term.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    seat_titles: ClassVar[tuple[str, str]] = ("First player", "Second player")
    """What the players in the first and in the second seat are called."""
    term_choices: ClassVar[tuple[TermChoice, ...]] = ()
    """The terms that pages offer where players agree on them."""

    def __post_init__(self) -> None:
        """Check the type of each term. A subclass that checks more calls this first."""
        for name, kind in _types_of_terms(type(self)).items():
            value = getattr(self, name)
            if not _is_of_type(value, kind):
                raise ValueError(f"{name} must be {_type_in_words(kind)}, not {quoted(value)}")

    @abstractmethod
    def start(self, seed: int = 0) -> Position[MoveT]:
        """Return the first position. Equal seeds give equal games; games without chance ignore it.

        Not checked: that the seed is an int.
        """

    @abstractmethod
    def write_move(self, move: MoveT) -> str:
        """Return the move in this game's notation, whether it is legal or not.

        Raises ValueError for a value that cannot be a move on these terms.
        """

    @abstractmethod
    def read_move(self, text: str) -> MoveT:
        """Parse a move. Raises ValueError, saying what was expected.

        Not checked: that the move is legal in any position.
        """

    def targets(self, move: MoveT) -> tuple[str, ...]:
        """Return the parts of the picture to click, in order, to make this move.

        The targets of one move are never the beginning of another's. Targets that are not in the
        picture are shown as buttons; the default is one, with the move in notation. Raises
        ValueError as write_move does.
        """
        return (self.write_move(move),)

    def explain(self, name: str) -> str | None:
        """Return what the card of this name does; None in games that need no explanation.

        An unknown name is not an error: the text says so. Raises ValueError if it is not a str.
        """
        return None

    @classmethod
    def why_won(cls, reason: str, winner: str, loser: str) -> str:
        """Return the reason of an outcome as a clause that names a player.

        Games whose reasons leave out the player override it; see `clause`. Unknown reasons are
        returned as they are. `winner` or `loser` may be "you".
        """
        return reason


SECOND_PERSON = {"has": "have", "stands": "stand"}


def clause(subject: str, verb: str, rest: str) -> str:
    """Return "ann has a line", but "you have a line"."""
    return f"{subject} {SECOND_PERSON.get(verb, verb) if subject == 'you' else verb} {rest}"


def type_of_moves(kind: type[Game[Any]]) -> Any:
    """Return the type of the game's moves, the type argument of its base class Game[...].

    Raises ValueError if there is none.
    """
    for ancestor in kind.__mro__:
        for base in getattr(ancestor, "__orig_bases__", ()):
            if get_origin(base) is Game:
                return get_args(base)[0]
    raise ValueError(f"{kind.__name__} does not say what its moves are: derive it from Game[...]")


def quoted(value: object) -> str:
    """Return the repr of any value for an error message, shortened if it is long.

    Never raises, although the repr of a hostile object may, and that of a huge int does.
    """
    try:
        text = repr(value)
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= MAX_QUOTED_LENGTH else text[:MAX_QUOTED_LENGTH] + "..."


def counted(number: int, noun: str) -> str:
    """Return "1 game", but "1,000 games"."""
    if number != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun}"


def check_text(value: object) -> None:
    """Raise ValueError, which callers of read_move expect, unless the value is a str."""
    if not isinstance(value, str):
        raise ValueError(f"{quoted(value)} is not a text")  # noqa: TRY004


def is_of_ints(value: object, kind: type[tuple[int, ...]]) -> bool:
    """Return True if the value is a tuple of exactly this type and holds only ints.

    Comparing coordinates for equality is not enough: 3.0 and True equal 3 and 1.
    """
    return type(value) is kind and all(type(item) is int for item in value)


def check_names_of_terms(game: type[Game[Any]], names: Iterable[str]) -> None:
    """Raise UnknownNameError, which lists the terms of the game, unless all of these are terms."""
    known = [term.name for term in fields(game)]  # type: ignore[arg-type]
    unknown = ", ".join(name for name in names if name not in known)
    if unknown:
        terms = ", ".join(known) or "none"
        raise UnknownNameError(f"{game.name} has no term {unknown}; its terms are: {terms}")


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
