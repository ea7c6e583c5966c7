"""The opening book: who wins in every position of up to eight stones.

It keeps the values of the positions with eight stones; those with fewer follow from them, as each
is worth the best that can be made of it. Positions in which a line can be completed at once are not
kept, since they are won. A position is known by a key, which it shares with its mirror image.

The values were found by the solver bitbully, by Markus Thill; `benchmarks/opening_book.py` made
the book with it, and checks it against our own solver.
"""

import zlib
from base64 import b85decode, b85encode
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

MOST_STONES = 8
"""How many stones the positions have whose values are kept."""
IS_FULL, IS_WON = -1, -2
"""Instead of what becomes of a position: the column is full, or a line is completed there."""


class Page(NamedTuple):
    """All positions with so many stones in which nobody has won: their keys in order, and values.

    Its first page has one, the empty board.
    """

    keys: Keys
    values: Values


def value(stones: Stones) -> int | None:
    """1 if the player to move wins, 0 for a draw, -1 for a loss; None if the book does not say."""
    number = stones.taken.bit_count()
    if number > MOST_STONES:
        return None
    keys, values = _pages()[number]
    key = key_of(stones.own, stones.taken)
    place = int(np.searchsorted(keys, key))
    is_there = place < len(keys) and keys[place] == key
    return int(values[place]) if is_there else None


def kept() -> Keys:
    """Return the keys of the positions whose values are kept, in the order in which they are."""
    last = _keys()[MOST_STONES]
    return last[~_wins_at_once(last)]


def written(values: Values) -> str:
    """Return the values of the kept positions, as the module opening_book has them."""
    return b85encode(zlib.compress((values + 1).astype(np.int8).tobytes(), 9)).decode()


def stones_of_key(key: int) -> Stones:
    """Return the position of this key, or its mirror image."""
    own = taken = 0
    for column in range(COLUMNS):
        start = column * COLUMN_BITS
        filled = (key >> start & SEVEN_BITS) + 1
        height = filled.bit_length() - 1
        taken |= (1 << height) - 1 << start
        own |= filled - (1 << height) << start
    return Stones(own, taken)


@compiled
def key_of(own: int, taken: int) -> int:
    """Return a number for a position and its mirror image, which tells what is in each column."""
    return min(own + taken, mirrored(own) + mirrored(taken))


@compiled
def _replies(keys: Keys, found: Keys) -> None:
    """Writes for every position what becomes of it by a stone in each column."""
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
    """Return a row for each position: the keys that a stone in each column leads to."""
    found = np.empty((len(keys), COLUMNS), np.int64)
    _replies(keys, found)
    return found


def _wins_at_once(keys: Keys) -> NDArray[np.bool_]:
    return np.asarray((_replies_to(keys) == IS_WON).any(axis=1), np.bool_)


@cache
def _keys() -> list[Keys]:
    """Return the keys of all positions, by how many stones they have."""
    found = [np.zeros(1, np.int64)]
    for _ in range(MOST_STONES):
        replies = np.unique(_replies_to(found[-1]))
        found.append(replies[replies >= 0])
    return found


@cache
def _pages() -> list[Page]:
    """Everything that is known, by the number of stones."""
    last = _keys()[MOST_STONES]
    values = np.ones(len(last), np.int8)
    kept_values = np.frombuffer(zlib.decompress(b85decode(VALUES)), np.int8) - 1
    values[~_wins_at_once(last)] = kept_values
    pages = [Page(last, values)]
    for keys in reversed(_keys()[:MOST_STONES]):
        after = pages[-1]
        replies = _replies_to(keys)
        worth = -after.values[np.searchsorted(after.keys, np.maximum(replies, 0))]
        worth = np.where(replies == IS_WON, 1, np.where(replies == IS_FULL, -1, worth))
        pages.append(Page(keys, worth.max(axis=1).astype(np.int8)))
    return pages[::-1]
