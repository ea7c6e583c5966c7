"""Whole games of Santorini at random, compiled: the usual measure of how quick rules are."""

import numpy as np

from gamehall.bots.compiled import compiled
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
)
from gamehall.bots.santorini.turns import lowest_in, number_of, occupied_in, play_turn, reach_of

MULTIPLIER = 0x2545F4914F6CDD1D
LOW_BITS = (1 << 31) - 1
NO_STEP, WON = -1, -2
"""Instead of a turn: the player cannot move; the player has won."""


@compiled
def draw(chance: Numbers, below: int) -> int:
    """A number from 0 up to one below the given one, each as likely as the other.

    The generator is George Marsaglia's xorshift (2003) with the multiplier of Vigna's xorshift64*.
    """
    state = chance[0]
    state ^= state << 13
    state ^= state >> 7 & (1 << 57) - 1
    state ^= state << 17
    chance[0] = state
    return int(((state * MULTIPLIER >> 32 & LOW_BITS) * below) >> 31)


@compiled
def nth_of(cells: int, number: int) -> int:
    """The cell of a set before which there are so many others."""
    for _ in range(number):
        cells &= cells - 1
    return lowest_in(cells)


@compiled
def random_turn(board: Numbers, neighbours: Numbers, chance: Numbers) -> int:
    """Any step of either worker, then any build; or NO_STEP, or WON."""
    occupied = occupied_in(board)
    steps_a = reach_of(board, neighbours, board[OWN_A], occupied)
    steps_b = reach_of(board, neighbours, board[OWN_B], occupied)
    number_a, number_b = number_of(steps_a), number_of(steps_b)
    if number_a + number_b == 0:
        return NO_STEP
    choice = draw(chance, number_a + number_b)
    worker = 0 if choice < number_a else 1
    to = nth_of(steps_a, choice) if worker == 0 else nth_of(steps_b, choice - number_a)
    if board[THREE] >> to & 1:
        return WON
    sites = neighbours[to] & ~(occupied ^ 1 << board[OWN_A + worker]) & ~board[DOME]
    site = nth_of(sites, draw(chance, number_of(sites)))
    return worker << WORKER_SHIFT | to << TO_SHIFT | site


@compiled
def playouts(count: int, seed: int, neighbours: Numbers) -> tuple[int, int]:
    """Play so many games from the empty board at random: any cell, any step, then any build.

    Gives the number of moves, placements included, and how many games the first player won. The
    players place in turn, and the first begins. seed: not 0.
    """
    chance = np.array([seed], np.int64)
    board, after = np.zeros(BOARD_WIDTH, np.int64), np.zeros(BOARD_WIDTH, np.int64)
    moves = first_wins = 0
    cells = len(neighbours)
    for _ in range(count):
        for level in range(ONE, DOME + 1):
            board[level] = 0
        taken = 0
        for place in range(OWN_A, BOARD_WIDTH):
            cell = draw(chance, cells)
            while taken >> cell & 1:
                cell = draw(chance, cells)
            taken |= 1 << cell
            board[place] = cell
        moves += BOARD_WIDTH - OWN_A
        is_first = True
        turn = random_turn(board, neighbours, chance)
        while turn >= 0:
            moves += 1
            play_turn(board, turn, after)
            board, after = after, board
            is_first = not is_first
            turn = random_turn(board, neighbours, chance)
        if turn == WON:
            moves += 1
        if (turn == WON) == is_first:
            first_wins += 1
    return moves, first_wins
