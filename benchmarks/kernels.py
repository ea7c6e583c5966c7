"""The speed of the rules and of the bots' searches, compared with other programs.

To add a row, write a function that yields comparisons, and list it in ROWS.
"""

import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import count, cycle
from math import sqrt
from pathlib import Path
from typing import NamedTuple, TypeAlias

from sgfmill.boards import Board

from benchmarks.measuring import (
    BenchmarkError,
    Effort,
    ratios,
    short_spread,
    show_progress,
    table,
)
from benchmarks.random_games import go_playouts, perft, santorini_playouts
from gamehall.bots.connect_four.bits import stones_of
from gamehall.bots.connect_four.solver import Solver
from gamehall.bots.santorini.bot import Searcher
from gamehall.core import Seat
from gamehall.games.ascension import Ascension
from gamehall.games.connect_four import ConnectFour
from gamehall.games.go import Go, Point, Stone
from gamehall.games.santorini import Santorini

Work: TypeAlias = Callable[[], float]
"""Does some work, and returns its amount."""


class Comparison(NamedTuple):
    """A row of the table."""

    name: str
    """The unit of the work."""
    ours: Work
    other_name: str = ""
    other: Work | None = None
    agree: Callable[[], bool] = lambda: True
    """Returns True if both have the same results. Called before the measurement."""
    other_measures: bool = False
    """True if `other` returns work per second of CPU time of another process."""


def run(effort: Effort) -> Iterator[str]:
    """Measure, and yield the table."""
    rows: dict[str, Sequence[str]] = {}
    for comparisons in ROWS:
        for one in comparisons(effort):
            show_progress(f"{one.name}: compiling")
            one.ours()
            if not one.agree():
                raise BenchmarkError(f"{one.name}: {one.other_name} has a different result")
            ours, others = [], []
            for number in range(1, effort.rounds + 1):
                show_progress(f"{one.name}, round {number} of {effort.rounds}")
                ours.append(rate(one.ours, effort.seconds))
                if one.other is not None:
                    seconds = effort.seconds
                    others.append(one.other() if one.other_measures else rate(one.other, seconds))
            beside = ["", "", ""]
            if others:
                beside = [one.other_name, short_spread(others), short_spread(ratios(ours, others))]
            rows[one.name] = [short_spread(ours), *beside]
    show_progress("")
    title = f"rules and searches, one core, {effort.rounds} rounds of {effort.seconds:g} s"
    yield from table(title, ("ours per s", "other", "per s", "ratio"), rows)
    for package in ("pyspiel", "santorinai"):
        if not find_spec(package):
            yield f"{package} is not installed, so it is skipped: make test installs it"
    if not shutil.which("gcc"):
        yield "gcc is not installed, so it is skipped: apt-get install gcc"


def rate(work: Work, seconds: float) -> float:
    """Work for about `seconds` of CPU time, and return the work per second."""
    began = time.process_time()
    done = work()
    while time.process_time() - began < seconds:
        done += work()
    return done / (time.process_time() - began)


# Connect Four


DEPTH = 8
PERFT_IN_C = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const int64_t LOWEST = 0x40810204081, BOARD = 0x40810204081 * 63;

static int has_four(int64_t own) {
    static const int steps[] = {1, 6, 7, 8};
    int64_t found = 0;
    for (int i = 0; i < 4; i++) {
        int64_t pairs = own & own >> steps[i];
        found |= pairs & pairs >> 2 * steps[i];
    }
    return found != 0;
}

static int64_t perft(int depth, int64_t own, int64_t taken) {
    if (depth == 0) return 1;
    int64_t found = 0, possible = (taken + LOWEST) & BOARD;
    for (int column = 0; column < 7; column++) {
        int64_t move = possible & (int64_t)63 << 7 * column;
        if (!move) continue;
        if (depth == 1) found++;
        else if (!has_four(own | move)) found += perft(depth - 1, own ^ taken, taken | move);
    }
    return found;
}

int main(int count, char **words) {
    int64_t done = 0, once = 0;
    do done += once = perft(atoi(words[1]), 0, 0);
    while (clock() < atof(words[2]) * CLOCKS_PER_SEC);
    printf("%lld %f\\n", (long long)once, (double)done * CLOCKS_PER_SEC / clock());
    return count != 3;
}
"""


def connect_four(effort: Effort) -> Iterator[Comparison]:
    """Count all games of some length, compared with the same algorithm in C, and run the solver."""
    name = f"Connect Four, perft({DEPTH}) games"

    def ours() -> float:
        return float(perft(DEPTH, 0, 0))

    compiler = shutil.which("gcc")
    if compiler is None:
        yield Comparison(name, ours)
    else:
        with tempfile.TemporaryDirectory() as folder:
            program = compiled(compiler, Path(folder))
            yield Comparison(
                name,
                ours,
                "C, gcc -O2",
                lambda: in_c(program, DEPTH, effort.seconds)[1],
                lambda: in_c(program, DEPTH, 0)[0] == perft(DEPTH, 0, 0),
                other_measures=True,
            )
    solver, chance = Solver(), random.Random(12)

    def solve() -> float:
        before = solver.nodes
        position = ConnectFour().start(0)
        for _ in range(12):
            if position.outcome is None:
                position = position.after(chance.choice(list(position.legal_moves())))
        if position.outcome is None:
            solver.game_value(stones_of(position))
        return solver.nodes - before

    yield Comparison("Connect Four, solver's nodes", solve)


def compiled(compiler: str, folder: Path) -> Path:
    """Compile the program in C."""
    source, program = folder / "perft.c", folder / "perft"
    source.write_text(PERFT_IN_C)
    subprocess.run([compiler, "-O2", "-o", str(program), str(source)], check=True)
    return program


def in_c(program: Path, depth: int, seconds: float) -> tuple[int, float]:
    """Return the number of games that the C program finds, and games per second."""
    command = [str(program), str(depth), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    games, per_second = done.stdout.split()
    return int(games), float(per_second)


# Go


KOMI = 6.5
GAMES_AT_A_TIME = 500
GAMES_TO_COMPARE = 2_000
DEVIATIONS_ALLOWED = 5.0
"""How many standard deviations the shares of black wins may differ."""
RULES_GAMES = 10


def go_random_games(effort: Effort) -> Iterator[Comparison]:  # noqa: ARG001
    """Random games on the bot's board, compared with OpenSpiel's loop in C++.

    It is the loop of RandomRolloutEvaluator, which OpenSpiel's search runs without Python code.
    """
    seeds = count(1)

    def ours() -> float:
        go_playouts(9, KOMI, GAMES_AT_A_TIME, next(seeds))
        return GAMES_AT_A_TIME

    def open_spiel() -> float:
        open_spiel_balance(GAMES_AT_A_TIME, next(seeds))
        return GAMES_AT_A_TIME

    def agree() -> bool:
        _, wins = go_playouts(9, KOMI, GAMES_TO_COMPARE, 1)
        balance = (2 * wins - GAMES_TO_COMPARE) / GAMES_TO_COMPARE
        difference = abs(balance - open_spiel_balance(GAMES_TO_COMPARE, 1))
        return difference <= DEVIATIONS_ALLOWED * sqrt(2 / GAMES_TO_COMPARE)

    name = "Go 9 x 9, random games"
    if find_spec("pyspiel"):
        yield Comparison(name, ours, "OpenSpiel, C++", open_spiel, agree)
    else:
        yield Comparison(name, ours)


def open_spiel_balance(games: int, seed: int) -> float:
    """Play random games by OpenSpiel. Return black's wins less losses, per game."""
    import pyspiel

    game = pyspiel.load_game("go", {"board_size": 9, "komi": KOMI})
    evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
    simulations, megabytes = 1, 100
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, simulations, megabytes, False, seed, False)
    return float(bot.mcts_search(game.new_initial_state()).total_reward)


def go_rules(effort: Effort) -> Iterator[Comparison]:  # noqa: ARG001
    """The rules as the server uses them, with a new position for every move, and other libraries.

    Only gamehall checks superko; the others check simple ko at most.
    """
    for size in (9, 19):
        games = [random_game(size, seed) for seed in range(RULES_GAMES)]
        ends = [ours_played(size, points) for points in games]
        libraries = {"sgfmill, Python": sgfmill_played}
        if find_spec("pyspiel"):
            libraries["OpenSpiel, C++"] = open_spiel_played
        for name, played in libraries.items():
            yield Comparison(
                f"Go {size} x {size}, moves beside {name.split(',')[0]}",
                all_moves(ours_played, size, games),
                name,
                all_moves(played, size, games),
                lambda played=played, size=size, games=games, ends=ends: (  # type: ignore[misc]
                    [played(size, points) for points in games] == ends
                ),
            )


def all_moves(
    played: Callable[[int, Sequence[Point]], object], size: int, games: Sequence[Sequence[Point]]
) -> Work:
    """Return a function that plays all these games, and returns the number of moves."""

    def work() -> float:
        for points in games:
            played(size, points)
        return sum(map(len, games))

    return work


def random_game(size: int, seed: int) -> list[Point]:
    """Return random legal moves without passes, at most two per point."""
    chance = random.Random(seed)
    position = Go(size).start(seed)
    points: list[Point] = []
    while len(points) < 2 * size**2:
        stones = [move for move in position.legal_moves() if isinstance(move, Stone)]
        if not stones:
            break
        stone = chance.choice(stones)
        position = position.after(stone)
        points.append(stone.point)
    return points


def ours_played(size: int, points: Sequence[Point]) -> dict[Point, Seat]:
    """Return the stones at the end of a game by the rules of gamehall."""
    position = Go(size).start(0)
    for point in points:
        position = position.after(Stone(point))
    return position.stones


def sgfmill_played(size: int, points: Sequence[Point]) -> dict[Point, Seat]:
    """Return the stones at the end of a game by sgfmill, which copies its board for every move."""
    board, ko = Board(size), None
    for (row, column), colour in zip(points, cycle("bw")):
        after = board.copy()
        next_ko = after.play(row, column, colour)
        if (row, column) == ko or after.get(row, column) is None:
            raise BenchmarkError(f"sgfmill: {row} {column} is ko or suicide")
        board, ko = after, next_ko
    seats = {"b": Seat.FIRST, "w": Seat.SECOND}
    return {Point(*point): seats[colour] for colour, point in board.list_occupied_points()}


def open_spiel_played(size: int, points: Sequence[Point]) -> dict[Point, Seat]:
    """Return the stones at the end of a game by OpenSpiel, with a copy for every move."""
    import pyspiel

    state = pyspiel.load_game("go", {"board_size": size}).new_initial_state()
    for row, column in points:
        state = state.clone()
        # Its rows are numbered from the bottom.
        state.apply_action_with_legality_check((size - 1 - row) * size + column)
    seats = {"X": Seat.FIRST, "O": Seat.SECOND}
    # Its text has a line for each row, such as ` 9 ++XO+++++`.
    return {
        Point(row, column): seats[spot]
        for row, line in enumerate(str(state).splitlines()[2 : 2 + size])
        for column, spot in enumerate(line[3:])
        if spot in seats
    }


# Santorini and Ascension


def santorini(effort: Effort) -> Iterator[Comparison]:  # noqa: ARG001
    """Random games, compared with SantorinAI, and the search."""
    seeds = count(1)

    def ours() -> float:
        santorini_playouts(5, 2_000, next(seeds))
        return 2_000

    name = "Santorini, random games"
    if find_spec("santorinai"):
        yield Comparison(name, ours, "SantorinAI, Python", play_santorinai)
    else:
        yield Comparison(name, ours)
    searcher, chance = Searcher(), random.Random(5)

    def search() -> float:
        before = searcher.nodes
        position = Santorini(5).start(0)
        for _ in range(10):
            if position.outcome is None:
                position = position.after(chance.choice(list(position.legal_moves())))
        if position.outcome is None:
            searcher.search(position, max_depth=4)
        return searcher.nodes - before

    yield Comparison("Santorini, search's nodes", search)


def play_santorinai() -> float:
    """Play a random game by SantorinAI as its own tester does, where players see a copy.

    Its rules differ: the four pawns move in turn, which gives fewer moves to list.
    """
    from santorinai.board import Board as SantoriniBoard
    from santorinai.player_examples.random_player import RandomPlayer

    board = SantoriniBoard(2)
    players = (RandomPlayer(), RandomPlayer())
    for number in range(4):
        seen = board.copy()
        board.place_pawn(players[number % 2].place_pawn(seen, seen.get_playing_pawn()))
    while not board.is_game_over():
        pawn = board.get_playing_pawn()
        if not board.get_possible_movement_positions(pawn):
            board.next_turn()
            continue
        seen = board.copy()
        board.play_move(*players[pawn.player_number - 1].play_move(seen, seen.get_playing_pawn()))
    return 1.0


def ascension(effort: Effort) -> Iterator[Comparison]:  # noqa: ARG001
    """Random games by the rules. There is no implementation to compare with."""
    seeds = count(1)

    def ours() -> float:
        seed = next(seeds)
        chance = random.Random(seed)
        position = Ascension().start(seed)
        while position.outcome is None:
            position = position.after(chance.choice(list(position.legal_moves())))
        return 1.0

    yield Comparison("Ascension, random games", ours)


ROWS: Sequence[Callable[[Effort], Iterator[Comparison]]] = (
    connect_four,
    go_random_games,
    go_rules,
    santorini,
    ascension,
)
