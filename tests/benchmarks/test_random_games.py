"""The compiled games of benchmarks beside other implementations of the rules."""

import random
from math import sqrt

import pyspiel
import pytest

from benchmarks.random_games import go_playouts, perft, santorini_playouts
from gamehall.bots.connect_four.bits import stones_of
from gamehall.core import Seat
from gamehall.games.connect_four import ConnectFour, ConnectFourPosition
from gamehall.games.santorini import Santorini, Turn

GAMES = 300
DEVIATIONS_ALLOWED = 5


@pytest.mark.parametrize("size", [3, 5])
def test_random_games_of_go_have_the_length_and_winners_of_open_spiel(size: int) -> None:
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
    moves, our_wins = go_playouts(size, komi, many, seed=3)
    mean = sum(lengths) / GAMES
    deviation = sqrt(sum((length - mean) ** 2 for length in lengths) / GAMES / GAMES)
    assert abs(moves / many - mean) < DEVIATIONS_ALLOWED * deviation
    share = wins / GAMES
    assert abs(our_wins / many - share) < DEVIATIONS_ALLOWED * sqrt(share * (1 - share) / GAMES)


def test_the_same_seed_gives_the_same_games() -> None:
    assert go_playouts(9, 6.5, 20, seed=1) == go_playouts(9, 6.5, 20, seed=1)
    assert go_playouts(9, 6.5, 20, seed=1) != go_playouts(9, 6.5, 20, seed=2)
    assert santorini_playouts(5, 10, seed=7) == santorini_playouts(5, 10, seed=7)


@pytest.mark.parametrize("size", [5, 6])
def test_random_games_of_santorini_have_the_length_and_winners_of_the_rules(size: int) -> None:
    moves, first_wins = santorini_playouts(size, 4000, seed=7)
    chance = random.Random(7)
    readable_moves = readable_wins = 0
    for _ in range(150):
        position = Santorini(size).start(0)
        while position.outcome is None:
            options = list(position.legal_moves())
            if not position.is_placing:
                turns = [option for option in options if isinstance(option, Turn)]
                step = chance.choice(sorted({(turn.origin, turn.to) for turn in turns}))
                options = [turn for turn in turns if (turn.origin, turn.to) == step]
            position = position.after(chance.choice(options))
            readable_moves += 1
        readable_wins += position.outcome.winner is Seat.FIRST
    assert abs(moves / 4000 - readable_moves / 150) < 4
    assert abs(first_wins / 4000 - readable_wins / 150) < 0.15


def readable_perft(position: ConnectFourPosition, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(readable_perft(position.after(move), depth - 1) for move in position.legal_moves())


def test_perft_agrees_with_the_rules() -> None:
    assert [perft(depth, 0, 0) for depth in range(9)] == [
        1,
        7,
        49,
        343,
        2401,
        16807,
        117649,
        823536,
        5673234,
    ]
    chance = random.Random(3)
    for stones in (6, 9, 12):
        position = ConnectFour().start(0)
        for _ in range(stones):
            position = position.after(chance.choice(list(position.legal_moves())))
        own, taken = stones_of(position)
        assert perft(4, own, taken) == readable_perft(position, 4)
