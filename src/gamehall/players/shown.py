"""What a person is shown, as data: lines of a kind, and boards with notes."""

import re
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import msgspec

from gamehall.core import Game, Seat

MOVES_TO_LEARN = 8
WORD = re.compile(r"[A-Za-z]{3,}")


class LineKind(Enum):
    """What a line is about."""

    INFO = "info"
    IMPORTANT = "important"
    WARNING = "warning"
    HINT = "hint"
    """What to type next, for those who type."""
    ERROR = "error"
    """What has gone wrong, or cannot be done."""
    CHAT = "chat"
    RESULT = "result"


class Line(NamedTuple):
    """A line of text."""

    kind: LineKind
    text: str
    sender: str = ""
    """Of chat: who says it."""


class Note(NamedTuple):
    """Words that go with a board."""

    text: str
    is_important: bool = False
    seat: Seat | None = None
    """The player that they are about."""


class BoardView(msgspec.Struct, frozen=True):
    """A position to show, with notes beside it or below."""

    diagram: str
    before: str | None
    """The diagram before the last change, None if nothing is to stand out."""
    notes: tuple[Note, ...]
    is_brief: bool = False
    """Whether of a diagram in words only the new lines are wanted."""


Shown: TypeAlias = Line | BoardView

Marks = dict[str, Seat]
"""Whose pieces a letter on a board stands for."""


def is_board(diagram: str) -> bool:
    """Whether the diagram is a board, and not words."""
    lines = diagram.splitlines()
    return 2 * sum(bool(WORD.search(line)) for line in lines) < len(lines)


def learn_marks(game: Game[Any]) -> Marks:
    """Return the letters of both sides, learnt from what the first moves put on the board."""
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
    """Return the letters that stand where another did."""
    pairs = zip(diagram.splitlines(), before.splitlines(), strict=False)
    return [
        new
        for line, old in pairs
        for new, was in zip(line, old.ljust(len(line)), strict=False)
        if new != was
    ]
