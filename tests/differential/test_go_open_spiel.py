"""Go against OpenSpiel's, which has simple ko, no suicide and area scoring.

It differs in what follows from a position that comes back: there it ends the game, here it may not
come back under superko, and under simple ko, which is compared, the game just goes on. So a game
is followed as far as both go on. Its points are counted from the bottom row, ours from the top.
"""

import random

import pyspiel
import pytest

from gamehall.core import Seat
from gamehall.games.go import Go, Ko, Move, Pass, Point, Scoring, Stone

GAMES = {5: 140, 9: 120, 19: 40}
"""300 in all."""


@pytest.mark.parametrize("size", GAMES)
def test_like_open_spiel_over_300_random_games(size: int) -> None:
    """The legal moves at every position, and the area at the end."""
    ends = [play_alike(size, seed) for seed in range(GAMES[size])]
    assert sum(ends) > len(ends) / 2, "most games came to two passes"


def play_alike(size: int, seed: int) -> bool:
    """Plays one game at random on both. Whether it was played out."""
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
        # Towards the end of a game it is time to pass.
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
