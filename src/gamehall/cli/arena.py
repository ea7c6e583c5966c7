"""`gamehall arena`: bots play each other in bulk."""

import os
import shlex
from collections.abc import Sequence
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
from gamehall.cli.arena_config import Wanted
from gamehall.cli.shared import folder_of_this_user
from gamehall.storage import StorageError, open_database
from gamehall.storage.arenas import ArenaStore, StoredArena
from gamehall.tournaments.formats import FORMATS

LOCAL, RAY = "local", "ray"
FORMATS_IN_WORDS = "; ".join(f"{name}: {kind.summary}" for name, kind in FORMATS.items())


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
    help=f"Who meets whom. {FORMATS_IN_WORDS}.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    help="For each pair of bots that meet; with --until for each bot, with --sprt in all. Default:"
    " 100; with --until 10000, with --sprt 100000, at most.",
)
@click.option(
    "--pairs/--no-pairs",
    "in_pairs",
    default=True,
    help="Play every beginning twice, with the seats swapped.  [default: pairs]",
)
@click.option("--rounds", type=click.IntRange(1), help="Of a Swiss tournament or a ladder.")
@click.option(
    "--sprt",
    nargs=2,
    metavar="elo0=0 elo1=10",
    help="Two bots: stop as soon as it is sure that the first is better by elo1 rather than elo0.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Of --sprt.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Of --sprt.")
@click.option(
    "--elo-model",
    type=click.Choice(["normalised", "logistic"]),
    default="normalised",
    show_default=True,
    help="What the Elo of --sprt mean.",
)
@click.option(
    "--until",
    metavar="GOAL",
    help='Play where it teaches most until GOAL, as in "top 3 known at 95%" or "order known at'
    ' 90%".',
)
@click.option(
    "--book",
    metavar="random:N|FILE",
    help="How games begin: with N random moves, or with the lines of a file (moves with semicolons"
    " between them). Default: random:2, or nothing where chance makes games differ.",
)
@click.option(
    "--set", "terms", multiple=True, metavar="TERM=VALUE", help="Terms of the game, as in size=9."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="How long bots think over a move that take their time; or of one: mcts@0.5.",
)
@click.option(
    "--per-move",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds after which a move comes too late.",
)
@click.option(
    "--per-game",
    type=click.FloatRange(0, min_open=True),
    help="Seconds for all moves of one bot. Default: no limit.",
)
@click.option(
    "--memory",
    type=click.IntRange(256),
    default=2048,
    show_default=True,
    help="Megabytes for a bot of yours.",
)
@click.option(
    "--cpu",
    type=click.IntRange(1),
    default=600,
    show_default=True,
    help="Seconds on all cores together, in a game, for a bot of yours.",
)
@click.option(
    "--workers", type=click.IntRange(1, 1024), help="Games at a time. Default: one per core."
)
@click.option(
    "--on",
    "where",
    default=LOCAL,
    show_default=True,
    metavar="local|ray|ray://HOST:PORT",
    help="Where to play: on this machine, or as tasks of Ray.",
)
@click.option("--seed", type=int, help="Make everything that is random reproducible.")
@click.option("--name", help="What this run is called. Default: the game and the time.")
@click.option(
    "--resume",
    is_flag=False,
    flag_value="",
    metavar="[NAME]",
    help="Go on with a run that was interrupted; the last one, if none is named.",
)
@click.option("--data", metavar="DIR|URL", help="Where to keep it. Default: a folder of this user.")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.html",
    help="Write a page with the standings, a plot and the games.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the standings for programs to read.")
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
    **wanted: Any,
) -> None:
    """Have bots play each other: who is better, and how sure is that?

    GAME is one that `gamehall games` lists. A BOT is a name that `gamehall bots` lists,
    FILE.py:CLASS, or gtp:COMMAND for a Go engine.
    """
    _check_report(report)
    try:
        book = ArenaStore(open_database(data or folder_of_this_user()))
        try:
            if resume is None:
                config = arena_config.read(game, bots, Wanted(**wanted))
                name = arena_config.free_name(book, config, name)
                # Start the workers first: a run that cannot be played is not stored.
                pool: WorkerPool | None = _start_workers(name, config, workers, where)
                kept = arena_config.begin(book, config, name)
            else:
                kept, config = arena_config.take_up(book, resume or None, game, bots)
                pool = None if kept.is_over else _start_workers(kept.name, config, workers, where)
            try:
                run = Run(config, book, kept)
                if pool is not None:
                    _play(run, pool)
            finally:
                if pool is not None:
                    pool.close()
            _show(run, kept, report, as_json)
        finally:
            book.close()
    except (StorageError, WorkerPoolError, VoidMatchError) as error:
        raise click.ClickException(str(error)) from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _play(run: Run, pool: WorkerPool) -> None:
    """Play to the end, or until Ctrl-C; the standings are shown in both cases."""
    console = Console(stderr=True)
    try:
        if console.is_terminal:
            live = LiveStandings(run, console)
            with live.shown():
                run.play(pool, live.show)
        else:
            run.play(pool, _show_nothing)
    except KeyboardInterrupt:
        # What was played is stored; the command to go on is shown below the standings.
        pass


def _start_workers(run: str, config: ArenaConfig, workers: int | None, where: str) -> WorkerPool:
    """Start the workers. Raises UsageError and WorkerPoolError."""
    if where == LOCAL:
        return LocalWorkers(run, config, workers or os.cpu_count() or 1)
    if where == RAY or where.startswith(f"{RAY}://"):
        from gamehall.arena.ray_workers import RayWorkers

        return RayWorkers(run, config, None if where == RAY else where, workers)
    raise click.UsageError(f"--on {where}: write {LOCAL}, {RAY}, or ray://HOST:PORT")


def _show(run: Run, kept: StoredArena, report: Path | None, as_json: bool) -> None:
    summary = summarise(run)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(summary)))
    else:
        Console(soft_wrap=False).print(table.whole(summary))
        for line in table.words(summary):
            click.echo(line)
    if report is not None:
        page = write_page(summary, chosen_matches(run), arena_config.command(run.config))
        try:
            report.write_text(page, encoding="utf-8")
        except OSError as error:
            raise click.ClickException(f"cannot write {report}: {error.strerror}") from None
    if not run.is_over:
        raise click.ClickException(
            f"stopped after {summary.matches} games; go on with: gamehall arena --resume"
            f" {shlex.quote(kept.name)}"
        )


def _check_report(report: Path | None) -> None:
    """Check the report's folder before hours of play. Raises UsageError."""
    if report is not None and not report.parent.is_dir():
        raise click.UsageError(f"--report: there is no folder {report.parent}")


def _show_nothing() -> None:
    """Standard error is not a terminal."""
