"""`gamehall bot`: a bot plays at a door, ours or another's."""

import asyncio
import json
import secrets
import time
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import click

from gamehall.bots import Bot
from gamehall.bots.visitor import PlayedMatch, Visitor
from gamehall.cli import logs
from gamehall.cli.shared import (
    Destination,
    check_name,
    complaint,
    is_read_by_a_person,
    letters_of,
    of_a_visit,
    read_destination,
    read_pair,
    usual_name,
)
from gamehall.client.connection import Address, CannotVisit
from gamehall.client.visit import Visit
from gamehall.core import Game, Seat
from gamehall.engines.choice import (
    WORDS,
    BotChoiceError,
    BotLoadError,
    Choice,
    EngineStartError,
    choose_bot,
)
from gamehall.engines.watchdog import WatchedBot
from gamehall.match import Ending
from gamehall.rooms.requests import Rematch

SECONDS_TO_LOAD = 600.0
"""How long a bot with a limit may take to get ready: some have to be compiled first."""
SECONDS_TO_LEAVE = 5.0
"""How long a bot that is over its limit may take to leave, before its program is ended."""


class Guest(NamedTuple):
    """What is called for at a door besides moves."""

    name: str
    other_names: list[str]
    answers: dict[str, str]
    games: int | None
    game: Game[Any]
    """What is played, as far as can be known beforehand."""
    limit: float | None
    """How many seconds the bot may take over a move, None: as many as it likes."""


@click.command(
    epilog="Example: gamehall bot go-text://localhost --bot 'gtp:gnugo --mode gtp'"
    " --answer boardsize=9"
)
@of_a_visit
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
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="How long it thinks over a move, if it is one that takes its time.",
)
@click.option(
    "--limit",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Leave if it takes longer over a move. Default: wait for ever.",
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
    assignments: tuple[str, ...],
    tls_ca: Path | None,
    tls_insecure: bool,
    seconds: float | None,
    limit: float | None,
    seed: int | None,
    as_json: bool,
    log_level: str,
) -> None:
    """Have a bot play at the door ADDRESS, as in tttp://localhost:7003.

    Prints a line for each game that is over.
    """
    there = read_destination(address, assignments, tls_ca, tls_insecure)
    door = there.address
    said = _read_answers(door, answers)
    try:
        choice = choose_bot(bot_name, door.protocol.game, time.monotonic, seconds)
    except BotChoiceError as error:
        raise click.UsageError(str(error)) from None
    chance = secrets.randbits(63) if seed is None else seed
    background = logs.set_up(log_level)
    # Several bots of one person are often at one door.
    player = name or f"{usual_name('')}{letters_of(choice.name)}"
    check_name(player, there)
    others = [] if name else [player + letter for letter in ascii_lowercase[1:]]
    try:
        game = door.protocol.game_at(there.settings)
        guest = Guest(player, others, said, games, game, limit)
        asyncio.run(_play(there, choice, chance, guest, as_json))
    finally:
        background.finish()


async def _play(there: Destination, choice: Choice, seed: int, guest: Guest, as_json: bool) -> None:
    """Visits until so many games are played; each visit has a bot of its own."""
    played = 0
    while True:
        wanted = None if guest.games is None else guest.games - played
        session = there.address.protocol.client(there.settings)
        has_rematch = bool(session.send(Rematch()))
        visitor: Visitor[Any] = Visitor(
            guest.name,
            guest.answers,
            wanted,
            game=guest.game,
            other_names=guest.other_names,
            skips_void=has_rematch,
            has_rematch=has_rematch,
        )
        try:
            thinker = _make_bot(choice, seed + played, guest.limit)
        except (BotLoadError, EngineStartError) as error:
            raise click.UsageError(str(error)) from None
        tell = _tell_of_waiting if is_read_by_a_person() else None
        visit = Visit(
            there.address,
            session,
            visitor,
            thinker,
            time.monotonic,
            there.tls,
            tell,
            guest.limit,
        )
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
            raise complaint(visitor.trouble, there.address, visit.is_turned_away)
        if guest.games is None or played >= guest.games:
            return


def _make_bot(choice: Choice, seed: int, limit: float | None) -> Bot[Any]:
    """Return the bot, watched if there is a limit. Raises BotLoadError and EngineStartError."""
    if limit is None:
        return choice.make(seed)
    return WatchedBot(lambda: choice.make(seed), SECONDS_TO_LOAD, limit + SECONDS_TO_LEAVE)


def _tell_of_waiting() -> None:
    click.echo("waiting for an opponent to come or to move", err=True)


def _read_answers(address: Address, answers: tuple[str, ...]) -> dict[str, str]:
    said = dict(address.protocol.answers)
    for question, value in map(read_pair, answers):
        if question not in said:
            there = ", ".join(said) or "nothing"
            raise click.UsageError(
                f"{address.protocol.name} does not ask for {question!r}; it asks for: {there}"
            )
        said[question] = value
    return said


UNFINISHED = "cancelled"
"""The verdict on a match that nobody has won and that is no draw, for programs that read it."""


def _write_match(number: int, match: PlayedMatch[Any], as_json: bool) -> str:
    winner, seat = match.result.winner, match.seat
    if winner is None:
        is_drawn = match.position is not None and match.position.outcome is not None
        is_cancelled = match.result.ending is Ending.CANCELLED
        # What was neither has ended without the server saying who has won.
        verdict = UNFINISHED if is_cancelled else "drawn" if is_drawn else "over"
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
    if verdict == UNFINISHED:
        verdict = "unfinished"
    return f"game {number}: {verdict}{where}: {match.result.how}"
