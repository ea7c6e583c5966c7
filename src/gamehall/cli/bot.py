"""`gamehall bot`: a bot plays at a door, ours or another's."""

import asyncio
import contextlib
import json
import secrets
import sys
import time
from functools import partial
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

import click

from gamehall.bots import BotError
from gamehall.cli import logs
from gamehall.cli.shared import (
    Destination,
    complaint,
    is_read_by_a_person,
    letters_of,
    of_a_visit,
    read_destination,
    read_pair,
    usual_name,
    wire_name,
)
from gamehall.clients.address import Address
from gamehall.clients.tcp import ConnectionFailedError, TcpClient
from gamehall.clients.thinker import Thinker, first_line
from gamehall.core import Position, Seat
from gamehall.engines.bot_text import short_name
from gamehall.engines.choice import WORDS, BotChoiceError, check_choice
from gamehall.engines.guarded import GuardedBot, Limits
from gamehall.match import Ending
from gamehall.match.events import NAMED_BY_DETAIL
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import PlayedMatch, vocabulary_of

CPU_SECONDS = 10_000_000
"""In a match: a bot of a user may think for as long as it likes."""


class Participant(NamedTuple):
    """Who plays, and what is called for at a door besides moves."""

    bot: str
    """As it is written on the command line."""
    name: str
    other_names: list[str]
    answers: dict[str, str]
    games: int | None
    seconds: float | None
    """How long the bot thinks over a move, if it takes its time."""
    limit: float | None
    """How many seconds it may take over a move, None: as many as it likes."""
    megabytes: int
    seconds_to_reconnect: float


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
@click.option(
    "--memory",
    type=click.IntRange(256),
    default=8192,
    show_default=True,
    metavar="MEGABYTES",
    help="How much it may use; with more it has failed.",
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
    memory: int,
    seconds_to_reconnect: float,
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
        check_choice(bot_name, door.protocol.game)
    except BotChoiceError as error:
        raise click.UsageError(str(error)) from None
    chance = secrets.randbits(63) if seed is None else seed
    background = logs.set_up(log_level)
    # Several bots of one person are often at one door.
    player = wire_name(name or f"{usual_name('')}{letters_of(short_name(bot_name))}", there)
    others = [] if name else [player + letter for letter in ascii_lowercase[1:]]
    participant = Participant(
        bot=bot_name,
        name=player,
        other_names=others,
        answers=said,
        games=games,
        seconds=seconds,
        limit=limit,
        megabytes=memory,
        seconds_to_reconnect=seconds_to_reconnect,
    )
    try:
        asyncio.run(_play(there, participant, chance, as_json))
    finally:
        background.finish()


async def _play(there: Destination, who: Participant, seed: int, as_json: bool) -> None:
    """Connect until enough games are played; for each connection there is a fresh bot."""
    played = 0
    while True:
        protocol = there.address.protocol
        player: BotPlayer[Any] = BotPlayer(
            name=who.name,
            vocabulary=vocabulary_of(protocol, there.settings),
            answers=who.answers,
            is_tournament=protocol.is_for_tournaments,
            game=protocol.game_at(there.settings),
            other_names=who.other_names,
            matches_wanted=None if who.games is None else who.games - played,
        )
        is_rejected, failed_at = await _connect(there, who, player, seed + played)
        for match in player.matches:
            played += 1
            click.echo(_write_match(played, match, as_json))
        if player.error is not None:
            if failed_at is not None:
                click.echo(failed_at.diagram(), err=True)
            raise complaint(player.error, there.address, is_rejected)
        if who.games is None or played >= who.games:
            return


async def _connect(
    there: Destination, who: Participant, player: BotPlayer[Any], seed: int
) -> tuple[bool, Position[Any] | None]:
    """Play until the player is done.

    Return whether it was turned away at once, and where its bot could not go on.
    """
    assert player.game is not None
    limits = Limits(seconds_per_move=None, megabytes=who.megabytes, cpu_seconds=CPU_SECONDS)
    thinker = Thinker(
        player,
        GuardedBot(
            text=who.bot, game=player.game, limits=limits, seconds_per_move=who.seconds, echo=_echo
        ),
        time.monotonic,
        limit=who.limit,
        say=partial(click.echo, err=True),
        tell_of_waiting=is_read_by_a_person(),
    )
    try:
        try:
            await thinker.begin(seed)
        except BotError as fault:
            raise click.UsageError(first_line(fault)) from None
        client = TcpClient(
            address=there.address,
            open_session=lambda: there.address.protocol.client(there.settings),
            player=player,
            front=thinker,
            clock=time.monotonic,
            tls=there.tls,
            seconds_to_reconnect=who.seconds_to_reconnect,
        )
        await client.run()
    except ConnectionFailedError as error:
        raise click.ClickException(str(error)) from None
    finally:
        await thinker.close()
    return client.is_rejected, thinker.failed_at


def _echo(printed: bytes) -> None:
    """Show what a bot prints, where it cannot be taken for a result."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(printed.decode("utf-8", "replace"))
        sys.stderr.flush()


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
    # A single word of a document, such as WINNER, says only again who has won.
    is_word = match.result.ending in NAMED_BY_DETAIL and match.result.detail.isalpha()
    how = "" if is_word else f": {match.result.how}"
    return f"game {number}: {verdict}{where}{how}"
