"""How strong the bots that search are: matches against others, with the score so far.

    python -m gamehall.bench.kernels_matches santorini --games 400 --seconds 0.2
    python -m gamehall.bench.kernels_matches connect-four --games 200 --stones 8
    python -m gamehall.bench.kernels_matches values --games 1000 --stones 12
    python -m gamehall.bench.kernels_matches moves --games 100 --stones 7

santorini: `strong` against a readable search of depth 2 with the same evaluation. Workers are
placed at random, and every such beginning is played twice, with seats swapped.
connect-four: `perfect` from positions that are won for it, against random moves and against another
solver that always plays best, in turn.
values: the game value of random positions by the solver and by another one; moves: how long a move
of `perfect` takes without what it has learnt before, and whether it is best.
"""

import random
import time
from collections.abc import Callable
from statistics import median

import click

from gamehall.bench.kernels_connect_four import random_position
from gamehall.bench.kernels_santorini import random_position as random_placement
from gamehall.bots.connect_four.bits import stones_of
from gamehall.bots.connect_four.bot import PerfectBot
from gamehall.bots.connect_four.solver import Solver
from gamehall.bots.santorini.bot import StrongBot
from gamehall.bots.search.bots import AlphaBetaBot
from gamehall.core import Seat
from gamehall.games.connect_four import Cell, ConnectFourPosition

Opponent = Callable[[ConnectFourPosition], Cell]


@click.command()
@click.argument("kind", type=click.Choice(["santorini", "connect-four", "values", "moves"]))
@click.option("--games", default=100, show_default=True)
@click.option("--seconds", default=0.2, show_default=True, help="For each move.")
@click.option("--stones", default=8, show_default=True, help="Of a position of Connect Four.")
@click.option("--seed", default=1, show_default=True)
def main(kind: str, games: int, seconds: float, stones: int, seed: int) -> None:
    """Play so many games, and print the score."""
    chance = random.Random(seed)
    if kind == "santorini":
        play_santorini(games, seconds, chance)
    elif kind == "connect-four":
        play_won_positions(games, seconds, stones, chance)
    elif kind == "values":
        compare_values(games, stones, chance)
    else:
        time_moves(games, seconds, stones, chance)


def play_santorini(games: int, seconds: float, chance: random.Random) -> None:
    """The strong bot against the search of depth 2."""
    wins = dict.fromkeys(Seat, 0)
    played = dict.fromkeys(Seat, 0)
    nodes, spent = 0, 0.0
    for number in range(1, games + 1):
        if number % 2:
            start = random_placement(0, chance)
        seat = Seat.FIRST if number % 2 else Seat.SECOND
        strong = StrongBot(number, time.process_time, seconds)
        shallow = AlphaBetaBot(number, time.process_time, 1e9, deepest=2)
        position = start
        while position.to_move is not None:
            before = time.process_time()
            bot = strong if position.to_move is seat else shallow
            move = bot.choose(position, position.to_move, None)
            if bot is strong:
                spent += time.process_time() - before
            position = position.after(move)
        played[seat] += 1
        wins[seat] += position.outcome is not None and position.outcome.winner is seat
        nodes += strong.searcher.nodes
        if number % 20 == 0 or number == games:
            click.echo(
                f"{number} games: {sum(wins.values())} won ({sum(wins.values()) / number:.1%}),"
                f" as first {wins[Seat.FIRST]}/{played[Seat.FIRST]},"
                f" as second {wins[Seat.SECOND]}/{played[Seat.SECOND]},"
                f" {nodes / spent:,.0f} nodes/s"
            )


def play_won_positions(games: int, seconds: float, stones: int, chance: random.Random) -> None:
    """The perfect bot from positions that are won for it."""
    from bitbully import BitBully, Board

    judge, best = Solver(), BitBully()
    won = played = 0

    def at_random(position: ConnectFourPosition) -> Cell:
        return chance.choice(list(position.legal_moves()))

    def as_best(position: ConnectFourPosition) -> Cell:
        column = best.best_move(Board(rows_of(position)))
        return position.named(column, 0)

    while played < games:
        position = random_position(stones + chance.randint(0, 4), chance)
        seat = position.next_seat
        if judge.game_value(stones_of(position)) != 1:
            continue
        opponent = (at_random, as_best)[played % 2]
        # By CPU time, so that a busy machine does not make it weaker.
        bot = PerfectBot(played, time.process_time, seconds)
        start = position
        while position.to_move is not None:
            if position.to_move is seat:
                move = bot.choose(position, seat, None)
            else:
                move = opponent(position)
            position = position.after(move)
        played += 1
        is_won = position.outcome is not None and position.outcome.winner is seat
        won += is_won
        if not is_won:
            click.echo(f"not won, against {opponent.__name__}:\n{start.diagram()}")
        if played % 20 == 0 or played == games:
            click.echo(f"{played} won positions: {won} won")


def compare_values(games: int, stones: int, chance: random.Random) -> None:
    """The game value of random positions, by both solvers."""
    from bitbully import BitBully, Board

    other, equal, seconds = BitBully(), 0, list[float]()
    for number in range(1, games + 1):
        position = random_position(chance.randint(stones, 36), chance)
        before = time.process_time()
        value = Solver(18).game_value(stones_of(position))
        seconds.append(time.process_time() - before)
        score = other.mtdf(Board(rows_of(position)))
        equal += value == (score > 0) - (score < 0)
        if number % 100 == 0 or number == games:
            click.echo(
                f"{number} positions: {equal} of the same value, at most {max(seconds):.2f} s"
            )


def time_moves(games: int, seconds: float, stones: int, chance: random.Random) -> None:
    """How long a move takes from a cold start, and how often it is of the best game value."""
    from bitbully import BitBully, Board

    other, best, spent = BitBully(), 0, list[float]()
    for _ in range(games):
        position = random_position(stones, chance)
        bot = PerfectBot(1, time.process_time, seconds)
        before = time.process_time()
        move = bot.choose(position, position.next_seat, None)
        spent.append(time.process_time() - before)
        scores = other.score_all_moves(Board(rows_of(position)))
        signs = {column: (score > 0) - (score < 0) for column, score in scores.items()}
        best += signs[move.column] == max(signs.values())
    click.echo(
        f"{stones} stones, {games} positions: {best} moves of the best value; seconds of CPU:"
        f" median {median(spent):.3f}, at most {max(spent):.3f}"
    )


def rows_of(position: ConnectFourPosition) -> list[list[int]]:
    """The board as the other solver reads it: rows from the top, 1 for who began, 2, 0 if free."""
    return [list(position.spots[start : start + 7]) for start in range(0, 42, 7)]


if __name__ == "__main__":
    main()
