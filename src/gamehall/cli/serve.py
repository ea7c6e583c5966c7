"""`gamehall serve`: run the server."""

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
from gamehall.cli.logs import BackgroundHandler
from gamehall.cli.serve_file import HouseBotError, read_all_house, read_file, source_of
from gamehall.cli.serving import OutputObserver, ServerRunner, StoredData, Tls
from gamehall.cli.shared import POSITIVE, user_data_folder
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.house_bots import SECONDS_PER_MOVE
from gamehall.server.plan import HallFile, PlanError, plan_doors, plan_web
from gamehall.storage import GameLogs, StorageError, is_url, open_database, read_hall_key

log = logging.getLogger(__name__)

RESULTS_WAITING = 1000
"""The lines kept while standard output blocks; older ones are dropped."""

CRASH, POWER = "crash", "power"

NO_DATA = "none"
"""The value of --data with which nothing is stored."""

SECONDS_FOR_RESULTS = 5.0
"""How long to wait at the end until the last results are read."""


@click.command(
    epilog="Example: gamehall serve --door tttp=0 --set tttp.gravity=free --set tttp.tables=8"
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--door",
    "doors",
    multiple=True,
    metavar="NAME[=PORT]",
    help="A door to open, on its default port or on PORT (0: any free port). Default: all doors.",
)
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    metavar="hall.toml",
    is_eager=True,
    callback=read_file,
    help="File with these options in a [hall] table, house bots in [house], and settings of doors"
    " in [door.NAME]. Options of the command line override the file.",
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
    help="Folder or postgresql:// URL for the journal and the records; none: store nothing."
    " Default: ~/.local/share/gamehall on Linux.",
)
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Certificate chain. With it, all doors use TLS.",
)
@click.option(
    "--tls-key",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Private key of the certificate, if it is in a file of its own.",
)
@click.option(
    "--drain",
    type=click.FloatRange(min=0),
    default=0,
    show_default=True,
    metavar="SECONDS",
    help="On SIGINT or SIGTERM, accept no more clients and wait up to this long for games to end."
    " Other games are restored at the next start.",
)
@click.option(
    "--fresh/--no-fresh",
    default=False,
    help="Drop the games that were in play when the server stopped. Records are kept.",
)
@click.option(
    "--durability",
    type=click.Choice((CRASH, POWER)),
    default=CRASH,
    show_default=True,
    help="What a confirmed move survives: a crash of the server, or also a power cut, for which"
    " each move waits for the disk. PostgreSQL has its own settings for this.",
)
@click.option(
    "--seed",
    type=int,
    help="Make all random choices reproducible. Who knows the number can predict them.",
)
@click.option(
    "--once/--no-once",
    default=False,
    help="Exit after the first game or tournament at each door has ended.",
)
@click.option(
    "--strict/--no-strict",
    default=False,
    help="Enforce the protocols to the letter at doors that are lenient by default.",
)
@click.option(
    "--house",
    "house_bots",
    multiple=True,
    metavar="GAME=BOT[@SECONDS]",
    help="A bot that plays against players who wait for an opponent, as in connect-four=perfect,"
    " with its thinking time per move.",
)
@click.option(
    "--house-limit",
    type=POSITIVE,
    default=SECONDS_PER_MOVE,
    show_default=True,
    metavar="SECONDS",
    help="Stop a house bot that takes longer over a move.",
)
@click.option(
    "--log-level",
    type=click.Choice(logs.LEVELS),
    default="info",
    show_default=True,
    help="Least severe log messages to show.",
)
@click.option(
    "--log-format",
    type=click.Choice(tuple(logs.FORMATS)),
    default="text",
    show_default=True,
    help="json: a JSON object per line, with fields such as the door and the match.",
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
    """Run the server until it is stopped.

    Prints a line for each door that accepts connections, then `ready`, and later a line
    `result DOOR JSON` for each finished tournament. Logs go to standard error. SIGINT and SIGTERM
    close all connections in an orderly way.
    """
    try:
        web = plan_web(all_protocols(), doors, file, assignments)
        plans = plan_doors(all_protocols(), doors, file, assignments, strict, once)
        house = read_all_house(house_bots, file)
    except (PlanError, HouseBotError) as error:
        raise click.UsageError(str(error)) from None
    tls = _read_tls(tls_cert, tls_key)
    if data == NO_DATA and durability == POWER:
        raise click.UsageError(
            f"{source_of('durability')}: {POWER} stores every move, and --data {NO_DATA} nothing"
        )
    where = data or user_data_folder()
    stored = None if data == NO_DATA else _open_data(where, fresh, durability)
    game_logs = None if stored is None else GameLogs(_folder_of(where))
    key = _hall_key(None if stored is None else _folder_of(where), seed)
    log_handler = logs.set_up(log_level, log_format)
    if stored is not None and stored.database.has_dropped_games:
        log.warning(
            "dropped the games in play: they were stored by an earlier version in another format;"
            " the records of finished games are kept"
        )
    results = BackgroundHandler(sys.stdout, RESULTS_WAITING)
    _allow_many_connections(max((plan.settings.max_connections for plan in plans), default=100))
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            server = ServerRunner(
                plans=plans,
                host=host,
                web=web,
                tls=tls,
                once=once,
                seconds_to_drain=drain,
                house=house,
                house_limit=house_limit,
            )
            server_seed = secrets.randbits(256) if seed is None else seed
            observer = OutputObserver(game_logs, results)
            runner.run(server.run(server_seed, observer, stored, key))
    finally:
        if game_logs is not None:
            game_logs.close()
        results.finish(SECONDS_FOR_RESULTS)
        log_handler.finish()


def _open_data(where: str | Path, fresh: bool, durability: str) -> StoredData:
    try:
        database = open_database(where, survives_power_cuts=durability == POWER)
        database.claim(fresh)
        return StoredData(database, fresh)
    except StorageError as error:
        raise click.UsageError(f"{source_of('data')}: {error}") from None


def _hall_key(folder: Path | None, seed: int | None) -> bytes:
    """Return the key for the secrets of players, which is derived from the seed if there is one."""
    if seed is not None:
        return sha256(f"hall key {seed}".encode()).digest()
    if folder is None:
        return secrets.token_bytes()
    try:
        return read_hall_key(folder)
    except StorageError as error:
        raise click.UsageError(f"{source_of('data')}: {error}") from None


def _folder_of(where: str | Path) -> Path:
    """Return the folder for files; with a database server, the data folder of this user."""
    return user_data_folder() if is_url(where) else Path(where)


def _read_tls(certificate: Path | None, key: Path | None) -> Tls | None:
    if certificate is None:
        if key is not None:
            raise click.UsageError(f"{source_of('tls_key')} needs a certificate: add --tls-cert")
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        reason = error.strerror or str(error)
        where = source_of("tls_cert")
        raise click.UsageError(f"{where}: cannot use {certificate}: {reason}") from None
    return Tls(context, str(certificate), str(key) if key else None)


def _allow_many_connections(wanted: int) -> None:
    # Every connection is an open file.
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if limit != resource.RLIM_INFINITY and limit < wanted:
        log.warning(
            "the system allows %s open files, fewer than max-connections: raise its limit", limit
        )
