"""`gamehall bot`: have a bot play at a door of any server."""

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
    POSITIVE,
    Destination,
    connection_error,
    connection_options,
    default_name,
    json_option,
    letters_of,
    memory_option,
    read_destination,
    read_pair,
    stderr_is_terminal,
    thinking_time_option,
    wire_name,
)
from gamehall.clients.address import Address
from gamehall.clients.tcp import ConnectionFailedError, TcpClient
from gamehall.clients.thinker import Thinker, first_line
from gamehall.core import Position, Seat
from gamehall.engines.bot_text import display_name
from gamehall.engines.choice import WORDS, BotChoiceError, check_choice
from gamehall.engines.guarded import IsolatedBot, Limits
from gamehall.match import Ending
from gamehall.match.events import NAMED_BY_DETAIL
from gamehall.players.bot_player import BotPlayer
from gamehall.players.conversation import PlayedMatch, vocabulary_of
from gamehall.wire.sign_up import SECRET_SEPARATOR

CPU_SECONDS = 10_000_000
"""Per match: practically no limit, unlike in the arena."""


class Participant(NamedTuple):
    """A bot and its options."""

    bot: str
    """The bot as it was written on the command line."""
    name: str
    other_names: list[str]
    """Names to try when the first is taken."""
    label: str
    """Printed before each result: the name without its secret, if the user has chosen one."""
    answers: dict[str, str]
    """Answers to the server's questions about the terms."""
    games: int | None
    seconds_per_move: float | None
    """The thinking time to set, None for the bot's default."""
    limit: float | None
    """The seconds per move after which the bot leaves, None without a limit."""
    megabytes: int
    seconds_to_reconnect: float


@click.command(
    epilog="Example: gamehall bot go-text://localhost --bot 'gtp:gnugo --mode gtp'"
    " --answer boardsize=9"
)
@connection_options
@click.option("--bot", "bot_name", required=True, metavar="BOT", help=f"The bot: {WORDS}.")
@click.option(
    "--name",
    help="Name of the bot at the server, printed before its results. Default: your name and the"
    " bot's, not printed.",
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    help="Number of games to play. Default: one game, or one tournament.",
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="QUESTION=VALUE",
    help="Answer to a question of the server about the terms, as in boardsize=9.",
)
@thinking_time_option
@click.option(
    "--limit",
    type=POSITIVE,
    metavar="SECONDS",
    help="Leave the server if the bot takes longer over a move. Default: no limit.",
)
@memory_option(default=8192)
@click.option("--seed", type=int, help="Make the random choices of the bot reproducible.")
@json_option
@click.option(
    "--log-level",
    type=click.Choice(logs.LEVELS),
    default="warning",
    show_default=True,
    help="Least severe log messages to show; debug includes the commands to a GTP engine.",
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

    Prints a line for each finished game.
    """
    there = read_destination(address, assignments, tls_ca, tls_insecure)
    known_answers = _read_answers(there.address, answers)
    try:
        check_choice(bot_name, there.address.protocol.game)
    except BotChoiceError as error:
        raise click.UsageError(str(error)) from None
    log_handler = logs.set_up(log_level)
    own_name = f"{default_name('')}{letters_of(display_name(bot_name))}"
    player_name = wire_name(name or own_name, there)
    # A user often runs several bots at one door: annbot, annbotb, annbotc...
    other_names = [] if name else [player_name + letter for letter in ascii_lowercase[1:]]
    participant = Participant(
        bot=bot_name,
        name=player_name,
        other_names=other_names,
        label=f"{name.partition(SECRET_SEPARATOR)[0]}: " if name else "",
        answers=known_answers,
        games=games,
        seconds_per_move=seconds,
        limit=limit,
        megabytes=memory,
        seconds_to_reconnect=seconds_to_reconnect,
    )
    try:
        first_seed = secrets.randbits(63) if seed is None else seed
        asyncio.run(_play(there, participant, first_seed, as_json))
    finally:
        log_handler.finish()


async def _play(there: Destination, participant: Participant, seed: int, as_json: bool) -> None:
    """Connect until enough games were played, each time with a new instance of the bot."""
    played = 0
    while True:
        protocol = there.address.protocol
        player: BotPlayer[Any] = BotPlayer(
            name=participant.name,
            vocabulary=vocabulary_of(protocol, there.settings),
            answers=participant.answers,
            is_tournament=protocol.is_for_tournaments,
            game=protocol.game_at(there.settings),
            other_names=participant.other_names,
            matches_wanted=None if participant.games is None else participant.games - played,
            say=partial(click.echo, err=True),
        )
        client, failed_at = await _connect(there, participant, player, seed + played)
        for match in player.matches:
            played += 1
            label = "" if as_json else participant.label
            click.echo(f"{label}{_write_match(played, match, as_json)}")
        if player.error is not None:
            if failed_at is not None:
                click.echo(failed_at.diagram(), err=True)
            raise connection_error(player.error, there.address, client)
        if participant.games is None or played >= participant.games:
            return


async def _connect(
    there: Destination, participant: Participant, player: BotPlayer[Any], seed: int
) -> tuple[TcpClient, Position[Any] | None]:
    """Play over one connection until the player is done.

    Return the client, and the position in which the bot failed, if it did.
    """
    assert player.game is not None
    limits = Limits(seconds_per_move=None, megabytes=participant.megabytes, cpu_seconds=CPU_SECONDS)
    thinker = Thinker(
        player,
        IsolatedBot(
            text=participant.bot,
            game=player.game,
            limits=limits,
            seconds_per_move=participant.seconds_per_move,
            echo=_echo,
        ),
        time.monotonic,
        limit=participant.limit,
        say=partial(click.echo, err=True),
        tell_of_waiting=stderr_is_terminal(),
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
            controller=thinker,
            clock=time.monotonic,
            tls=there.tls,
            seconds_to_reconnect=participant.seconds_to_reconnect,
        )
        await client.run()
    except ConnectionFailedError as error:
        raise click.ClickException(str(error)) from None
    finally:
        await thinker.close()
    return client, thinker.failed_at


def _echo(printed: bytes) -> None:
    """Write what the bot prints to standard error: standard output has the results."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(printed.decode("utf-8", "replace"))
        sys.stderr.flush()


def _read_answers(address: Address, answers: tuple[str, ...]) -> dict[str, str]:
    """Return the protocol's default answers, with those of the command line. Raises UsageError."""
    found = dict(address.protocol.answers)
    for question, value in map(read_pair, answers):
        if question not in found:
            questions = ", ".join(found) or "nothing"
            raise click.UsageError(
                f"{address.protocol.name} does not ask for {question!r}; it asks for: {questions}"
            )
        found[question] = value
    return found


CANCELLED = "cancelled"
"""The verdict in JSON on a match without a winner that is not a draw."""


def _write_match(number: int, match: PlayedMatch[Any], as_json: bool) -> str:
    winner, seat = match.result.winner, match.seat
    if winner is None:
        is_drawn = match.position is not None and match.position.outcome is not None
        is_cancelled = match.result.ending is Ending.CANCELLED
        # Otherwise the server has not said who won: "over".
        verdict = CANCELLED if is_cancelled else "drawn" if is_drawn else "over"
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
    if verdict == CANCELLED:
        verdict = "unfinished"
    # A single word from a protocol, such as WINNER, only repeats who has won.
    is_word = match.result.ending in NAMED_BY_DETAIL and match.result.detail.isalpha()
    how = "" if is_word else f": {match.result.how}"
    return f"game {number}: {verdict}{where}{how}"
