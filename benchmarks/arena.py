"""The cost of a game in the arena, compared with a bare loop in as many processes.

The game is Connect Four by random bots, which takes a tenth of a millisecond. So the rest of the
cost shows: limits, records, the database of results, standings. The start of `gamehall arena` is
measured with few games, and subtracted.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

from benchmarks.measuring import (
    ROOT,
    BenchmarkError,
    Effort,
    ratios,
    show_progress,
    spread,
    table,
)

FEW_GAMES = 20
ROWS = ("bare loop", "arena")


def run(effort: Effort) -> Iterator[str]:
    """Measure, and yield the table."""
    workers, games = os.cpu_count() or 1, effort.arena_games
    costs: dict[str, list[float]] = {row: [] for row in ROWS}
    for number in range(1, effort.rounds + 1):
        show_progress(f"arena, round {number} of {effort.rounds}")
        for row in ROWS:
            more = cpu_of(command(row, workers, games + FEW_GAMES))
            costs[row].append((more - cpu_of(command(row, workers, FEW_GAMES))) / games * 1e6)
    show_progress("")
    bare, arena = costs.values()
    over = [one - other for one, other in zip(arena, bare, strict=True)]
    rows = {
        "bare loop": [spread(bare, ".1f"), "", "1.00"],
        "arena": [spread(arena, ".1f"), spread(over, ".1f"), spread(ratios(arena, bare))],
    }
    title = f"arena, {workers} workers, {effort.rounds} rounds of {games:,} random games"
    yield from table(title, ("CPU us/game", "more than bare", "ratio"), rows)


def command(row: str, workers: int, games: int) -> Sequence[str]:
    """Return the command that plays this number of games."""
    if row == "bare loop":
        return [sys.executable, "-m", __name__, str(workers), str(games)]
    words = ["arena", "connect-four", "random", "random", "--seed=1", f"--workers={workers}"]
    return [sys.executable, "-m", "gamehall", *words, f"--games={games}"]


def cpu_of(words: Sequence[str]) -> float:
    """Run a command, and return the CPU seconds of it and its subprocesses."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="gamehall-benchmark-") as folder:
        environment = {**os.environ, "XDG_DATA_HOME": folder}
        ended = subprocess.run(
            words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
    if ended.returncode:
        raise BenchmarkError(f"{' '.join(words)}: {ended.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def play_bare(games: int, seed: int) -> None:
    """Play games of two random bots by the rules, without the arena."""
    from gamehall.bots.bot import RandomBot
    from gamehall.core import Seat
    from gamehall.games.connect_four import ConnectFour

    game = ConnectFour()
    for number in range(games):
        bots = {seat: RandomBot(2 * (seed + number) + index) for index, seat in enumerate(Seat)}
        position = game.start(number)
        while (seat := position.to_move) is not None:
            position = position.after(bots[seat].choose(position, seat, None))


def main() -> None:
    """Play bare games in the number of processes on the command line."""
    from multiprocessing import get_context

    workers, games = int(sys.argv[1]), int(sys.argv[2])
    with get_context("spawn").Pool(workers) as pool:
        shares = [games // workers + (number < games % workers) for number in range(workers)]
        pool.starmap(play_bare, [(share, number * games) for number, share in enumerate(shares)], 1)
        pool.close()
        pool.join()


if __name__ == "__main__":
    from benchmarks.arena import main as main_of_module

    main_of_module()
