"""Compare Go with OpenSpiel's, which has simple ko, no suicide and area scoring.

In OpenSpiel a repeated position ends the game; here the game continues under simple ko. So games
are compared until one of them ends. OpenSpiel's points are numbered from the bottom row.
"""

import random

import pyspiel
import pytest

from gamehall.core import Seat
from gamehall.games.go import Go, Ko, Move, Pass, Point, Scoring, Stone

GAMES = {5: 140, 9: 120, 19: 40}
"""How many games for each size, 300 in all."""


@pytest.mark.parametrize("size", GAMES)
def test_300_random_games_agree_with_open_spiel(size: int) -> None:
    """Compare the legal moves at every position, and the winner by area."""
    ends = [compare_game(size, seed) for seed in range(GAMES[size])]
    assert sum(ends) > len(ends) / 2, "most games must end with two passes"


def compare_game(size: int, seed: int) -> bool:
    """Play one random game on both. Return True if it was played out."""
    chance = random.Random(seed)
    komi = 6.5
    game = Go(size, komi, ko=Ko.SIMPLE, scoring=Scoring.AREA)
    theirs = pyspiel.load_game("go", {"board_size": size, "komi": komi}).new_initial_state()
    now = game.start(0)
    while now.outcome is None:
        if theirs.is_terminal():
            return False
        moves = list(now.legal_moves())
        assert {action_of(move, size) for move in moves} == set(theirs.legal_actions())
        # Pass often after many moves, so that games end.
        late = len(theirs.history()) > 1.5 * size**2
        move = Pass() if late and chance.random() < 0.5 else chance.choice(moves)
        now = now.after(move)
        theirs.apply_action(action_of(move, size))
    assert theirs.is_terminal()
    [black, _] = theirs.returns()
    assert black == (1 if now.outcome.winner is Seat.FIRST else -1)
    return True


def action_of(move: Move, size: int) -> int:
    match move:
        case Stone(Point(row, column)):
            return (size - 1 - row) * size + column
        case Pass():
            return size * size
