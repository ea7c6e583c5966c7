"""How strong the bots for Ascension are: the planner meets the others.

    python -m gamehall.bench.ascension_bots --games 500 --jobs 1

Games come in pairs: both have the same seed, and in the second the seats are swapped. The planner's
clock is the CPU time of its own program, so that a busy machine does not make it weaker; that is
also the time in which its moves are measured.

To see what a number of the planner is worth (see gamehall.bots.ascension.appraisal), it meets the
others, or the planner as it is, with another number:

    python -m gamehall.bench.ascension_bots --games 400 --opponent planner --weight rune=0.5
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from math import sqrt
from multiprocessing import get_context
from typing import NamedTuple

from gamehall.bench.progress import show_progress
from gamehall.bots.ascension.appraisal import WEIGHTS, Weights
from gamehall.bots.ascension.baselines import GreedyBot, InfantryBot
from gamehall.bots.ascension.planner import PlannerBot
from gamehall.bots.bot import Bot
from gamehall.core import Seat
from gamehall.games.ascension import Ascension, Move

USUAL_OPPONENTS = INFANTRY, GREEDY = ("infantry", "greedy")
PLANNER = "planner"
SECONDS_PER_MOVE = 0.2
DEVIATIONS = 1.96
"""Of the normal distribution, for intervals of 95 %."""


class Task(NamedTuple):
    """A game to play."""

    opponent: str
    seed: int
    seat: Seat
    """The planner's."""
    seconds_per_move: float
    weights: Weights


class Played(NamedTuple):
    """What came of it, for the planner."""

    task: Task
    winner: Seat | None
    margin: int
    moves: int
    seconds: float
    """Of all its moves together."""
    longest_seconds: float


class Share(NamedTuple):
    """A share of games, and the interval of 95 % about it (Wilson's)."""

    share: float
    low: float
    high: float


def share_of(won: float, games: int) -> Share:
    """How much was won of at least one game; a draw is half a win."""
    share, square = won / games, DEVIATIONS**2
    middle = (share + square / (2 * games)) / (1 + square / games)
    reach = DEVIATIONS * sqrt(share * (1 - share) / games + square / (4 * games**2))
    reach /= 1 + square / games
    return Share(share, middle - reach, middle + reach)


def play(task: Task) -> Played:
    """One game."""
    clock, seconds_per_move = time.process_time, task.seconds_per_move
    planner = PlannerBot(task.seed, clock, seconds_per_move, task.weights)
    opponent: Bot[Move] = PlannerBot(task.seed, clock, seconds_per_move)
    if task.opponent != PLANNER:
        opponent = InfantryBot() if task.opponent == INFANTRY else GreedyBot()
    position = Ascension().start(task.seed)
    moves, seconds, longest = 0, 0.0, 0.0
    while position.to_move is not None:
        if position.to_move is task.seat:
            before = time.process_time()
            move = planner.choose(position, task.seat, None)
            taken = time.process_time() - before
            moves, seconds, longest = moves + 1, seconds + taken, max(longest, taken)
        else:
            move = opponent.choose(position, position.to_move, None)
        position = position.after(move)
    first, second = position.scores()
    margin = first - second if task.seat is Seat.FIRST else second - first
    winner = position.outcome.winner if position.outcome else None
    return Played(task, winner, margin, moves, seconds, longest)


def play_all(tasks: Sequence[Task], jobs: int) -> Iterator[Played]:
    """All games, in so many programs at a time."""
    if jobs == 1:
        yield from map(play, tasks)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(play, tasks, chunksize=4)


def figures_of(played: Sequence[Played]) -> dict[str, object]:
    """All there is to say of at least one game, fit for JSON."""
    moves = sum(game.moves for game in played)
    figures: dict[str, object] = {"all": _counts(played)}
    for seat in Seat:
        of_seat = [game for game in played if game.task.seat is seat]
        if of_seat:
            figures[seat.name.lower()] = _counts(of_seat)
    return figures | {
        "mean_margin": sum(game.margin for game in played) / len(played),
        "moves": moves,
        "mean_seconds_per_move": sum(game.seconds for game in played) / moves,
        "longest_seconds_of_move": max(game.longest_seconds for game in played),
    }


def _counts(played: Sequence[Played]) -> dict[str, float]:
    wins = sum(game.winner is game.task.seat for game in played)
    draws = sum(game.winner is None for game in played)
    share = share_of(wins + draws / 2, len(played))
    losses = len(played) - wins - draws
    return {"wins": wins, "losses": losses, "draws": draws, **share._asdict()}


def lines_of(opponent: str, played: Sequence[Played]) -> Iterator[str]:
    """The same in words."""
    yield f"planner against {opponent}, {len(played)} games: wins, losses, draws, share (95 %)"
    for label, seats in (
        ("both seats", tuple(Seat)),
        ("moves first", (Seat.FIRST,)),
        ("moves second", (Seat.SECOND,)),
    ):
        games = [game for game in played if game.task.seat in seats]
        if games:
            counts = _counts(games)
            line = "{wins:5.0f} {losses:5.0f} {draws:5.0f}   {share:.1%} ({low:.1%} - {high:.1%})"
            yield f"  {label:<14}" + line.format(**counts)
    moves = sum(game.moves for game in played)
    mean = sum(game.seconds for game in played) / moves * 1000
    longest = max(game.longest_seconds for game in played) * 1000
    margin = sum(game.margin for game in played) / len(played)
    yield f"  {mean:.2f} ms of CPU a move, {longest:.0f} ms at most; {margin:+.1f} honor on average"


def _weight(argument: str) -> tuple[str, float]:
    name, _, value = argument.partition("=")
    if name not in Weights._fields:
        raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(Weights._fields)}")
    return name, float(value)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description="How strong the bots for Ascension are.")
    parser.add_argument("--games", type=int, default=500, help="against each opponent")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--seed", type=int, default=0, help="of the first pair of games")
    parser.add_argument(
        "--opponent",
        choices=(*USUAL_OPPONENTS, PLANNER),
        action="append",
        help="infantry and greedy if none is named",
    )
    parser.add_argument(
        "--weight",
        type=_weight,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"one of the planner's numbers: {', '.join(Weights._fields)}",
    )
    parser.add_argument("--seconds-per-move", type=float, default=SECONDS_PER_MOVE)
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    options = parser.parse_args()
    if min(options.games, options.jobs) < 1:
        parser.error("there must be at least one game and one job")
    weights = WEIGHTS._replace(**dict(options.weight))
    figures: dict[str, object] = {}
    for opponent in options.opponent or USUAL_OPPONENTS:
        tasks = [
            Task(opponent, options.seed + number // 2, seat, options.seconds_per_move, weights)
            for number in range(options.games)
            for seat in (Seat.SECOND if number % 2 else Seat.FIRST,)
        ]
        played: list[Played] = []
        for game in play_all(tasks, options.jobs):
            played.append(game)
            show_progress(f"planner against {opponent}: {len(played)} of {options.games}")
        show_progress("")
        figures[opponent] = figures_of(played)
        if not options.json:
            for line in lines_of(opponent, played):
                print(line, flush=True)
    if options.json:
        print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
