"""`gamehall arena`: play many matches between bots, and rank them."""

import os
import shlex
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console

from gamehall.arena import table
from gamehall.arena.config import ArenaConfig
from gamehall.arena.page import chosen_matches, write_page
from gamehall.arena.runner import Run, VoidMatchError
from gamehall.arena.summary import summarise
from gamehall.arena.table import LiveStandings
from gamehall.arena.workers import LocalWorkers, WorkerPool, WorkerPoolError
from gamehall.cli import arena_config
from gamehall.cli.arena_config import ArenaOptions
from gamehall.cli.shared import (
    POSITIVE,
    data_option,
    json_option,
    memory_option,
    thinking_time_option,
    user_data_folder,
)
from gamehall.storage import StorageError, open_database
from gamehall.storage.arenas import ArenaStore
from gamehall.tournaments.formats import FORMATS

LOCAL, RAY = "local", "ray"
FORMATS_HELP = "; ".join(f"{name}: {kind.summary}" for name, kind in FORMATS.items())


@click.command(
    epilog="Example: gamehall arena connect-four perfect alpha-beta my_bot.py:MyBot --games 200"
)
@click.argument("game", required=False)
@click.argument("bots", nargs=-1, metavar="BOT BOT [BOT]...")
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="round-robin",
    show_default=True,
    help=f"Which bots play each other. {FORMATS_HELP}.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    help="Number of games for each pair of bots. Default: 100. With --until the limit for each bot,"
    " by default 10000; with --sprt the limit in all, by default 100000.",
)
@click.option(
    "--pairs/--no-pairs",
    "in_pairs",
    default=True,
    help="Play every opening twice, with the seats swapped.  [default: pairs]",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    metavar="N",
    help="Number of rounds of a Swiss tournament or a ladder.",
)
@click.option(
    "--sprt",
    nargs=2,
    metavar="elo0=0 elo1=10",
    help="Sequential test of two bots: stop when it is clear whether the first is better by elo1 or"
    " only by elo0.",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Probability that --sprt accepts a bot that is better by elo0 only.",
)
@click.option(
    "--beta",
    type=float,
    default=0.05,
    show_default=True,
    help="Probability that --sprt rejects a bot that is better by elo1.",
)
@click.option(
    "--elo-model",
    type=click.Choice(["normalised", "logistic"]),
    default="normalised",
    show_default=True,
    help="Scale of elo0 and elo1 of --sprt.",
)
@click.option(
    "--until",
    metavar="GOAL",
    help='Play the games that tell most about the ranking until GOAL, as in "top 3 known at 95%" or'
    ' "order known at 90%".',
)
@click.option(
    "--book",
    metavar="random:N|FILE",
    help="Openings: N random moves, or the lines of a file (moves with semicolons between them)."
    " Default: random:2, or random:0 for games that begin in a random position.",
)
@click.option(
    "--set", "terms", multiple=True, metavar="TERM=VALUE", help="A term of the game, as in size=9."
)
@thinking_time_option
@click.option(
    "--per-move",
    type=POSITIVE,
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Limit for each move. A bot that takes longer loses.",
)
@click.option(
    "--per-game",
    type=POSITIVE,
    metavar="SECONDS",
    help="Limit for all moves of a bot in a game. Default: no limit.",
)
@memory_option(default=2048)
@click.option(
    "--cpu",
    type=click.IntRange(1),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Limit per game on all cores together, for a bot that runs in its own process.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Number of games at a time. Default: one per core.",
)
@click.option(
    "--on",
    "where",
    default=LOCAL,
    show_default=True,
    metavar="local|ray|ray://HOST:PORT",
    help="Where to play: on this computer, or as tasks of a Ray cluster.",
)
@click.option("--seed", type=int, help="Make all random choices reproducible.")
@click.option("--name", help="Name of this run. Default: the game and the time.")
@click.option(
    "--resume",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
    help="Resume an interrupted run. Default: the last one.",
)
@data_option
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Write a page with the standings, a plot and the games.",
)
@json_option
def arena(
    game: str | None,
    bots: Sequence[str],
    workers: int | None,
    where: str,
    name: str | None,
    resume: str | None,
    data: str | None,
    report: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Play many games between bots, and rank them with error margins.

    GAME is a name that `gamehall games` lists. A BOT is a name that `gamehall bots` lists,
    FILE.py:CLASS, or gtp:COMMAND for a Go engine; mcts@0.5 thinks 0.5 seconds per move.
    """
    # Check this before hours of play.
    if report is not None and not report.parent.is_dir():
        raise click.UsageError(f"--report: there is no folder {report.parent}")
    try:
        with closing(ArenaStore(open_database(data or user_data_folder()))) as store:
            if resume is None:
                config = arena_config.read_config(game, bots, ArenaOptions(**options))
                name = arena_config.choose_run_name(store, config, name)
                # Start the workers first: a run that cannot be played is not stored.
                pool: WorkerPool | None = _start_workers(name, config, workers, where)
                began = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                stored = store.begin(name, msgspec.json.encode(config), began)
            else:
                stored, config = arena_config.find_run(store, resume or None, game, bots)
                is_over = stored.is_over
                pool = None if is_over else _start_workers(stored.name, config, workers, where)
            try:
                run = Run(config, store, stored)
                if pool is not None:
                    _play(run, pool)
            finally:
                if pool is not None:
                    pool.close()
            _show(run, report, as_json)
    except (StorageError, WorkerPoolError, VoidMatchError) as error:
        raise click.ClickException(str(error)) from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _play(run: Run, pool: WorkerPool) -> None:
    """Play to the end, or until Ctrl-C."""
    console = Console(stderr=True)
    try:
        if console.is_terminal:
            live = LiveStandings(run, console)
            with live.running():
                run.play(pool, live.update)
        else:
            run.play(pool, lambda: None)
    except KeyboardInterrupt:
        # All results are stored. `_show` prints how to resume.
        pass


def _start_workers(run: str, config: ArenaConfig, workers: int | None, where: str) -> WorkerPool:
    """Raises UsageError and WorkerPoolError."""
    if where == LOCAL:
        return LocalWorkers(run, config, workers or os.cpu_count() or 1)
    if where == RAY or where.startswith(f"{RAY}://"):
        from gamehall.arena.ray_workers import RayWorkers

        return RayWorkers(run, config, None if where == RAY else where, workers)
    raise click.UsageError(f"--on {where}: write {LOCAL}, {RAY}, or ray://HOST:PORT")


def _show(run: Run, report: Path | None, as_json: bool) -> None:
    summary = summarise(run)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(summary)))
    else:
        Console(soft_wrap=False).print(table.all_tables(summary))
        for line in table.remarks(summary):
            click.echo(line)
    if report is not None:
        page = write_page(summary, chosen_matches(run), arena_config.command_line(run.config))
        try:
            report.write_text(page, encoding="utf-8")
        except OSError as error:
            raise click.ClickException(f"cannot write {report}: {error.strerror}") from None
    if not run.is_over:
        raise click.ClickException(
            f"stopped after {summary.matches} games; resume with: gamehall arena --resume"
            f" {shlex.quote(run.name)}"
        )
