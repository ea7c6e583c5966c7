"""The opening book: which move to make in the first positions, as the solver has found once.

It knows the positions that a bot can come to if it follows the book, whatever the opponent plays.
They are walked through in a fixed order, few stones first, so that of each only the advised column
has to be kept, and a book that ends early is still a book. A position and its mirror image are one.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeAlias

from gamehall.bots.connect_four.bits import (
    BOARD,
    COLUMN_BITS,
    Stones,
    landing,
    mirrored,
)
from gamehall.bots.connect_four.opening_book import ADVICE
from gamehall.bots.connect_four.solver import wins_at_once
from gamehall.games.connect_four import COLUMNS

Advise: TypeAlias = Callable[[Stones], int | None]
"""The column to play in a position, None if there is no more advice."""


def lookup(stones: Stones) -> int:
    """The cell that the book advises, as a bit; 0 if the position is not in it."""
    column = _advice().get(upright(stones))
    if column is None:
        return 0
    move = landing(upright(stones).taken, column)
    return move if upright(stones) == stones else mirrored(move)


def upright(stones: Stones) -> Stones:
    """Of a position and its mirror image always the same one."""
    return min(stones, Stones(mirrored(stones.own), mirrored(stones.taken)))


def walk(advise: Advise) -> dict[Stones, int]:
    """What is advised in all positions that following the advice can lead to, upright.

    advise: is asked once for each of them, few stones first, until it knows no more.
    """
    found: dict[Stones, int] = {}
    waiting = [upright(Stones(0, 0)), *_replies(Stones(0, 0))]
    for stones in waiting:
        if stones in found or wins_at_once(stones) or stones.taken == BOARD:
            continue
        column = advise(stones)
        if column is None:
            break
        found[stones] = column
        taken = stones.taken | landing(stones.taken, column)
        # The list grows while it is gone through: that is what keeps few stones first.
        waiting += _replies(Stones(stones.own ^ stones.taken, taken))
    return found


def column_of(move: int) -> int:
    """The column of a cell that is given as a bit."""
    return (move.bit_length() - 1) // COLUMN_BITS


def _replies(stones: Stones) -> Iterator[Stones]:
    """What the player to move can make of a position, upright."""
    own, taken = stones
    if wins_at_once(Stones(own ^ taken, taken)) or wins_at_once(stones):
        # What follows is settled without a book, by a win or by a block.
        return
    for column in range(COLUMNS):
        move = landing(taken, column)
        if move:
            yield upright(Stones(own ^ taken, taken | move))


@cache
def _advice() -> dict[Stones, int]:
    columns = iter(ADVICE)

    def advise(_: Stones) -> int | None:
        digit = next(columns, None)
        return None if digit is None else int(digit)

    return walk(advise)
