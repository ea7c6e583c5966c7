"""Requests for short games of Connect Four."""

from typing import Any

from gamehall.games.connect_four import Cell
from gamehall.match import MovePlayed
from gamehall.rooms.requests import Play
from tests.support.hosted import Hosted

RED_WINS = [(who, column) for _ in range(3) for who, column in (("ann", 0), ("bob", 1))] + [
    ("ann", 0)
]
"""The shortest game: the first player has four in the first column."""


def column(hosted: Hosted, number: int, table: int = 0) -> Play[Any]:
    """Return the move in that column."""
    position: Any = hosted.view().tables[table].position
    return Play(position.named(number, 0))


def play_out(hosted: Hosted) -> None:
    """Play the shortest game, which Ann wins."""
    for who, number in RED_WINS:
        hosted.ask(who, column(hosted, number))


def played(notices: list[Any]) -> list[Cell]:
    return [notice.move for notice in notices if isinstance(notice, MovePlayed)]
