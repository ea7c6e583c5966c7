"""The output for a person, as data: lines of text and boards with notes."""

import re
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import msgspec

from gamehall.core import Game, Seat

MOVES_TO_LEARN = 8
WORD = re.compile(r"[A-Za-z]{3,}")


class LineKind(Enum):
    """The kind of a line."""

    INFO = "info"
    IMPORTANT = "important"
    WARNING = "warning"
    HINT = "hint"
    """What to type next. The web page does not show it."""
    ERROR = "error"
    CHAT = "chat"
    RESULT = "result"


class Line(NamedTuple):
    """A line of text."""

    kind: LineKind
    text: str
    sender: str = ""
    """The sender of chat."""


class Note(NamedTuple):
    """A line beside or below a board."""

    text: str
    is_important: bool = False
    seat: Seat | None = None
    """The player that the note is about."""


class BoardView(msgspec.Struct, frozen=True):
    """A position to show, with notes."""

    diagram: str
    before: str | None
    """The diagram before the last change, to highlight the change; None for no highlighting."""
    notes: tuple[Note, ...]
    is_brief: bool = False
    """Show only the new lines of a diagram in words."""


Shown: TypeAlias = Line | BoardView

Marks = dict[str, Seat]
"""The player whose pieces a letter on the board stands for."""


def is_board(diagram: str) -> bool:
    """Return True if a diagram is a board, False if it is a text."""
    lines = diagram.splitlines()
    return 2 * sum(bool(WORD.search(line)) for line in lines) < len(lines)


def learn_marks(game: Game[Any]) -> Marks:
    """Return the letters of both players' pieces, learnt from the first moves of a game."""
    marks: Marks = {}
    position = game.start(0)
    for _ in range(MOVES_TO_LEARN):
        seat, before = position.to_move, position.diagram()
        move = next(iter(position.legal_moves()), None)
        if seat is None or move is None or len(marks) == len(Seat) or not is_board(before):
            break
        position = position.after(move)
        letters = {letter for letter in _changed(position.diagram(), before) if letter.isupper()}
        if len(letters) == 1:
            marks[letters.pop()] = seat
    return marks


def _changed(diagram: str, before: str) -> list[str]:
    """Return the new letters where two diagrams differ."""
    pairs = zip(diagram.splitlines(), before.splitlines(), strict=False)
    return [
        new
        for line, old in pairs
        for new, was in zip(line, old.ljust(len(line)), strict=False)
        if new != was
    ]
