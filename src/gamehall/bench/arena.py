"""The benchmark of the arena: what a game costs there beyond what the same game costs in a loop."""

import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import msgspec

from gamehall.arena.config import ArenaConfig, read_entries
from gamehall.arena.match_runner import seed_of
from gamehall.arena.openings import Book, draw_opening
from gamehall.arena.runner import Run
from gamehall.arena.workers import LocalWorkers, WorkerPool
from gamehall.bench.machine import BenchError, cpu_seconds
from gamehall.bench.progress import show_progress
from gamehall.bench.speed import spread
from gamehall.bots.bot import RandomBot
from gamehall.core import Seat
from gamehall.games.connect_four import ConnectFour
from gamehall.storage import open_database
from gamehall.storage.arenas import ArenaBook

WARM_UP_GAMES = 400
GAMES_OF_RAY = 2_000
WITHOUT_RAY = "Ray is not installed, so it is left out: pip install 'ray[client]'"


@dataclass(slots=True)
class Costs:
    """What a game has cost, in microseconds, one value per round."""

    cpu: list[float] = field(default_factory=list)
    """Of all programs together."""
    core: list[float] = field(default_factory=list)
    """Time that has passed, times the cores that were there for it."""

    def figures(self) -> dict[str, object]:
        """Everything measured, fit for JSON."""
        return {
            "cpu_microseconds_per_game": spread(self.cpu)._asdict(),
            "core_microseconds_per_game": spread(self.core)._asdict(),
        }


def config_for(games: int) -> ArenaConfig:
    """Random bots, whose games are so short that everything else shows."""
    entries = read_entries(["random", "random"], None)
    return ArenaConfig("connect-four", {}, entries, seed=1, games=games, book=Book(2))


def run(report: Callable[[str], None], workers: int, games: int, rounds: int) -> dict[str, object]:
    """Measure, report a table line by line, and give all figures in a form fit for JSON."""
    title = f"arena, {workers} workers, {rounds} rounds of {games} games of Connect Four at random"
    report(f"{title}: median (lowest - highest), us a game")
    report(f"{'':12}{'CPU, all programs':>26}{'time x cores':>26}{'CPU over bare':>20}")
    bare, local = Costs(), Costs()
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool, LocalBench(workers) as arena:
        for number in range(1, rounds + 1):
            show_progress(f"arena, round {number} of {rounds}")
            measure_bare(pool, workers, games, bare)
            arena.measure(games, local)
    show_progress("")
    report(row("bare loop", bare, None))
    report(row("arena", local, bare))
    figures: dict[str, object] = {
        "workers": workers,
        "games": games,
        "bare": bare.figures(),
        "arena": local.figures(),
        "overhead_microseconds": spread(over(local, bare))._asdict(),
    }
    if find_spec("ray") is None:
        report(WITHOUT_RAY)
    else:
        figures["ray_core_microseconds_per_game"] = measured = measure_ray(min(games, GAMES_OF_RAY))
        report(f"{'on Ray':12}{'':26}{measured:>26.1f}")
    report("The bare loop makes the same bots, and plays the same moves by the same rules, in")
    report("as many programs: no limits, no records, nothing kept, nobody told.")
    return figures


def row(name: str, costs: Costs, bare: Costs | None) -> str:
    """A line of the table."""
    line = f"{name:<12}{in_words(costs.cpu):>26}{in_words(costs.core):>26}"
    return line if bare is None else line + f"{in_words(over(costs, bare)):>20}"


def over(costs: Costs, bare: Costs) -> list[float]:
    """By how much more CPU time than the bare loop, both from the same round."""
    return [cost - less for cost, less in zip(costs.cpu, bare.cpu, strict=True)]


def in_words(values: list[float]) -> str:
    """`92.1 (90.3 - 99.4)`."""
    found = spread(values)
    return f"{found.median:.1f} ({found.low:.1f} - {found.high:.1f})"


def measure_bare(pool: ProcessPoolExecutor, workers: int, games: int, costs: Costs) -> None:
    """The bare loop, in as many programs."""
    share = games // workers
    list(pool.map(play_bare, [WARM_UP_GAMES // workers] * workers, range(workers)))
    began = time.monotonic()
    cpu = sum(pool.map(play_bare, [share] * workers, range(workers)))
    costs.core.append((time.monotonic() - began) * workers / (share * workers) * 1e6)
    costs.cpu.append(cpu / (share * workers) * 1e6)


def play_bare(games: int, seed: int) -> float:
    """Plays so many games, each beginning twice. Gives the CPU time that it takes."""
    began = time.process_time()
    game, book = ConnectFour(), Book(2)
    for number in range(games // 2):
        start = seed_of(seed, number)
        opening = draw_opening(book, game, number, start)
        for match in range(2):
            bots = {
                Seat.FIRST: RandomBot(seed_of(start, match)),
                Seat.SECOND: RandomBot(seed_of(start, 1 - match)),
            }
            position = game.start(start)
            for move in opening.moves:
                position = position.after(move)
            while (seat := position.to_move) is not None:
                position = position.after(bots[seat].choose(position, seat, None))
    return time.process_time() - began


class LocalBench:
    """An arena on this machine whose workers are warm."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._crew = LocalWorkers("bench", config_for(WARM_UP_GAMES), workers)
        play_arena(self._crew, WARM_UP_GAMES)

    def __enter__(self) -> "LocalBench":
        return self

    def __exit__(self, *_: object) -> None:
        self._crew.close()

    def measure(self, games: int, costs: Costs) -> None:
        """So many games, from the first question to the last transaction."""
        workers, before = self._crew.pids, self._cpu()
        began = time.monotonic()
        play_arena(self._crew, games)
        if self._crew.pids != workers:
            raise BenchError("a worker was lost while it was measured")
        costs.core.append((time.monotonic() - began) * self._workers / games * 1e6)
        costs.cpu.append((self._cpu() - before) / games * 1e6)

    def _cpu(self) -> float:
        return time.process_time() + sum(cpu_seconds(pid) for pid in self._crew.pids)


def play_arena(workers: WorkerPool, games: int) -> None:
    """A whole run, in a folder of its own."""
    config = config_for(games)
    folder = Path(tempfile.mkdtemp(prefix="gamehall-bench-"))
    try:
        with closing(ArenaBook(open_database(folder))) as book:
            kept = book.begin("bench", msgspec.json.encode(config), "")
            Run(config, book, kept).play(workers, _nothing)
    finally:
        shutil.rmtree(folder)


def measure_ray(games: int) -> float:
    """What a game costs on a Ray of this machine: time that passes, times its cores."""
    from gamehall.arena.ray_workers import RayWorkers

    show_progress("arena, on Ray")
    workers = RayWorkers("bench", config_for(games), None)
    try:
        play_arena(workers, WARM_UP_GAMES)
        began = time.monotonic()
        play_arena(workers, games)
        return (time.monotonic() - began) * workers.size / games * 1e6
    finally:
        workers.close()
        show_progress("")


def _nothing() -> None:
    """Nobody is shown how it stands."""
