"""The kernel of Go: random games on our bot's board, beside OpenSpiel's own loop in C++.

Both do the same work: every legal move is as likely as any other, the pass among them, to the end
of the game, which is then scored (`random_playouts` says when a game ends). OpenSpiel's loop is
that of its RandomRolloutEvaluator, which its search bot runs without coming back to Python: one
simulation of that bot is so many games from where it is asked. A wrong loop cannot look fast: black
must win as often in both, as far as chance allows.
"""

from importlib.util import find_spec
from itertools import count
from math import sqrt

from gamehall.bench.kernels_contest import Contest, repeated
from gamehall.bots.go.playout import random_playouts

SIZE, KOMI = 9, 6.5
GAMES_AT_A_TIME = 500
GAMES_TO_COMPARE = 2_000
DEVIATIONS_ALLOWED = 5.0
"""By how many standard deviations the shares of games that black wins may differ."""
MEGABYTES_FOR_SEARCH = 100
WITHOUT_OPEN_SPIEL = "OpenSpiel is not installed, so it is left out: make test installs it"


def playouts_contest() -> Contest:
    """Whole games of 9 x 9 at random, by the kernel and by OpenSpiel."""
    seeds = count(1)

    def play() -> float:
        random_playouts(SIZE, KOMI, GAMES_AT_A_TIME, next(seeds))
        return GAMES_AT_A_TIME

    def play_open_spiel() -> float:
        open_spiel_balance(GAMES_AT_A_TIME, next(seeds))
        return GAMES_AT_A_TIME

    def warm_up() -> bool:
        return play() > 0

    name, unit = "Go playouts", "games"
    if find_spec("pyspiel") is None:
        return Contest(name, unit, repeated(play), agrees=warm_up, why_alone=WITHOUT_OPEN_SPIEL)
    other = repeated(play_open_spiel)
    return Contest(name, unit, repeated(play), "OpenSpiel in C++", other, play_alike)


def play_alike() -> bool:
    """Whether black wins as often in both, as far as chance allows."""
    difference = abs(our_balance(GAMES_TO_COMPARE, 1) - open_spiel_balance(GAMES_TO_COMPARE, 1))
    return difference <= DEVIATIONS_ALLOWED * sqrt(2 / GAMES_TO_COMPARE)


def our_balance(games: int, seed: int) -> float:
    """Plays so many games on our board. Gives black's wins less losses, for each game."""
    _, wins = random_playouts(SIZE, KOMI, games, seed)
    return (2 * wins - games) / games


def open_spiel_balance(games: int, seed: int) -> float:
    """Has OpenSpiel play so many games. Gives black's wins less losses, for each game."""
    import pyspiel

    game = pyspiel.load_game("go", {"board_size": SIZE, "komi": KOMI})
    evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
    one_simulation = 1
    bot = pyspiel.MCTSBot(
        game, evaluator, 1.0, one_simulation, MEGABYTES_FOR_SEARCH, False, seed, False
    )
    root = bot.mcts_search(game.new_initial_state())
    return float(root.total_reward)
