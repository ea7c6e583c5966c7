"""Random games of Go, made before any clock runs, so that every engine plays the same ones."""

import random
from typing import NamedTuple

from gamehall.core import Seat
from gamehall.games.go import Go, Point, Stone


class RandomGame(NamedTuple):
    """Stones that are put onto a board in turn, black first; nobody passes."""

    size: int
    points: tuple[Point, ...]
    stones: dict[Point, Seat]
    """What is on the board after the last of them."""


def random_game(size: int, seed: int, longest: int | None = None) -> RandomGame:
    """Random legal moves until there are none, or so many, or two for each point of the board.

    That is where OpenSpiel ends a game. The rules are Gamehall's, the strictest of all that are
    compared: no suicide, and no position comes back.
    """
    chance = random.Random(seed)
    longest = 2 * size**2 if longest is None else longest
    position = Go(size).start(seed)
    points: list[Point] = []
    while len(points) < longest:
        stones = [move for move in position.legal_moves() if isinstance(move, Stone)]
        if not stones:
            break
        stone = chance.choice(stones)
        position = position.after(stone)
        points.append(stone.point)
    return RandomGame(size, tuple(points), position.stones)
