"""`gamehall serve`: open the hall."""

import asyncio
import logging
import resource
import secrets
import ssl
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import click
import uvloop
from click.core import ParameterSource

from gamehall.cli import logs
from gamehall.cli.folders import folder_of_this_user
from gamehall.cli.house import BadHouse, HouseBot, read_house
from gamehall.cli.keeper import Keeper
from gamehall.cli.serving import Kept, Serving, Tls
from gamehall.cli.writer import BackgroundWriter
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.plan import (
    BadPlan,
    HallFile,
    plan_doors,
    plan_web,
    read_doors,
    read_hall_file,
)
from gamehall.storage import (
    CannotKeep,
    GameLogs,
    Writer,
    is_url,
    open_database,
)

log = logging.getLogger(__name__)

RESULTS_WAITING = 1000
"""What is kept for a standard output that nobody reads."""

NOTHING = "none"
"""What --data says if nothing is to outlive the hall."""

SECONDS_TO_FINISH = 5.0
"""How long the last results may take to be read."""


NOT_IN_HALL = ("file", "assignments", "house_bots")
"""The options of which the file has another form than a key in [hall], or none."""


def _read_file(ctx: click.Context, _: click.Parameter, path: Path | None) -> HallFile | None:
    """Have what the [hall] table of the file says be the defaults of the other options."""
    if path is None:
        return None
    try:
        file = read_hall_file(path, all_protocols())
    except BadPlan as error:
        raise click.UsageError(str(error), ctx) from None
    options = {
        option.name.replace("_", "-"): option
        for option in ctx.command.params
        if isinstance(option, click.Option) and option.name and option.name not in NOT_IN_HALL
    }
    defaults: dict[str, object] = {}
    for key, value in file.hall.items():
        where = f"{path}: hall.{key}"
        if key not in options:
            close = get_close_matches(key, options, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(options)}"
            raise click.UsageError(f"{where}: there is no such option; {hint}", ctx)
        option = options[key]
        _check_kind(option, value, where, ctx)
        try:
            option.type_cast_value(ctx, value)
        except click.BadParameter as error:
            raise click.UsageError(f"{where}: {error.message}", ctx) from None
        if key == "doors":
            _check_doors(value, where, ctx)
        assert option.name is not None
        defaults[option.name] = value
    ctx.default_map = defaults
    return file


def _check_doors(doors: Sequence[str], where: str, ctx: click.Context) -> None:
    try:
        read_doors(doors, all_protocols())
    except BadPlan as error:
        raise click.UsageError(f"{where}: {error}", ctx) from None


def _source(name: str) -> str:
    """Return where an option of this command was given, in words for an error about it."""
    ctx = click.get_current_context()
    [option] = [one for one in ctx.command.params if one.name == name]
    if ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
        return f"{ctx.params['file'].path}: hall.{name.replace('_', '-')}"
    return option.opts[0]


def _check_kind(option: click.Option, value: object, where: str, ctx: click.Context) -> None:
    """Raise UsageError for a value of another kind than the option's, such as a number in quotes.

    click would take it for text, as it comes from a command line.
    """
    kinds: tuple[type, ...] = (str,)
    words = "text in quotes"
    if option.multiple:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return
        raise click.UsageError(f'{where} is a list, as in ["tttp", "web=8080"]', ctx)
    if isinstance(option.type, click.types.BoolParamType):
        kinds, words = (bool,), "true or false"
    elif isinstance(option.type, click.types.FloatParamType):
        kinds, words = (int, float), "a number"
    elif isinstance(option.type, click.types.IntParamType):
        kinds, words = (int,), "a whole number"
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise click.UsageError(f"{where} cannot be {value!r}: it is {words}", ctx)


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
    callback=_read_file,
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
    help="Leave alone what was going on when the hall was last open.",
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
    metavar="GAME=BOT",
    help="Who plays for the house against those who wait alone, as in connect-four=perfect.",
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
    seed: int | None,
    once: bool,
    strict: bool,
    house_bots: tuple[str, ...],
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
        house = _read_house(house_bots, file)
    except (BadPlan, BadHouse) as error:
        raise click.UsageError(str(error)) from None
    tls = _read_tls(tls_cert, tls_key)
    where = data or folder_of_this_user()
    kept = None if data == NOTHING else _open_kept(where, fresh)
    game_logs = None if kept is None else GameLogs(_folder_of(where))
    background = logs.set_up(log_level, log_format)
    results = BackgroundWriter(sys.stdout, RESULTS_WAITING)
    _allow_many_connections(max((plan.settings.max_connections for plan in plans), default=100))
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            chance = secrets.randbits(256) if seed is None else seed
            serving = Serving(plans, host, web, tls, once, drain, house)
            runner.run(serving.run(chance, Keeper(game_logs, results), kept))
    finally:
        if kept is not None:
            kept.writer.close()
        if game_logs is not None:
            game_logs.close()
        results.finish(SECONDS_TO_FINISH)
        background.finish()


def _open_kept(where: str | Path, fresh: bool) -> Kept:
    try:
        database = open_database(where)
        database.claim()
        return Kept(database, Writer(database), fresh)
    except CannotKeep as error:
        raise click.UsageError(f"{_source('data')}: {error}") from None


def _folder_of(where: str | Path) -> Path:
    """Where files go: with a database elsewhere, to the folder of this user."""
    return folder_of_this_user() if is_url(where) else Path(where)


def _read_house(texts: Sequence[str], file: HallFile | None) -> list[HouseBot]:
    """Return the house bots of the file and, before those, of the command line.

    Raises BadHouse.
    """
    found: dict[str, HouseBot] = {}
    for game, bot in file.house.items() if file else ():
        try:
            if not isinstance(bot, str):
                raise BadHouse(f'write the bot in quotes, as in {game} = "random"')  # noqa: TRY301
            [found[game]] = read_house([f"{game}={bot}"])
        except BadHouse as error:
            assert file is not None
            raise BadHouse(f"{file.path}: house.{game}: {error}") from None
    return list((found | {house.game: house for house in read_house(texts)}).values())


def _read_tls(certificate: Path | None, key: Path | None) -> Tls | None:
    if certificate is None:
        if key is not None:
            raise click.UsageError(
                f"{_source('tls_key')} is for a certificate: give that too, by --tls-cert"
            )
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        words = error.strerror or str(error)
        where = _source("tls_cert")
        raise click.UsageError(f"{where}: cannot use {certificate}: {words}") from None
    return Tls(context, str(certificate), str(key) if key else None)


def _allow_many_connections(wanted: int) -> None:
    """Every connection is an open file: ask the system for as many as it grants."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most != resource.RLIM_INFINITY and most < wanted:
        log.warning("the system grants %s open files, fewer than max-connections", most)
