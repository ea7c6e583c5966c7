"""The Go bot against GNU Go: `python -m gamehall.bench.gnugo_match --games 100 --seconds 2`.

Colours are swapped every game. Our rules decide, under area scoring: every stone that is on the
board when both have passed is alive. So GNU Go plays by Chinese rules, and is told to capture what
is dead before it passes; the bot does so by itself. Where GNU Go would bring back an earlier
position, which it does not know to be forbidden, it passes. A game without end is a draw.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

from gamehall.bench.machine import BenchError
from gamehall.bots import Bot, BotFault, BotResigned
from gamehall.bots.go.bot import GoMctsBot
from gamehall.bots.gtp import GtpBot, read_response
from gamehall.core import Seat
from gamehall.games.go import Go, Move, Pass, Scoring

MOST_MOVES_PER_POINT = 5


@dataclass(frozen=True, slots=True)
class ArenaConfig:
    """What all games of a match have in common."""

    size: int
    komi: float
    level: int
    seconds: float
    playouts: int | None
    """No more than so many a move, None if only the time counts."""
    uses_cpu_time: bool
    """Whether the bot's seconds are those in which it has a core, whoever else wants one."""
    seed: int


@dataclass(frozen=True, slots=True)
class Played:
    """A game that is over."""

    number: int
    bot_is_black: bool
    points: float
    """1 for the bot's win, 0 for its loss, 0.5 for a draw."""
    how: str
    moves: int
    seconds_per_move: float
    """The bot's."""
    playouts_per_move: float


def play(conditions: ArenaConfig, number: int) -> Played:
    """One game. The bot is black in games of even number."""
    game = Go(conditions.size, conditions.komi, scoring=Scoring.AREA)
    clock = time.thread_time if conditions.uses_cpu_time else time.monotonic
    seed = conditions.seed * 10_000 + number
    bot = GoMctsBot(seed, clock, conditions.seconds, playouts_per_move=conditions.playouts)
    bot_seat = Seat.FIRST if number % 2 == 0 else Seat.SECOND
    seconds: list[float] = []
    playouts: list[int] = []
    with gnugo(conditions.level, seed) as ask:
        engine: Bot[Move] = GtpBot(ask)
        now = game.start(0)
        moves = 0
        how, points = "without end", 0.5
        while moves < MOST_MOVES_PER_POINT * conditions.size**2:
            if now.to_move is None:
                assert now.outcome is not None
                how = now.outcome.reason
                points = (
                    0.5 if now.outcome.winner is None else float(now.outcome.winner is bot_seat)
                )
                break
            is_bots = now.to_move is bot_seat
            began = time.monotonic()
            try:
                move = (bot if is_bots else engine).choose(now, now.to_move, None)
            except BotResigned:
                how, points = ("the bot", 0.0) if is_bots else ("GNU Go", 1.0)
                how += " gives up"
                break
            if is_bots:
                seconds.append(time.monotonic() - began)
                playouts.append(bot.playouts)
            elif not now.allows(move):
                move = Pass()
            now = now.after(move)
            moves += 1
    return Played(
        number, bot_seat is Seat.FIRST, points, how, moves, fmean(seconds), fmean(playouts)
    )


@contextmanager
def gnugo(level: int, seed: int) -> Iterator[Callable[[str], str]]:
    """What asks a GNU Go of its own, which ends with this. Raises BenchError if there is none."""
    command = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
    if command is None:
        raise BenchError("GNU Go is not installed: apt-get install gnugo")
    words = [command, "--mode", "gtp", "--level", str(level), "--seed", str(seed % 2**31)]
    words += ["--chinese-rules", "--capture-all-dead"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as engine:

        def ask(question: str) -> str:
            assert engine.stdin is not None
            assert engine.stdout is not None
            print(question, file=engine.stdin, flush=True)
            answer = ""
            for line in engine.stdout:
                answer += line
                if line == "\n" and answer.strip():
                    return read_response(answer.strip())
            raise BotFault("GNU Go has ended by itself")

        try:
            yield ask
        finally:
            engine.kill()


def interval(points: float, games: int) -> tuple[float, float]:
    """Between which shares of wins the true one lies, 95 times out of 100 (Wilson)."""
    z = 1.96
    share = points / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games**2)) / (1 + z * z / games)
    return middle - half, middle + half


def standing(games: Sequence[Played]) -> str:
    """How it stands after these games, in a line."""
    points = sum(game.points for game in games)
    lowest, highest = interval(points, len(games))
    colours = []
    for name, is_black in (("black", True), ("white", False)):
        own = [game.points for game in games if game.bot_is_black is is_black]
        colours.append(f"{name} {sum(own):g}/{len(own)}")
    return (
        f"{points:g}/{len(games)} = {points / len(games):.1%}"
        f" (95 %: {lowest:.1%} - {highest:.1%}), {', '.join(colours)},"
        f" {fmean(game.playouts_per_move for game in games):,.0f} playouts and"
        f" {fmean(game.seconds_per_move for game in games):.2f} s a move"
    )


def run(
    conditions: ArenaConfig, count: int, jobs: int, report: Callable[[str], None]
) -> list[Played]:
    """So many games, `jobs` of them at a time. Reports how it stands after each."""
    games: list[Played] = []
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for future in as_completed([pool.submit(play, conditions, n) for n in range(count)]):
            game = future.result()
            games.append(game)
            colour = "black" if game.bot_is_black else "white"
            report(f"game {game.number}: {colour}, {game.how}, {game.moves} moves")
            report(f"    {standing(games)}")
    return games


def main(arguments: Sequence[str]) -> None:
    """The match that the arguments describe."""
    parser = argparse.ArgumentParser(prog="gnugo_match", description="The Go bot against GNU Go.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--komi", type=float, default=6.5)
    parser.add_argument("--level", type=int, default=10, help="GNU Go's, 10 by default")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each move of the bot")
    parser.add_argument("--playouts", type=int, default=None, help="at most, for each move")
    parser.add_argument("--cpu-time", action="store_true", help="count seconds on a core only")
    parser.add_argument("--jobs", type=int, default=1, help="games at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, default=None, help="a file for all figures")
    given = parser.parse_args(arguments)
    conditions = ArenaConfig(
        given.size,
        given.komi,
        given.level,
        given.seconds,
        given.playouts,
        given.cpu_time,
        given.seed,
    )
    games = run(conditions, given.games, given.jobs, lambda line: print(line, flush=True))
    if given.json is not None:
        points = sum(game.points for game in games)
        figures = {
            "conditions": asdict(conditions),
            "points": points,
            "games": len(games),
            "share": points / len(games),
            "interval_95_percent": interval(points, len(games)),
            "played": [asdict(game) for game in games],
        }
        given.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
