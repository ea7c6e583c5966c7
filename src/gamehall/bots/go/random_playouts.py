"""Whole games by chance alone, as fast as they go: what a board costs without any thought.

A game goes as OpenSpiel's do when it plays at random: every legal move is as likely as any other,
the pass among them, and so is one that fills an eye. Simple ko and suicide are refused. A game ends
with two passes in a row, after two moves for each point, or when a position comes back by a stone,
which nobody wins. Then area counts.
"""

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import compiled
from gamehall.bots.go.area import area_lead
from gamehall.bots.go.board import (
    CAPTURED,
    FIELD,
    FREE,
    FREE_COUNT,
    PASS,
    PLACE,
    Board,
    Cells,
    copy,
    is_legal,
    new_board,
    play,
    play_pass,
    set_up,
)
from gamehall.bots.go.chance import Chance, below, chance_from

SLOTS = 2048
"""For the keys of the positions of a game: a power of two, and more than twice its length."""


def random_playouts(size: int, komi: float, count: int, seed: int) -> tuple[int, int]:
    """Plays so many games. Gives how many moves were played in all, and how many black has won."""
    keys = np.random.default_rng(seed).integers(1, 2**63, 2 * FIELD, dtype=np.int64)
    board, empty = new_board(), new_board()
    seen = np.zeros(2 * SLOTS, dtype=np.int64)
    chance = chance_from(seed)
    moves, wins = _play_all(board, empty, size, komi, count, chance, keys, seen)
    return moves, wins


@compiled
def _play_all(
    board: Board,
    empty: Board,
    size: int,
    komi: float,
    count: int,
    chance: Chance,
    keys: npt.NDArray[np.int64],
    seen: npt.NDArray[np.int64],
) -> tuple[int, int]:
    set_up(empty, size)
    moves = wins = 0
    for number in range(count):
        copy(empty, board)
        length, is_repeated = _play_one(board, 2 * size * size, chance, keys, seen, number)
        moves += length
        if not is_repeated and area_lead(board.cells) > komi:
            wins += 1
    return moves, wins


@compiled
def _play_one(
    board: Board,
    longest: int,
    chance: Chance,
    keys: npt.NDArray[np.int64],
    seen: npt.NDArray[np.int64],
    number: int,
) -> tuple[int, bool]:
    """How many moves it took, and whether a position came back."""
    cells = board.cells
    colour = 1
    passes = 0
    key = np.int64(0)
    _is_seen(seen, key, number)
    for length in range(longest):
        point = _any_legal(cells, colour, chance)
        if point == PASS:
            play_pass(cells)
            passes += 1
            if passes == 2:
                return length + 1, False
        else:
            play(board, point, colour)
            passes = 0
            key ^= keys[point + FIELD * (colour - 1)]
            free_count = cells[FREE_COUNT]
            for index in range(free_count - cells[CAPTURED], free_count):
                key ^= keys[cells[FREE + index] + FIELD * (2 - colour)]
            if _is_seen(seen, key, number):
                return length + 1, True
        colour = 3 - colour
    return longest, False


@compiled
def _any_legal(cells: Cells, colour: int, chance: Chance) -> int:
    """A legal move, the pass included, each as likely as the other."""
    count = cells[FREE_COUNT]
    while True:
        index = below(chance, count + 1)
        if index == count:
            return PASS
        point: int = cells[FREE + index]
        if is_legal(cells, point, colour):
            return point
        # What is not legal goes to the end of the list, and is not drawn again.
        count -= 1
        last = cells[FREE + count]
        cells[FREE + index], cells[FREE + count] = last, point
        cells[PLACE + last], cells[PLACE + point] = index, count


@compiled
def _is_seen(seen: npt.NDArray[np.int64], key: np.int64, number: int) -> bool:
    """Whether the game of this number has had the position; now it has."""
    slot = key & (SLOTS - 1)
    while seen[2 * slot + 1] == number + 1:
        if seen[2 * slot] == key:
            return True
        slot = (slot + 1) & (SLOTS - 1)
    seen[2 * slot] = key
    seen[2 * slot + 1] = number + 1
    return False
