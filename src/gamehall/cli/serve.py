"""`gamehall serve`: open the hall."""

import asyncio
import contextlib
import logging
import resource
import secrets
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import uvloop

from gamehall.cli import logs
from gamehall.cli.folders import folder_of_this_user
from gamehall.cli.keeper import Keeper
from gamehall.cli.writer import BackgroundWriter
from gamehall.hosting.kept_room import CannotResume
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.hall import CannotOpen, Hall
from gamehall.server.plan import BadPlan, DoorPlan, plan_doors
from gamehall.storage import CannotKeep, DatabaseLedger, GameLogs, Writer, open_database

log = logging.getLogger(__name__)

RESULTS_WAITING = 1000
"""What is kept for a standard output that nobody reads."""

SECONDS_TO_FINISH = 5.0
"""How long the last results may take to be read."""


@click.command(
    epilog="Example: gamehall serve --door tttp=0 --set tttp.gravity=free --set tttp.tables=8"
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--door",
    "doors",
    multiple=True,
    metavar="NAME[=PORT]",
    help="A door to open, at its own port or another (0: any free one). Default: all doors.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="hall.toml",
    help="Settings of the doors, in [door.NAME] tables.",
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="DOOR.OPTION=VALUE",
    help="A setting of a door; `gamehall doors NAME` lists them.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for the records of matches. Default: that of this user for such things.",
)
@click.option(
    "--fresh", is_flag=True, help="Leave alone what was going on when the hall was last open."
)
@click.option("--seed", type=int, help="Make every random choice reproducible.")
@click.option(
    "--once",
    is_flag=True,
    help="Exit after the first game or tournament at each door has ended.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Hold clients to the letter, at doors that are lenient otherwise.",
)
@click.option(
    "--log-level",
    type=click.Choice(logs.LEVELS),
    default="info",
    show_default=True,
    help="How chatty.",
)
def serve(
    host: str,
    doors: tuple[str, ...],
    config: Path | None,
    assignments: tuple[str, ...],
    data: Path | None,
    fresh: bool,
    seed: int | None,
    once: bool,
    strict: bool,
    log_level: str,
) -> None:
    """Open the hall and play until stopped.

    Prints a line for each door once it accepts connections, then `ready`, and later a line
    `result DOOR JSON` for each tournament that has ended. Logs go to standard error. SIGINT or
    SIGTERM close every door in an orderly way.
    """
    try:
        plans = plan_doors(all_protocols(), doors, config, assignments, strict, once)
    except BadPlan as error:
        raise click.UsageError(str(error)) from None
    folder = data or folder_of_this_user()
    try:
        database = open_database(folder)
        database.claim()
        writer = Writer(database)
    except CannotKeep as error:
        raise click.UsageError(f"--data: {error}") from None
    game_logs = GameLogs(folder)
    background = logs.set_up(log_level)
    results = BackgroundWriter(sys.stdout, RESULTS_WAITING)
    _allow_many_connections(max(plan.settings.max_connections for plan in plans))
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            chance = secrets.randbits(63) if seed is None else seed
            ledger = DatabaseLedger(database, writer, fresh)
            keeper = Keeper(game_logs, results)
            runner.run(_serve(plans, host, chance, once, keeper, ledger, writer))
    finally:
        writer.close()
        game_logs.close()
        results.finish(SECONDS_TO_FINISH)
        background.finish()


async def _serve(
    plans: list[DoorPlan],
    host: str,
    seed: int,
    once: bool,
    keeper: Keeper,
    ledger: DatabaseLedger,
    writer: Writer,
) -> None:
    """Opens the hall, and closes it on a signal or, if `once`, when everything has been played."""
    loop = asyncio.get_running_loop()
    try:
        hall = Hall(plans, seed, time.monotonic, loop.call_later, keeper, ledger)
    except (CannotResume, CannotKeep) as error:
        raise click.UsageError(str(error)) from None
    failure: asyncio.Future[str] = loop.create_future()
    writer.report_to(
        lambda number: _from_outside(loop, hall.release, number),
        lambda reason: _from_outside(loop, failure.set_result, reason),
    )
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        opened = await hall.open(host)
    except CannotOpen as error:
        raise click.UsageError(str(error)) from None
    try:
        for name, address in opened:
            click.echo(f"listening {name} {address}")
        click.echo("ready")
    except OSError as error:
        await hall.close("the hall could not say that it is open")
        raise click.ClickException(f"cannot write to standard output: {error.strerror}") from None
    reasons: list[asyncio.Future[Any]] = [asyncio.create_task(stop.wait()), failure]
    if once:
        reasons.append(asyncio.create_task(hall.everything_ended_once()))
    _, waiting = await asyncio.wait(reasons, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    if failure.done() and not failure.cancelled():
        words = f"cannot keep what is played: {failure.result()}"
        log.error("%s", words)
        await hall.close(f"the hall {words}")
        raise click.ClickException(words)
    if not stop.is_set():
        # Those who must ask for it may still want to know how it ended.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), max(p.protocol.seconds_to_linger for p in plans))
    await hall.close("the hall closes")


def _from_outside(
    loop: asyncio.AbstractEventLoop, call: Callable[[Any], object], what: object
) -> None:
    """Has something called in the loop, from another thread; not if the loop is over."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, what)


def _allow_many_connections(wanted: int) -> None:
    """Every connection is an open file: ask the system for as many as it grants."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most != resource.RLIM_INFINITY and most < wanted:
        log.warning("the system grants %s open files, fewer than max-connections", most)
