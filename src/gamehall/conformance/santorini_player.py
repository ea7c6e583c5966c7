"""What the players of both Santorini protocols share: a line of JSON values, and moves.

The moves make short games, different ones, all legal.
"""

import json
import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Generic, TypeVar

from gamehall.conformance.line import Broken, first_to_speak, shown
from gamehall.conformance.target import Target
from gamehall.core import Seat
from gamehall.games.santorini import Cell, SantoriniPosition, Turn

TargetT = TypeVar("TargetT", bound=Target[Any])
PlayerT = TypeVar("PlayerT", bound="JsonPlayer[Any]")


class JsonPlayer(Generic[TargetT]):
    """One line to a server of Santorini."""

    def __init__(self, target: TargetT, malformed: str) -> None:
        """`malformed`: the clause that is broken by what is not well-formed JSON."""
        self.target = target
        self.line = target.connect()
        self._malformed = malformed

    def send(self, value: object) -> None:
        """One value, on a line of its own."""
        self.line.send(json.dumps(value).encode() + b"\n")

    def read(self, expected: str, clause: str, seconds: float | None = None) -> object:
        """The next value. That none comes breaks `clause`."""
        line = self.line.read_line(expected, clause, seconds)
        if not line.isascii() or line.endswith(b"\r") or line == b"":
            self.target.differs("X-03", f"there was a line {shown(line)}")
        if not line.strip():
            return self.read(expected, clause, seconds)
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError):
            raise Broken("well-formed JSON", repr(line), self._malformed) from None
        return value

    def put_back(self, value: object) -> None:
        """Have this value read next, once more."""
        self.line.kept[:0] = json.dumps(value).encode() + b"\n"


def next_speaker(players: Sequence[PlayerT], end: float) -> PlayerT | None:
    """Return the player who receives something next, or whose connection ends.

    None if there is none until `end`, or if the time is up while one receives without end.
    """
    if time.monotonic() > end:
        return None
    line = first_to_speak([player.line for player in players], end - time.monotonic())
    return next((player for player in players if player.line is line), None)


CORNERS = (Cell(1, 1), Cell(3, 3), Cell(1, 3), Cell(3, 1))
"""Where workers are placed, in this order: they soon meet."""


def placement(position: SantoriniPosition) -> Cell:
    """Return a free cell."""
    taken = {cell for seat in Seat for cell in position.workers_of(seat)}
    return next(cell for cell in CORNERS if cell not in taken)


def choose(position: SantoriniPosition, chance: Random) -> Turn:
    """Return a winning turn if there is one, otherwise one that leads up.

    000 does not say which worker is meant: no turn is chosen that both could make.
    """
    turns = [move for move in position.legal_moves() if isinstance(move, Turn)]
    plain = [turn for turn in turns if _is_plain(turn, turns)] or turns
    best = max(_worth(position, turn) for turn in plain)
    return chance.choice([turn for turn in plain if _worth(position, turn) == best])


def illegal_turns(position: SantoriniPosition) -> Iterator[Turn]:
    """Yield turns that the rules forbid: onto a worker, two cells away, a build on a worker."""
    seat = position.to_move
    assert seat is not None
    own, others = position.workers_of(seat), position.workers_of(seat.other)
    legal = [move for move in position.legal_moves() if isinstance(move, Turn)]
    for origin in own:
        for rows in (-1, 0, 1):
            for columns in (-1, 0, 1):
                to = Cell(origin.row + rows, origin.column + columns)
                if (rows or columns) and to in (*own, *others):
                    yield Turn(origin, to, origin)
    for turn in legal:
        if not _is_plain(turn, legal):
            continue
        for other in (*own, *others):
            near = max(abs(turn.to.row - other.row), abs(turn.to.column - other.column)) == 1
            if near and other != turn.origin:
                yield Turn(turn.origin, turn.to, other)


def _is_plain(turn: Turn, turns: list[Turn]) -> bool:
    return not any(turn.to == other.to and turn.origin != other.origin for other in turns)


def _worth(position: SantoriniPosition, turn: Turn) -> int:
    if turn.build is None:
        return 100
    height = position.height(turn.to)
    return 4 * height + (position.height(turn.build) in (height, height - 1))
