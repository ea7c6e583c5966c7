"""Random games of Ascension by the rules alone: how many of them a core plays in a second."""

import random
import time
from collections.abc import Sequence
from typing import NamedTuple

from gamehall.bench.progress import show_progress
from gamehall.games.ascension import Ascension


class Played(NamedTuple):
    """What was played in one round."""

    games: int
    moves: int
    cpu_seconds: float


def random_game(seed: int) -> int:
    """Play random legal moves to the end, and say how many it took."""
    chance = random.Random(seed)
    position = Ascension().start(seed)
    moves = 0
    while position.outcome is None:
        position = position.after(chance.choice(list(position.legal_moves())))
        moves += 1
    return moves


def play_rounds(games: int, rounds: int) -> Sequence[Played]:
    """The same games in each round, one for each seed. CPU time of this program, on one core."""
    done: list[Played] = []
    for number in range(1, rounds + 1):
        show_progress(f"{games} random games, round {number} of {rounds}")
        before = time.process_time()
        moves = sum(random_game(seed) for seed in range(games))
        done.append(Played(games, moves, time.process_time() - before))
    show_progress("")
    return done
