"""How long a server takes to start after it was killed in the middle of games.

It is compared with the same server without a journal to replay, in the same round.
"""

import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measuring import (
    Effort,
    connected,
    gamehall_command,
    ratios,
    running,
    show_progress,
    spread,
    table,
)
from benchmarks.scripts import TTTP, UNLIMITED, play

TABLES = (32, 1000)
MOVES_OF_LAST_GAME = 10
"""The moves at each table since the last finished game."""


def run(effort: Effort) -> Iterator[str]:
    """Measure, and yield the table."""
    fresh: list[float] = []
    full: dict[int, list[float]] = {tables: [] for tables in TABLES}
    kept: dict[int, tuple[int, float]] = {}
    for number in range(1, effort.rounds + 1):
        show_progress(f"replaying a journal, round {number} of {effort.rounds}")
        for tables in TABLES:
            with tempfile.TemporaryDirectory(prefix="gamehall-benchmark-") as name:
                folder = Path(name)
                settings = {**TTTP.settings, **UNLIMITED, "tables": tables}
                command = gamehall_command({"tttp": settings}, folder)
                if tables == TABLES[0]:
                    fresh.append(seconds_to_open([*command, "--fresh"]))
                moves = play_and_kill(command, tables, effort.journal_moves)
                size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
                kept[tables] = moves, size / 1e6
                full[tables].append(seconds_to_open(command))
    show_progress("")
    rows = {"nothing to replay": [spread(fresh), "1.00", ""]}
    for tables, (moves, megabytes) in kept.items():
        extra = [one - other for one, other in zip(full[tables], fresh, strict=True)]
        rows[f"{tables:,} tables in play, {moves:,} moves made, {megabytes:.1f} MB"] = [
            spread(full[tables]),
            spread(ratios(full[tables], fresh)),
            spread([seconds / tables * 1e6 for seconds in extra], ".0f"),
        ]
    title = f"start of a server that was killed (tttp), {effort.rounds} rounds"
    yield from table(title, ("s until ready", "ratio", "us per table"), rows)


def play_and_kill(command: Sequence[str], tables: int, moves: int) -> int:
    """Play at all tables, and kill the server. Return the number of moves."""
    played = 0
    with (
        running(command, stop=signal.SIGKILL) as server,
        connected(server, 2 * tables) as sockets,
    ):
        pairs = [sockets[number : number + 2] for number in range(0, len(sockets), 2)]
        for number, pair in enumerate(pairs):
            play(TTTP.opening, pair, TTTP.count, number)
        while played < moves:
            for pair in pairs:
                play(TTTP.lap, pair, TTTP.count)
                played += len(TTTP.lap)
        for pair in pairs:
            play(TTTP.lap[:MOVES_OF_LAST_GAME], pair, TTTP.count)
            played += MOVES_OF_LAST_GAME
    return played


def seconds_to_open(command: Sequence[str]) -> float:
    """Return how long a server takes to be ready."""
    began = time.monotonic()
    with running(command):
        return time.monotonic() - began
