"""The standings in a terminal, during and after a run."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from gamehall.arena.numbers import MINUS, likelihood, percent, signed
from gamehall.arena.runner import Run, SeatShare
from gamehall.arena.summary import (
    MOST_ELO,
    CrossTableCell,
    StandingsLine,
    Summary,
    summarise,
)

MOST_IN_CROSS_TABLE = 12
"""With more bots the table would not fit on a screen."""
MOST_FAULTS = 5
SECONDS_BETWEEN_UPDATES = 0.5


def standings_table(summary: Summary) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("bot", overflow="fold")
    for column in ("points", "games", "score", "Elo", "±95 %", "better than next", "1st", "2nd"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in summary.lines:
        table.add_row(*_standings_row(line))
    return table


def cross_table(summary: Summary) -> Table:
    """Return the points of each bot against each other one."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("", overflow="fold")
    for line in summary.lines:
        table.add_column(str(line.place), justify="right", no_wrap=True)
    for line, cells in zip(summary.lines, summary.cross_table, strict=True):
        table.add_row(str(line.place), Text(line.name), *map(_write_cell, cells))
    return table


def all_tables(summary: Summary) -> RenderableType:
    """Return the standings, and the cross table if it fits."""
    parts: list[RenderableType] = [standings_table(summary), Text("")]
    if 2 < len(summary.lines) <= MOST_IN_CROSS_TABLE:
        parts += [cross_table(summary), Text("")]
    return Group(*parts)


def remarks(summary: Summary) -> Iterator[str]:
    """Yield the lines below the standings."""
    endings = ", ".join(f"{times} {ending}" for ending, times in summary.endings.items())
    yield f"{summary.matches} games: {endings or 'none yet'}"
    for line in summary.lines:
        for ending, times in line.faults.items():
            yield f"{line.name}: {times} lost by its own fault ({ending})"
    for fault in summary.faults[:MOST_FAULTS]:
        yield f"  {fault.match}: {fault.bot} against {fault.opponent}: {fault.detail}"
    if len(summary.faults) > MOST_FAULTS:
        yield "  and more: --json and --report show all of them, with details"
    if summary.test is not None:
        test = summary.test
        yield (
            f"normalised Elo {_bounded(test.normalised_elo)}"
            f" ({_bounded(test.low)} to {_bounded(test.high)});"
            f" LLR {test.llr:.2f} ({test.lower:.2f} to {test.upper:.2f})"
        )
    yield from summary.remarks


def _bounded(number: float) -> str:
    if abs(number) < MOST_ELO:
        return signed(number, digits=1)
    return f"{'+' if number > 0 else MINUS}\N{INFINITY}"


def _standings_row(line: StandingsLine) -> tuple[str | Text, ...]:
    return (
        str(line.place),
        Text(line.name),
        f"{line.points:g}",
        str(line.matches),
        percent(line.points / line.matches, 1) if line.matches else "",
        signed(line.elo),
        "" if line.error is None else f"{line.error:.0f}",
        "" if line.superiority is None else likelihood(line.superiority),
        _write_share(line.as_first),
        _write_share(line.as_second),
    )


def _write_share(share: SeatShare) -> str:
    return f"{share.won}-{share.drawn}-{share.lost}"


def _write_cell(cell: CrossTableCell | None) -> str:
    if cell is None:
        return "—"
    return f"{cell.points:g}/{cell.matches}" if cell.matches else "·"


class LiveStandings:
    """Shows the standings of a running arena, and how long it will take."""

    def __init__(self, run: Run, console: Console) -> None:
        self._run = run
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._progress.add_task(run.name, total=None)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._drawn = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Show the standings while the block runs."""
        with self._live:
            yield

    def update(self) -> None:
        """Show the newest standings, unless that was done a moment ago."""
        now = time.monotonic()
        if now < self._drawn + SECONDS_BETWEEN_UPDATES:
            return
        self._drawn = now
        summary = summarise(self._run)
        self._progress.update(self._task, completed=summary.matches, total=summary.expected)
        self._live.update(
            Group(standings_table(summary), Text(""), *map(Text, remarks(summary)), self._progress),
            refresh=True,
        )
