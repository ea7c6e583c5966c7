"""The standings while a run goes on, for somebody who waits at a terminal."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from gamehall.arena import table
from gamehall.arena.runner import Run
from gamehall.arena.summary import Summary, summarise

SECONDS_BETWEEN_PICTURES = 0.5


class Board:
    """Shows how a run stands, and how long it will take."""

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
    def shown(self) -> Iterator[None]:
        """It is there as long as this goes on."""
        with self._live:
            yield

    def show(self) -> None:
        """Draws it anew, if it is time."""
        now = time.monotonic()
        if now < self._drawn + SECONDS_BETWEEN_PICTURES:
            return
        self._drawn = now
        summary = summarise(self._run)
        self._progress.update(self._task, completed=summary.matches, total=summary.expected)
        self._live.update(
            Group(table.standings(summary), Text(""), *self._remarks(summary), self._progress),
            refresh=True,
        )

    def _remarks(self, summary: Summary) -> Iterator[Text]:
        for line in table.words(summary):
            yield Text(line)
