"""Read the options of `gamehall serve` from a configuration file."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import click
from click.core import ParameterSource

from gamehall.core import GamehallError
from gamehall.engines.bot_text import split_seconds
from gamehall.engines.choice import BotChoiceError, choose_bot
from gamehall.games.catalogue import all_games
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.plan import HallFile, PlanError, read_doors, read_hall_file

NOT_IN_HALL = ("file", "assignments", "house_bots")
"""Options that are not keys of the [hall] table: settings and house bots have their own tables."""


def read_file(ctx: click.Context, _: click.Parameter, path: Path | None) -> HallFile | None:
    """Make the [hall] table of the file the defaults of the other options. Raises UsageError."""
    if path is None:
        return None
    try:
        file = read_hall_file(path, all_protocols())
    except PlanError as error:
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
    except PlanError as error:
        raise click.UsageError(f"{where}: {error}", ctx) from None


def source_of(name: str) -> str:
    """Return where an option was given, for an error message: `--data` or `FILE: hall.data`."""
    ctx = click.get_current_context()
    [option] = [option for option in ctx.command.params if option.name == name]
    if ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
        return f"{ctx.params['file'].path}: hall.{name.replace('_', '-')}"
    return option.opts[0]


def _check_kind(option: click.Option, value: object, where: str, ctx: click.Context) -> None:
    """Raise UsageError if the value has the wrong type, such as a number in quotes.

    click itself would convert it, like text on a command line.
    """
    kinds: tuple[type, ...] = (str,)
    expected = "text in quotes"
    if option.multiple:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return
        raise click.UsageError(f'{where} must be a list, as in ["tttp", "web=8080"]', ctx)
    if isinstance(option.type, click.types.BoolParamType):
        kinds, expected = (bool,), "true or false"
    elif isinstance(option.type, click.types.FloatParamType):
        kinds, expected = (int, float), "a number"
    elif isinstance(option.type, click.types.IntParamType):
        kinds, expected = (int,), "a whole number"
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise click.UsageError(f"{where} cannot be {value!r}: it must be {expected}", ctx)


class HouseBotError(GamehallError):
    """A house bot cannot be used. The message says why."""


def read_all_house(texts: Sequence[str], file: HallFile | None) -> dict[str, str]:
    """Return the house bots by game. The command line overrides the file.

    Raises HouseBotError.
    """
    found: dict[str, str] = {}
    for game, bot in file.house.items() if file else ():
        try:
            if not isinstance(bot, str):
                raise HouseBotError(f'write the bot in quotes, as in {game} = "random"')  # noqa: TRY301
            found |= read_house([f"{game}={bot}"])
        except HouseBotError as error:
            assert file is not None
            raise HouseBotError(f"{file.path}: house.{game}: {error}") from None
    return found | read_house(texts)


def read_house(texts: Sequence[str]) -> dict[str, str]:
    """Return the house bots given as GAME=BOT or GAME=BOT@SECONDS. Raises HouseBotError."""
    found: dict[str, str] = {}
    for text in texts:
        game, equals, bot = text.partition("=")
        if not (game and equals and bot):
            raise HouseBotError(
                f"{text!r} is not a house bot: write GAME=BOT, as in connect-four=perfect"
            )
        if game not in all_games():
            raise HouseBotError(f"there is no game {game!r}; there are: {', '.join(all_games())}")
        if game in found:
            raise HouseBotError(f"{game} already has a house bot: {found[game]}")
        try:
            choose_bot(split_seconds(bot)[0], game, lambda: 0.0)
        except (BotChoiceError, ValueError) as error:
            raise HouseBotError(str(error)) from None
        found[game] = bot
    return found
