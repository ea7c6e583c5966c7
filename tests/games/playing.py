"""Play games in tests: random games, games of given moves, and counting moves (perft)."""

import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from gamehall.core import Game, IllegalMove, Position
from gamehall.games.connect_four import ConnectFourPosition


def random_game(game: Game[Any], seed: int) -> Iterator[Position[Any]]:
    """Yield the positions of a game of random moves, from the first to the last."""
    chance = random.Random(seed)
    position = game.start(seed)
    yield position
    while position.outcome is None:
        position = position.after(chance.choice(list(position.legal_moves())))
        yield position


def play_moves(game: Game[Any], moves: str) -> Position[Any]:
    """Return the position after these moves, which are in notation and separated by blanks."""
    position = game.start(1)
    for move in moves.split():
        position = position.after(game.read_move(move))
    return position


def drop(start: ConnectFourPosition, columns: str | Iterable[int]) -> ConnectFourPosition:
    """Return the position after stones in these columns: letters, or numbers from 0."""
    for column in columns:
        index = column if isinstance(column, int) else "abcdefg".index(column)
        start = start.after(start.named(index, 0))
    return start


def refusal(position: Position[Any], move: object) -> str:
    """Return the error message for an illegal move, which must not be listed as legal either."""
    assert move not in list(position.legal_moves())
    with pytest.raises(IllegalMove) as error:
        position.after(move)
    return str(error.value)


def perft(position: Position[Any], depth: int) -> int:
    """Return the number of sequences of `depth` legal moves."""
    if depth == 1:
        return sum(1 for _ in position.legal_moves())
    return sum(perft(position.after(move), depth - 1) for move in position.legal_moves())
