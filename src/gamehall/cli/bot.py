"""`gamehall bot`: a bot plays at a door, ours or another's."""

import asyncio
import getpass
import json
import secrets
import ssl
import time
from pathlib import Path
from typing import Any, NamedTuple

import click

from gamehall.bots.visitor import PlayedMatch, Visitor
from gamehall.cli import logs
from gamehall.client.address import Address, BadAddress, read_address
from gamehall.client.visit import CannotVisit, Visit
from gamehall.core import Seat
from gamehall.players.choice import (
    WORDS,
    BadChoice,
    CannotLoad,
    CannotStart,
    Choice,
    choose_bot,
)
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.settings import BadSetting, DoorSettings, read_settings


class Guest(NamedTuple):
    """What is called for at a door besides moves."""

    name: str
    answers: dict[str, str]
    games: int | None
    joins_only: bool


@click.command(
    epilog="Example: gamehall bot go-text://localhost --bot 'gtp:gnugo --mode gtp'"
    " --answer boardsize=9"
)
@click.argument("address")
@click.option("--bot", "bot_name", required=True, metavar="BOT", help=f"Who plays: {WORDS}.")
@click.option("--name", help="What the bot is called there. Default: your name and the bot's.")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    help="How many games to play. Default: one, or a tournament.",
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="QUESTION=VALUE",
    help="What to say if the server asks about the terms, as in boardsize=9.",
)
@click.option(
    "--join-only",
    is_flag=True,
    help="Leave if the server asks about the terms, instead of waiting for somebody to agree.",
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="OPTION=VALUE",
    help="How that door is set, where it is not as usual; `gamehall doors NAME` lists what can be.",
)
@click.option(
    "--tls-ca",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Certificate to trust at a door+tls:// address, if it is not one that everybody trusts.",
)
@click.option(
    "--tls-insecure",
    is_flag=True,
    help="Trust any certificate: only for a server of your own.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="How long it thinks over a move, if it is one that takes its time.",
)
@click.option("--seed", type=int, help="Make the choices of a bot reproducible.")
@click.option("--json", "as_json", is_flag=True, help="Write results for programs to read.")
@click.option(
    "--log-level",
    type=click.Choice(logs.LEVELS),
    default="warning",
    show_default=True,
    help="How chatty; debug shows what is said to an engine.",
)
def bot(
    address: str,
    bot_name: str,
    name: str | None,
    games: int | None,
    answers: tuple[str, ...],
    join_only: bool,
    assignments: tuple[str, ...],
    tls_ca: Path | None,
    tls_insecure: bool,
    seconds: float | None,
    seed: int | None,
    as_json: bool,
    log_level: str,
) -> None:
    """Have a bot play at the door ADDRESS, as in tttp://localhost:7003.

    Prints a line for each game that is over.
    """
    try:
        door = read_address(address, all_protocols())
        settings = read_settings(
            door.protocol.settings, dict(map(_read_pair, assignments)), door.protocol.name
        )
    except (BadAddress, BadSetting) as error:
        raise click.UsageError(str(error)) from None
    said = _read_answers(door, answers)
    try:
        choice = choose_bot(bot_name, door.protocol.game, time.monotonic, seconds)
    except BadChoice as error:
        raise click.UsageError(str(error)) from None
    chance = secrets.randbits(63) if seed is None else seed
    tls = _read_tls(tls_ca, tls_insecure) if door.tls else None
    background = logs.set_up(log_level)
    player = name or _usual_name()
    try:
        guest = Guest(player, said, games, join_only)
        asyncio.run(_play(door, settings, tls, choice, chance, guest, as_json))
    finally:
        background.finish()


async def _play(
    address: Address,
    settings: DoorSettings,
    tls: ssl.SSLContext | None,
    choice: Choice,
    seed: int,
    guest: Guest,
    as_json: bool,
) -> None:
    """Visits until so many games are played; each visit has a bot of its own."""
    played = 0
    while True:
        wanted = None if guest.games is None else guest.games - played
        visitor: Visitor[Any] = Visitor(guest.name, guest.answers, wanted, guest.joins_only)
        try:
            thinker = choice.make(seed + played)
        except (CannotLoad, CannotStart) as error:
            raise click.UsageError(str(error)) from None
        session = address.protocol.client(settings)
        visit = Visit(address, session, visitor, thinker, time.monotonic, tls)
        try:
            await visit.run()
        except CannotVisit as error:
            raise click.ClickException(str(error)) from None
        for match in visitor.matches:
            played += 1
            click.echo(_write_match(played, match, as_json))
        if visitor.trouble is not None:
            if visitor.trouble_at is not None:
                click.echo(visitor.trouble_at.diagram(), err=True)
            raise click.ClickException(visitor.trouble)
        if guest.games is None or played >= guest.games:
            return


def _read_tls(authority: Path | None, trusts_all: bool) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=authority)
    except (OSError, ssl.SSLError) as error:
        raise click.UsageError(f"--tls-ca: cannot use {authority}: {error}") from None
    if trusts_all:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _read_answers(address: Address, answers: tuple[str, ...]) -> dict[str, str]:
    said = dict(address.protocol.answers)
    for question, value in map(_read_pair, answers):
        if question not in said:
            there = ", ".join(said) or "nothing"
            raise click.UsageError(
                f"{address.protocol.name} does not ask for {question!r}; it asks for: {there}"
            )
        said[question] = value
    return said


def _read_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"{text!r} says nothing: write NAME=VALUE")
    return name, value


def _usual_name() -> str:
    try:
        return "".join(letter for letter in getpass.getuser().lower() if letter.isalpha()) + "bot"
    except (KeyError, OSError):
        return "bot"


def _write_match(number: int, match: PlayedMatch[Any], as_json: bool) -> str:
    winner, seat = match.result.winner, match.seat
    if winner is None:
        is_seen = match.position is not None
        is_drawn = match.position is not None and match.position.outcome is not None
        verdict = "drawn" if is_drawn else "cancelled" if is_seen else "over"
    elif seat is None:
        verdict = "over"
    else:
        verdict = "won" if winner is seat else "lost"
    if as_json:
        return json.dumps(
            {
                "game": number,
                "seat": seat and seat.value,
                "verdict": verdict,
                "ending": match.result.ending.value,
                "detail": match.result.detail,
            }
        )
    side = {Seat.FIRST: " as the first player", Seat.SECOND: " as the second player"}
    where = side[seat] if seat else ""
    return f"game {number}: {verdict}{where}, {match.result.ending.value}: {match.result.detail}"
