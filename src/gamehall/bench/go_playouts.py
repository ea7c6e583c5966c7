"""Random games of Go: the compiled board of our bot beside OpenSpiel's own loop in C++.

`python -m gamehall.bench.go_playouts`. Both do the same work: every legal move is as likely as any
other, the pass among them, to the end of the game, which is then scored (`random_playouts` says
when a game ends). OpenSpiel's loop is that of its RandomRolloutEvaluator, which its search bot runs
without coming back to Python: one simulation of that bot is so many games from where it is asked.
A wrong loop cannot look fast: black must win as often in both, as far as chance allows.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt

import pyspiel

from gamehall.bench.machine import BenchError
from gamehall.bench.speed import Spread, spread
from gamehall.bots.go.random_playouts import random_playouts

DEVIATIONS_ALLOWED = 5.0
"""By how many standard deviations the shares of games that black wins may differ."""
MEGABYTES_FOR_SEARCH = 100


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the rounds gave, in games per second of CPU time."""

    ours: Spread
    theirs: Spread
    ratio: Spread
    """How many games we play while they play one, both from the same round."""


def compare(size: int, komi: float, games: int, rounds: int, seed: int = 1) -> Comparison:
    """So many games by each in every round, in turn. Raises BenchError if they do not play alike.

    Komi must not be a whole number, so that somebody wins.
    """
    random_playouts(size, komi, 1, seed)
    ours: list[float] = []
    theirs: list[float] = []
    our_balance = their_balance = 0.0
    for number in range(seed, seed + rounds):
        seconds, wins = timed(partial(our_wins, size, komi, games, number))
        ours.append(games / seconds)
        our_balance += (2 * wins - games) / games / rounds
        seconds, balance = timed(partial(open_spiel_balance, size, komi, games, number))
        theirs.append(games / seconds)
        their_balance += balance / rounds
    if abs(our_balance - their_balance) > DEVIATIONS_ALLOWED * sqrt(2 / (games * rounds)):
        raise BenchError(
            f"black wins less loses {our_balance:.3f} of our games, {their_balance:.3f} of"
            f" OpenSpiel's: they do not play alike"
        )
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    return Comparison(spread(ours), spread(theirs), spread(ratios))


def timed(task: Callable[[], float]) -> tuple[float, float]:
    """How many seconds of CPU time it takes, and what it gives."""
    before = time.process_time()
    given = task()
    return time.process_time() - before, given


def our_wins(size: int, komi: float, games: int, seed: int) -> int:
    """Plays so many games on our board. Gives how many black wins."""
    _, wins = random_playouts(size, komi, games, seed)
    return wins


def open_spiel_balance(size: int, komi: float, games: int, seed: int) -> float:
    """Has OpenSpiel play so many games. Gives black's wins less losses, for each game."""
    game = pyspiel.load_game("go", {"board_size": size, "komi": komi})
    evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
    one_simulation = 1
    bot = pyspiel.MCTSBot(
        game, evaluator, 1.0, one_simulation, MEGABYTES_FOR_SEARCH, False, seed, False
    )
    root = bot.mcts_search(game.new_initial_state())
    return float(root.total_reward)


def main(arguments: Sequence[str]) -> None:
    """The comparison that the arguments describe."""
    parser = argparse.ArgumentParser(prog="go_playouts", description="Random games of Go.")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--komi", type=float, default=6.5)
    parser.add_argument("--games", type=int, default=4000, help="of each, in a round")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args(arguments)
    result = compare(given.size, given.komi, given.games, given.rounds)
    print(f"{given.size} x {given.size}, games to the end at random, on one core")
    rows = (("gamehall", result.ours, ",.0f"), ("OpenSpiel", result.theirs, ",.0f"))
    for name, values, form in (*rows, ("ratio", result.ratio, ".2f")):
        low, high = format(values.low, form), format(values.high, form)
        print(f"{name:10}{values.median:>12{form}}  ({low} - {high})")


if __name__ == "__main__":
    main(sys.argv[1:])
