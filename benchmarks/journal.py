"""How long a hall takes to open again when it was killed in the middle of games.

Beside the same hall without anything to replay, in the same round.
"""

import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measuring import (
    Effort,
    connected,
    hall_command,
    ratios,
    running,
    show_progress,
    spread,
    table,
)
from benchmarks.scripts import TTTP, UNLIMITED, play

TABLES = 32


def run(effort: Effort) -> Iterator[str]:
    """Measure, and yield the table."""
    fresh: list[float] = []
    full: list[float] = []
    moves = bytes_kept = 0
    for number in range(1, effort.rounds + 1):
        show_progress(f"opening a journal, round {number} of {effort.rounds}")
        with tempfile.TemporaryDirectory(prefix="gamehall-benchmark-") as name:
            folder = Path(name)
            command = hall_command(
                {"tttp": {**TTTP.settings, **UNLIMITED, "tables": TABLES}}, folder
            )
            fresh.append(seconds_to_open([*command, "--fresh"]))
            moves = play_and_kill(command, effort.journal_moves)
            bytes_kept = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            full.append(seconds_to_open(command))
    show_progress("")
    extra = [(one - other) / moves * 1e6 for one, other in zip(full, fresh, strict=True)]
    rows = {
        "nothing to replay": [spread(fresh), "1.00", ""],
        f"{moves:,} moves at {TABLES} tables, {bytes_kept / 1e6:.1f} MB": [
            spread(full),
            spread(ratios(full, fresh)),
            spread(extra, ".1f"),
        ],
    }
    title = f"opening a hall that was killed (tttp), {effort.rounds} rounds"
    yield from table(title, ("s until ready", "ratio", "us per move"), rows)


def play_and_kill(command: Sequence[str], moves: int) -> int:
    """Play at all tables, and kill the hall. Returns how many moves the journal has."""
    played = 0
    with (
        running(command, stop=signal.SIGKILL) as server,
        connected(server, 2 * TABLES) as sockets,
    ):
        pairs = [sockets[number : number + 2] for number in range(0, len(sockets), 2)]
        for number, pair in enumerate(pairs):
            play(TTTP.opening, pair, TTTP.count, number)
        while played < moves:
            for pair in pairs:
                play(TTTP.lap, pair, TTTP.count)
                played += len(TTTP.lap)
    return played


def seconds_to_open(command: Sequence[str]) -> float:
    """Return how long it takes from starting a hall until it is ready."""
    began = time.monotonic()
    with running(command):
        return time.monotonic() - began
