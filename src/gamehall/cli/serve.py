"""`gamehall serve`: open the hall."""

import asyncio
import logging
import resource
import secrets
import ssl
import sys
from hashlib import sha256
from pathlib import Path

import click
import uvloop

from gamehall.cli import logs
from gamehall.cli.keeper import Keeper
from gamehall.cli.logs import BackgroundHandler
from gamehall.cli.serve_file import HouseBotError, read_all_house, read_file, source_of
from gamehall.cli.serving import Kept, Serving, Tls
from gamehall.cli.shared import folder_of_this_user
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.house_bots import SECONDS_PER_MOVE
from gamehall.server.plan import (
    HallFile,
    PlanError,
    plan_doors,
    plan_web,
)
from gamehall.storage import (
    GameLogs,
    StorageError,
    is_url,
    open_database,
    read_hall_key,
)

log = logging.getLogger(__name__)

RESULTS_WAITING = 1000
"""What is kept for a standard output that nobody reads."""

CRASH, POWER = "crash", "power"

NOTHING = "none"
"""What --data says if nothing is to outlive the hall."""

SECONDS_FOR_RESULTS = 5.0
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
    "file",
    type=click.Path(path_type=Path),
    metavar="hall.toml",
    is_eager=True,
    callback=read_file,
    help="File with these options in a [hall] table, house bots in [house], and settings of doors"
    " in [door.NAME]. What is said here goes before the file.",
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
    metavar="DIR|URL|none",
    help="Folder for what the hall keeps, or postgresql://..., or none. Default: a folder of this"
    " user.",
)
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Certificate, with those that vouch for it: every door then speaks TLS.",
)
@click.option(
    "--tls-key",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Its private key, if that is in a file of its own.",
)
@click.option(
    "--drain",
    type=click.FloatRange(min=0),
    default=0,
    show_default=True,
    metavar="SECONDS",
    help="When told to close, wait so long for what goes on to end; the rest is kept.",
)
@click.option(
    "--fresh/--no-fresh",
    default=False,
    help="Drop the games that were in play when the hall was last open; records stay.",
)
@click.option(
    "--durability",
    type=click.Choice((CRASH, POWER)),
    default=CRASH,
    show_default=True,
    help="What an acknowledged move survives: a crash of the program, or a power cut as well, for"
    " which each move waits for the disk. PostgreSQL has settings of its own for that.",
)
@click.option(
    "--seed",
    type=int,
    help="Make every random choice reproducible, and known to whoever knows the number.",
)
@click.option(
    "--once/--no-once",
    default=False,
    help="Exit after the first game or tournament at each door has ended.",
)
@click.option(
    "--strict/--no-strict",
    default=False,
    help="Hold clients to the letter, at doors that are lenient otherwise.",
)
@click.option(
    "--house",
    "house_bots",
    multiple=True,
    metavar="GAME=BOT[@SECONDS]",
    help="Who plays for the house against those who wait alone, as in connect-four=perfect; it"
    " thinks so long over a move.",
)
@click.option(
    "--house-limit",
    type=click.FloatRange(0, min_open=True),
    default=SECONDS_PER_MOVE,
    show_default=True,
    metavar="SECONDS",
    help="When a bot of the house has taken so long over a move, it is ended.",
)
@click.option(
    "--log-level",
    type=click.Choice(logs.LEVELS),
    default="info",
    show_default=True,
    help="How chatty.",
)
@click.option(
    "--log-format",
    type=click.Choice(tuple(logs.FORMATS)),
    default="text",
    show_default=True,
    help="json: a JSON object per line, with the door, the match and so on in fields.",
)
def serve(
    host: str,
    doors: tuple[str, ...],
    file: HallFile | None,
    assignments: tuple[str, ...],
    data: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    drain: float,
    fresh: bool,
    durability: str,
    seed: int | None,
    once: bool,
    strict: bool,
    house_bots: tuple[str, ...],
    house_limit: float,
    log_level: str,
    log_format: str,
) -> None:
    """Open the hall and play until stopped.

    Prints a line for each door once it accepts connections, then `ready`, and later a line
    `result DOOR JSON` for each tournament that has ended. Logs go to standard error. SIGINT or
    SIGTERM close every door in an orderly way.
    """
    try:
        web = plan_web(all_protocols(), doors, file, assignments)
        plans = plan_doors(all_protocols(), doors, file, assignments, strict, once)
        house = read_all_house(house_bots, file)
    except (PlanError, HouseBotError) as error:
        raise click.UsageError(str(error)) from None
    tls = _read_tls(tls_cert, tls_key)
    if data == NOTHING and durability == POWER:
        raise click.UsageError(
            f"{source_of('durability')}: with --data {NOTHING} nothing is stored that could survive"
        )
    where = data or folder_of_this_user()
    kept = None if data == NOTHING else _open_kept(where, fresh, durability)
    game_logs = None if kept is None else GameLogs(_folder_of(where))
    key = _hall_key(None if kept is None else _folder_of(where), seed)
    background = logs.set_up(log_level, log_format)
    if kept is not None and kept.database.has_dropped_games:
        log.warning(
            "games in play were stored by an earlier version, which had another journal: they are"
            " not carried over; the records of finished games are"
        )
    results = BackgroundHandler(sys.stdout, RESULTS_WAITING)
    _allow_many_connections(max((plan.settings.max_connections for plan in plans), default=100))
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            chance = secrets.randbits(256) if seed is None else seed
            serving = Serving(
                plans=plans,
                host=host,
                web=web,
                tls=tls,
                once=once,
                seconds_to_drain=drain,
                house=house,
                house_limit=house_limit,
            )
            runner.run(serving.run(chance, Keeper(game_logs, results), kept, key))
    finally:
        if game_logs is not None:
            game_logs.close()
        results.finish(SECONDS_FOR_RESULTS)
        background.finish()


def _open_kept(where: str | Path, fresh: bool, durability: str) -> Kept:
    try:
        database = open_database(where, survives_power_cuts=durability == POWER)
        database.claim(fresh)
        return Kept(database, fresh)
    except StorageError as error:
        raise click.UsageError(f"{source_of('data')}: {error}") from None


def _hall_key(folder: Path | None, seed: int | None) -> bytes:
    """Return the key for secrets of players: with a chosen seed it follows from that."""
    if seed is not None:
        return sha256(f"hall key {seed}".encode()).digest()
    if folder is None:
        return secrets.token_bytes()
    try:
        return read_hall_key(folder)
    except StorageError as error:
        raise click.UsageError(f"{source_of('data')}: {error}") from None


def _folder_of(where: str | Path) -> Path:
    """Return the folder for files: with a database elsewhere, that of this user."""
    return folder_of_this_user() if is_url(where) else Path(where)


def _read_tls(certificate: Path | None, key: Path | None) -> Tls | None:
    if certificate is None:
        if key is not None:
            raise click.UsageError(
                f"{source_of('tls_key')} is for a certificate: give that too, by --tls-cert"
            )
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        words = error.strerror or str(error)
        where = source_of("tls_cert")
        raise click.UsageError(f"{where}: cannot use {certificate}: {words}") from None
    return Tls(context, str(certificate), str(key) if key else None)


def _allow_many_connections(wanted: int) -> None:
    """Every connection is an open file: ask the system for as many as it grants."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most != resource.RLIM_INFINITY and most < wanted:
        log.warning("the system grants %s open files, fewer than max-connections", most)
