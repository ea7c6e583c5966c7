"""The benchmark of the rules of Go, and the tables it prints. How to read them: gamehall.bench."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gamehall.bench.go_engines import PYTHON_ENGINES, VALUES, Engine, GamehallEngine, engines
from gamehall.bench.go_games import RandomGame, random_game
from gamehall.bench.machine import BenchError
from gamehall.bench.progress import show_progress
from gamehall.bench.speed import spread
from gamehall.bench.tables import with_spread

GAMES_BY_SIZE = {9: 60, 19: 10}
LISTINGS_PER_POSITION = 10
"""So that what is measured is long beside the clock's own cost."""

WITHOUT_OPEN_SPIEL = "OpenSpiel is not installed, so it is left out: make test installs it"
REMARKS = (
    "values: a move is judged and leaves the old board alone; in place: one board changes, and",
    "moves are taken on trust. Only gamehall refuses superko, the return of any position of the",
    "game; the others refuse simple ko at most. sgfmill cannot list legal moves: every empty point",
    "is tried on a copy. gamehall and sgfmill are Python, OpenSpiel is C++ that Python calls.",
)

Tasks: TypeAlias = Sequence[Mapping[str, Callable[[], None]]]
"""Several things to do, each of which every engine does; the engines by their names."""


@dataclass(slots=True)
class Costs:
    """CPU time for one of many equal things, by the name of the engine: one value per round."""

    microseconds: dict[str, list[float]]
    base: str
    """The engine to which each is set in proportion."""

    def per_second(self, name: str) -> list[float]:
        """How many of these things a core does in a second."""
        return [1e6 / cost for cost in self.microseconds[name]]

    def ratio(self, name: str) -> list[float]:
        """The cost to that of the base, both from the same round."""
        pairs = zip(self.microseconds[name], self.microseconds[self.base], strict=True)
        return [mine / of_base for mine, of_base in pairs]

    def figures(self) -> dict[str, object]:
        """Everything measured, fit for JSON."""
        return {
            name: {
                "cpu_microseconds": spread(costs)._asdict(),
                "per_second": spread(self.per_second(name))._asdict(),
                f"cpu_ratio_to_{GamehallEngine.library}": spread(self.ratio(name))._asdict(),
                "rounds": costs,
            }
            for name, costs in self.microseconds.items()
        }


def run(
    report: Callable[[str], None], rounds: int, games_by_size: Mapping[int, int] = GAMES_BY_SIZE
) -> dict[str, object]:
    """Measure, report tables line by line, and give all figures in a form fit for JSON.

    rounds: how often every game is played. games_by_size: how many different ones on each board.
    Raises BenchError if there is no figure because the engines do not come to the same board.
    """
    kinds = engines()
    figures: dict[str, object] = {"rounds": rounds}
    try:
        for size, count in games_by_size.items():
            figures[f"moves_{size}"] = measure_moves(report, kinds, size, count, rounds)
            report("")
            figures[f"legal_moves_{size}"] = measure_listing(report, kinds, size, count, rounds)
            report("")
    finally:
        show_progress("")
    for line in REMARKS:
        report(line)
    if kinds == PYTHON_ENGINES:
        report(WITHOUT_OPEN_SPIEL)
    return figures


def measure_moves(
    report: Callable[[str], None], kinds: Sequence[type[Engine]], size: int, count: int, rounds: int
) -> dict[str, object]:
    """Measure and report what a move of random games costs."""
    show_progress(f"{size} x {size}: {count} random games")
    games = [random_game(size, seed) for seed in range(count)]
    tables = played(games, kinds)
    moves = sum(len(game.points) for game in games)
    tasks = [{name_of(engine): engine.play for engine in table} for table in tables]
    costs = measure(tasks, moves, rounds, f"{size} x {size}, moves")
    check_boards(games, tables)
    title = f"{size} x {size}, {count} random games, {moves:,} moves, {rounds} rounds"
    report(f"{title:<52}median (lowest - highest)")
    report(f"{'':20}{'CPU us/move':>24}{'moves/s':>34}{'to gamehall':>22}")
    for name, values in costs.microseconds.items():
        cost = with_spread(spread(values), ".1f")
        rate = with_spread(spread(costs.per_second(name)), ",.0f")
        report(f"{name:20}{cost:>24}{rate:>34}{with_spread(spread(costs.ratio(name)), '.2f'):>22}")
    return {"games": count, "moves": moves, **costs.figures()}


def measure_listing(
    report: Callable[[str], None], kinds: Sequence[type[Engine]], size: int, count: int, rounds: int
) -> dict[str, object]:
    """Measure and report what it costs to list the legal moves in the middle of a game."""
    # By then most games have had captures, and only after these superko has to be looked at.
    longest = size**2 * 3 // 4
    show_progress(f"{size} x {size}: {count} positions")
    games = [random_game(size, seed, longest) for seed in range(count)]
    listing = [kind for kind in kinds if kind.way == VALUES]
    tables = played(games, listing)
    found = {kind.library: 0 for kind in listing}
    for table in tables:
        for engine in table:
            found[engine.library] += engine.count_legal_moves()
    check_counts(found)
    tasks = [{engine.library: repeated(engine) for engine in table} for table in tables]
    times = count * LISTINGS_PER_POSITION
    costs = measure(tasks, times, rounds, f"{size} x {size}, legal moves")
    captures = sum(len(game.points) > len(game.stones) for game in games)
    report(
        f"{size} x {size}, all legal moves, after {longest} moves of {count} random games,"
        f" {captures} with captures"
    )
    report(f"{'':20}{'CPU us/position':>32}{'moves found':>22}{'to gamehall':>26}")
    for name, values in costs.microseconds.items():
        cost = with_spread(spread(values), ",.1f")
        ratio = with_spread(spread(costs.ratio(name)), ".2f")
        report(f"{name:20}{cost:>32}{found[name] / count:>22.1f}{ratio:>26}")
    return {"positions": count, "with_captures": captures, "found": found, **costs.figures()}


def played(games: Sequence[RandomGame], kinds: Sequence[type[Engine]]) -> list[list[Engine]]:
    """For each game all engines, which have played it. Raises BenchError if the stones differ."""
    tables = [[kind(game) for kind in kinds] for game in games]
    for table in tables:
        for engine in table:
            engine.play()
    check_boards(games, tables)
    return tables


def name_of(engine: Engine) -> str:
    """`sgfmill, in place`."""
    return f"{engine.library}, {engine.way}"


def repeated(engine: Engine) -> Callable[[], None]:
    """Lists the legal moves several times."""

    def list_them() -> None:
        for _ in range(LISTINGS_PER_POSITION):
            engine.count_legal_moves()

    return list_them


def measure(tasks: Tasks, things: int, rounds: int, title: str) -> Costs:
    """What one of so many things costs each engine. The first engine is the base.

    After every task it is the next engine's turn, so that a noisy machine is noisy for all alike.
    """
    names = list(tasks[0])
    costs = Costs({name: [] for name in names}, base=names[0])
    for number in range(1, rounds + 1):
        show_progress(f"{title}, round {number} of {rounds}")
        seconds = dict.fromkeys(names, 0.0)
        for task in tasks:
            for name, do in task.items():
                before = time.process_time()
                do()
                seconds[name] += time.process_time() - before
        for name in names:
            costs.microseconds[name].append(seconds[name] / things * 1e6)
    show_progress("")
    return costs


def check_boards(games: Sequence[RandomGame], tables: Sequence[Sequence[Engine]]) -> None:
    """Whether every engine has ended every game with the same stones. Raises BenchError."""
    for game, table in zip(games, tables, strict=True):
        for engine in table:
            if engine.stones() != game.stones:
                raise BenchError(
                    f"{name_of(engine)}: a game ends with other stones than gamehall's"
                )


def check_counts(found: Mapping[str, int]) -> None:
    """Whether the engines find the same legal moves, superko set aside. Raises BenchError.

    By superko gamehall may find fewer than the others, which all judge simple ko.
    """
    of_gamehall = found[GamehallEngine.library]
    others = {count for library, count in found.items() if library != GamehallEngine.library}
    if len(others) > 1 or min(others) < of_gamehall:
        raise BenchError(f"the engines find different numbers of legal moves: {dict(found)}")
