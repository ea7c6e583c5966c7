"""Random games of Go are OpenSpiel's: as long, and won as often."""

import random
from math import sqrt

import pyspiel
import pytest

from gamehall.bots.go.playout import random_playouts

GAMES = 300
DEVIATIONS_ALLOWED = 5


@pytest.mark.parametrize("size", [3, 5])
def test_random_games_are_as_long_and_won_as_often_as_open_spiel_s(size: int) -> None:
    komi = 0.5
    game = pyspiel.load_game("go", {"board_size": size, "komi": komi})
    chance = random.Random(size)
    lengths: list[int] = []
    wins = 0
    for _ in range(GAMES):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
        lengths.append(len(state.history()))
        wins += state.returns()[0] > 0
    many = 100 * GAMES
    moves, our_wins = random_playouts(size, komi, many, seed=3)
    mean = sum(lengths) / GAMES
    deviation = sqrt(sum((length - mean) ** 2 for length in lengths) / GAMES / GAMES)
    assert abs(moves / many - mean) < DEVIATIONS_ALLOWED * deviation
    share = wins / GAMES
    assert abs(our_wins / many - share) < DEVIATIONS_ALLOWED * sqrt(share * (1 - share) / GAMES)


def test_the_same_seed_gives_the_same_games() -> None:
    assert random_playouts(9, 6.5, 20, seed=1) == random_playouts(9, 6.5, 20, seed=1)
    assert random_playouts(9, 6.5, 20, seed=1) != random_playouts(9, 6.5, 20, seed=2)


def test_no_games_are_nothing() -> None:
    assert random_playouts(9, 6.5, 0, seed=1) == (0, 0)
