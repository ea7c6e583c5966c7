"""`gamehall doors`, `gamehall games` and `gamehall bots`: list what is installed."""

import dataclasses
import json
import time
from collections.abc import Sequence
from enum import Enum
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.table import Table

from gamehall.bots.bot import BotKind
from gamehall.bots.catalogue import all_bots, bots_for
from gamehall.cli.shared import json_option
from gamehall.core import Game
from gamehall.games.catalogue import all_games
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.plan import WEB, WEB_PORT, WEB_TITLE, WebSettings
from gamehall.wire.settings import list_settings, suggestion

SECONDS_TO_MENTION = 1.0
"""--compile reports the bots that took longer."""


@click.command(epilog="Example: gamehall doors tttp")
@click.argument("name", required=False)
@json_option
def doors(name: str | None, as_json: bool) -> None:
    """List the doors, or the settings of the door NAME."""
    described = {door["name"]: door for door in _describe_doors()}
    if name is not None and name not in described:
        hint = suggestion(name, list(described))
        raise click.UsageError(f"there is no door {name!r}; {hint}")
    if as_json:
        click.echo(json.dumps([described[name]] if name else list(described.values()), indent=2))
    elif name:
        _print_settings(described[name])
    else:
        table = _table("door", "port", "game", "protocol")
        for door in described.values():
            table.add_row(door["name"], str(door["port"]), door["game"] or "all", door["title"])
        _print(table)
        click.echo("Show the settings of a door: gamehall doors NAME")


@click.command(epilog="Example: gamehall games --json")
@json_option
def games(as_json: bool) -> None:
    """List the games."""
    catalogue = all_games()
    if as_json:
        click.echo(json.dumps([_describe_game(game) for game in catalogue.values()], indent=2))
        return
    table = _table("game", "title", "terms", "doors")
    for game in catalogue.values():
        described = _describe_game(game)
        terms = ", ".join(f"{name} {default}" for name, default in described["terms"].items())
        table.add_row(game.name, game.title, terms, ", ".join(described["doors"]))
    _print(table)


@click.command(epilog="Example: gamehall bots go")
@click.argument("game", required=False)
@json_option
@click.option(
    "--compile",
    "is_to_compile",
    is_flag=True,
    help="Compile the bots that need it now, so that no match waits for it later.",
)
def bots(game: str | None, as_json: bool, is_to_compile: bool) -> None:
    """List the bots, or those that play GAME."""
    catalogue = all_games()
    if game is not None and game not in catalogue:
        raise click.UsageError(f"there is no game {game!r}; there are: {', '.join(catalogue)}")
    chosen = all_bots() if game is None else tuple(bots_for(game).values())
    if is_to_compile:
        _compile(chosen)
    if as_json:
        click.echo(json.dumps([_describe_bot(kind) for kind in chosen], indent=2))
        return
    table = _table("bot", "game", "seconds", "description")
    for kind in chosen:
        seconds = "" if kind.seconds_per_move is None else f"{kind.seconds_per_move:g}"
        table.add_row(kind.name, kind.game or "any", seconds, kind.summary)
    _print(table)
    click.echo(
        "Have a bot play: gamehall bot ADDRESS --bot NAME. For a bot of yours: --bot FILE.py:CLASS"
    )


def _compile(kinds: Sequence[BotKind]) -> None:
    for kind in kinds:
        began = time.monotonic()
        # Making a bot compiles its functions, and stores the machine code on the disk.
        kind.make(0, time.monotonic)
        seconds = time.monotonic() - began
        if seconds >= SECONDS_TO_MENTION:
            click.echo(f"{kind.name} ({kind.game or 'any'}): ready after {seconds:.1f} s", err=True)


def _describe_bot(kind: BotKind) -> dict[str, Any]:
    return {
        "name": kind.name,
        "game": kind.game,
        "seconds_per_move": kind.seconds_per_move,
        "summary": kind.summary,
    }


def _describe_doors() -> list[dict[str, Any]]:
    """Return every door with its settings; the web door, which has all games, is the last."""
    doors = [
        _describe_door(
            protocol.name, protocol.port, protocol.game, protocol.title, protocol.settings
        )
        for protocol in all_protocols().values()
    ]
    return [*doors, _describe_door(WEB, WEB_PORT, None, WEB_TITLE, WebSettings)]


def _describe_door(
    name: str, port: int, game: str | None, title: str, settings: type[msgspec.Struct]
) -> dict[str, Any]:
    return {
        "name": name,
        "port": port,
        "game": game,
        "title": title,
        "settings": [
            {"name": line.name, "default": line.default, "description": line.description}
            for line in list_settings(settings)
        ],
    }


def _describe_game(game: type[Game[Any]]) -> dict[str, Any]:
    # A game is a dataclass of its terms.
    terms = dataclasses.fields(game)  # type: ignore[arg-type]
    return {
        "name": game.name,
        "title": game.title,
        "terms": {
            term.name: term.default.value if isinstance(term.default, Enum) else term.default
            for term in terms
        },
        "doors": [door.name for door in all_protocols().values() if door.game == game.name],
    }


def _print_settings(door: dict[str, Any]) -> None:
    name, game = door["name"], door["game"] or "all games"
    click.echo(f"{name}: {door['title']}, port {door['port']}, {game}")
    table = _table("setting", "default", "meaning")
    for line in door["settings"]:
        table.add_row(line["name"], line["default"], line["description"])
    _print(table)
    click.echo(
        f"Change a setting: gamehall serve --set {name}.NAME=VALUE, or [door.{name}] in a file"
    )
    if name == WEB:
        click.echo("It also has the setting port.")
    else:
        click.echo("Every door also has the settings port, and room: the door whose room it uses.")


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _print(table: Table) -> None:
    Console(soft_wrap=False).print(table)
