"""Compiled loops of whole games on the boards of the bots, to measure their speed.

All games of some length are counted in Connect Four (perft). In Go and Santorini, random games are
played.
"""

import numpy as np
import numpy.typing as npt

from gamehall.bots.compiled import bit_count, compiled
from gamehall.bots.connect_four.bits import BOARD, COLUMN, COLUMN_BITS, LOWEST, has_four
from gamehall.bots.go.board import (
    CAPTURED,
    EMPTY_COUNT,
    EMPTY_INDEX,
    EMPTY_POINTS,
    FIELD,
    PASS,
    Board,
    Cells,
    area_lead,
    copy,
    is_legal,
    new_board,
    play,
    play_pass,
    set_up,
)
from gamehall.bots.go.playout import Rng, new_rng, random_below
from gamehall.bots.santorini.board import (
    BOARD_WIDTH,
    DOME,
    ONE,
    OWN_A,
    OWN_B,
    THREE,
    TO_SHIFT,
    WORKER_SHIFT,
    Numbers,
    lowest_in,
    neighbours_of,
    occupied_in,
    play_turn,
    reachable_cells,
)
from gamehall.games.connect_four import COLUMNS


@compiled
def perft(depth: int, own: int, taken: int) -> int:
    """Return the number of sequences of `depth` moves. A game that is won ends.

    `own` and `taken` are the stones of the position to start from (see `bits.py`).
    """
    if depth == 0:
        return 1
    found = 0
    possible = taken + LOWEST & BOARD
    for column in range(COLUMNS):
        move = possible & COLUMN << COLUMN_BITS * column
        if move:
            if depth == 1:
                found += 1
            elif not has_four(own | move):
                found += perft(depth - 1, own ^ taken, taken | move)
    return found


# Go


SLOTS = 2048
"""The size of the hash table of positions: a power of two, more than twice the longest game."""


def go_playouts(size: int, komi: float, count: int, seed: int) -> tuple[int, int]:
    """Play random games. Return the number of moves in all of them, and of wins of black.

    The rules are those of OpenSpiel: every legal move is equally likely, also a pass, and one that
    fills an eye. Simple ko and suicide are illegal. A game ends with two passes in a row, after two
    moves for each point, or when a stone repeats a position, which nobody wins. Scoring is by area.
    """
    keys = np.random.default_rng(seed).integers(1, 2**63, 2 * FIELD, dtype=np.int64)
    board, empty = new_board(), new_board()
    seen = np.zeros(2 * SLOTS, dtype=np.int64)
    rng = new_rng(seed)
    moves, wins = _play_go(board, empty, size, komi, count, rng, keys, seen)
    return moves, wins


@compiled
def _play_go(
    board: Board,
    empty: Board,
    size: int,
    komi: float,
    count: int,
    rng: Rng,
    keys: npt.NDArray[np.int64],
    seen: npt.NDArray[np.int64],
) -> tuple[int, int]:
    set_up(empty, size)
    moves = wins = 0
    for number in range(count):
        copy(empty, board)
        length, is_repeated = _play_one_go(board, 2 * size * size, rng, keys, seen, number)
        moves += length
        if not is_repeated and area_lead(board.cells) > komi:
            wins += 1
    return moves, wins


@compiled
def _play_one_go(
    board: Board,
    max_moves: int,
    rng: Rng,
    keys: npt.NDArray[np.int64],
    seen: npt.NDArray[np.int64],
    number: int,
) -> tuple[int, bool]:
    """Return the number of moves, and whether the game ended by a repeated position."""
    cells = board.cells
    colour = 1
    passes = 0
    key = np.int64(0)
    _is_seen(seen, key, number)
    for length in range(max_moves):
        point = _any_legal(cells, colour, rng)
        if point == PASS:
            play_pass(cells)
            passes += 1
            if passes == 2:
                return length + 1, False
        else:
            play(board, point, colour)
            passes = 0
            key ^= keys[point + FIELD * (colour - 1)]
            empty_count = cells[EMPTY_COUNT]
            for index in range(empty_count - cells[CAPTURED], empty_count):
                key ^= keys[cells[EMPTY_POINTS + index] + FIELD * (2 - colour)]
            if _is_seen(seen, key, number):
                return length + 1, True
        colour = 3 - colour
    return max_moves, False


@compiled
def _any_legal(cells: Cells, colour: int, rng: Rng) -> int:
    """Return a random legal move, or a pass, all with equal probability."""
    count = cells[EMPTY_COUNT]
    while True:
        index = random_below(rng, count + 1)
        if index == count:
            return PASS
        point: int = cells[EMPTY_POINTS + index]
        if is_legal(cells, point, colour):
            return point
        # Swap it behind the points that can still be drawn.
        count -= 1
        last = cells[EMPTY_POINTS + count]
        cells[EMPTY_POINTS + index], cells[EMPTY_POINTS + count] = last, point
        cells[EMPTY_INDEX + last], cells[EMPTY_INDEX + point] = index, count


@compiled
def _is_seen(seen: npt.NDArray[np.int64], key: np.int64, number: int) -> bool:
    """Return True if the position has occurred in the game of this number; else add it."""
    slot = key & (SLOTS - 1)
    while seen[2 * slot + 1] == number + 1:
        if seen[2 * slot] == key:
            return True
        slot = (slot + 1) & (SLOTS - 1)
    seen[2 * slot] = key
    seen[2 * slot + 1] = number + 1
    return False


# Santorini


STUCK, WON = -1, -2
"""Returned instead of a turn: the player cannot move, or has won with the step."""


@compiled
def nth_of(cells: int, number: int) -> int:
    """Return the cell of a set that has `number` cells before it."""
    for _ in range(number):
        cells &= cells - 1
    return lowest_in(cells)


@compiled
def random_turn(board: Numbers, neighbours: Numbers, rng: Rng) -> int:
    """Return a random step of either worker with a random build, or STUCK, or WON."""
    occupied = occupied_in(board)
    steps_a = reachable_cells(board, neighbours, board[OWN_A], occupied)
    steps_b = reachable_cells(board, neighbours, board[OWN_B], occupied)
    number_a, number_b = bit_count(steps_a), bit_count(steps_b)
    if number_a + number_b == 0:
        return STUCK
    choice = random_below(rng, number_a + number_b)
    worker = 0 if choice < number_a else 1
    to = nth_of(steps_a, choice) if worker == 0 else nth_of(steps_b, choice - number_a)
    if board[THREE] >> to & 1:
        return WON
    sites = neighbours[to] & ~(occupied ^ 1 << board[OWN_A + worker]) & ~board[DOME]
    site = nth_of(sites, random_below(rng, bit_count(sites)))
    return worker << WORKER_SHIFT | to << TO_SHIFT | site


def santorini_playouts(size: int, count: int, seed: int) -> tuple[int, int]:
    """Play games of random placements, steps and builds.

    Return the number of moves, placements included, and of wins of the first player. The players
    place their workers in turn, and the first begins.
    """
    moves, wins = _play_santorini(count, new_rng(seed), neighbours_of(size))
    return moves, wins


@compiled
def _play_santorini(count: int, rng: Rng, neighbours: Numbers) -> tuple[int, int]:
    board, after = np.zeros(BOARD_WIDTH, np.int64), np.zeros(BOARD_WIDTH, np.int64)
    moves = first_wins = 0
    cells = len(neighbours)
    for _ in range(count):
        for level in range(ONE, DOME + 1):
            board[level] = 0
        taken = 0
        for place in range(OWN_A, BOARD_WIDTH):
            cell = random_below(rng, cells)
            while taken >> cell & 1:
                cell = random_below(rng, cells)
            taken |= 1 << cell
            board[place] = cell
        moves += BOARD_WIDTH - OWN_A
        is_first = True
        turn = random_turn(board, neighbours, rng)
        while turn >= 0:
            moves += 1
            play_turn(board, turn, after)
            board, after = after, board
            is_first = not is_first
            turn = random_turn(board, neighbours, rng)
        if turn == WON:
            moves += 1
        if (turn == WON) == is_first:
            first_wins += 1
    return moves, first_wins
