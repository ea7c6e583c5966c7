"""The opening book: who wins in every position of up to eight stones.

Only values of positions with eight stones are stored. Those with fewer stones are computed from
them by minimax, and those in which a line can be completed at once are known to be won. A position
and its mirror image have the same key.

The values were found by the solver bitbully, by Markus Thill. `benchmarks/opening_book.py` made the
book with it, and checks it against our own solver.
"""

import zlib
from base64 import b85decode
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gamehall.bots.compiled import compiled
from gamehall.bots.connect_four.bits import (
    BOARD,
    COLUMN,
    COLUMN_BITS,
    LOWEST,
    SEVEN_BITS,
    Stones,
    mirrored,
    winning_cells,
)
from gamehall.bots.connect_four.opening_book import VALUES
from gamehall.games.connect_four import COLUMNS

Keys: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[np.int8]
"""1 if the player to move wins, 0 for a draw, -1 for a loss."""

MAX_STONES = 8
"""The number of stones of the positions that are stored."""
IS_FULL, IS_WON = -1, -2
"""In place of the key after a move: the column is full, or the move wins."""


class Page(NamedTuple):
    """All positions with some number of stones that nobody has won."""

    keys: Keys
    """In ascending order."""
    values: Values


def value(stones: Stones) -> int | None:
    """Return the value of a position, None if it is not in the book."""
    count = stones.taken.bit_count()
    if count > MAX_STONES:
        return None
    keys, values = _pages()[count]
    key = key_of(stones.own, stones.taken)
    index = int(np.searchsorted(keys, key))
    is_found = index < len(keys) and keys[index] == key
    return int(values[index]) if is_found else None


def stored_keys() -> Keys:
    """Return the keys of the positions whose values are stored, in the order of the values."""
    last = _keys()[MAX_STONES]
    return last[~_wins_at_once(last)]


@compiled
def key_of(own: int, taken: int) -> int:
    """Return the key of a position, which is unique except that its mirror image shares it."""
    return min(own + taken, mirrored(own) + mirrored(taken))


@compiled
def _replies(keys: Keys, found: Keys) -> None:
    for number in range(len(keys)):
        key = keys[number]
        own = taken = 0
        for column in range(COLUMNS):
            start = column * COLUMN_BITS
            filled = (key >> start & SEVEN_BITS) + 1
            top = 1
            while top * 2 <= filled:
                top *= 2
            taken |= top - 1 << start
            own |= filled - top << start
        wins = winning_cells(own, taken)
        for column in range(COLUMNS):
            move = taken + LOWEST & COLUMN << COLUMN_BITS * column & BOARD & ~taken
            if move == 0:
                found[number, column] = IS_FULL
            elif move & wins:
                found[number, column] = IS_WON
            else:
                found[number, column] = key_of(own ^ taken, taken | move)


def _replies_to(keys: Keys) -> Keys:
    """Return a row for each position: the keys after a stone in each column, IS_FULL or IS_WON."""
    found = np.empty((len(keys), COLUMNS), np.int64)
    _replies(keys, found)
    return found


def _wins_at_once(keys: Keys) -> NDArray[np.bool_]:
    return np.asarray((_replies_to(keys) == IS_WON).any(axis=1), np.bool_)


@cache
def _keys() -> list[Keys]:
    """Return the keys of all positions, by the number of their stones."""
    found = [np.zeros(1, np.int64)]
    for _ in range(MAX_STONES):
        replies = np.unique(_replies_to(found[-1]))
        found.append(replies[replies >= 0])
    return found


@cache
def _pages() -> list[Page]:
    """Return all positions with their values, by the number of their stones."""
    last = _keys()[MAX_STONES]
    values = np.ones(len(last), np.int8)
    kept_values = np.frombuffer(zlib.decompress(b85decode(VALUES)), np.int8) - 1
    values[~_wins_at_once(last)] = kept_values
    pages = [Page(last, values)]
    for keys in reversed(_keys()[:MAX_STONES]):
        after = pages[-1]
        replies = _replies_to(keys)
        worth = -after.values[np.searchsorted(after.keys, np.maximum(replies, 0))]
        worth = np.where(replies == IS_WON, 1, np.where(replies == IS_FULL, -1, worth))
        pages.append(Page(keys, worth.max(axis=1).astype(np.int8)))
    return pages[::-1]
