"""`gamehall play`: play in the terminal at a door of any server."""

import asyncio
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import click

from gamehall.cli.shared import (
    connection_error,
    connection_options,
    default_name,
    read_destination,
    wire_name,
)
from gamehall.clients.tcp import ConnectionFailedError, TcpClient
from gamehall.core import Game
from gamehall.players.commands import completions
from gamehall.players.conversation import vocabulary_of
from gamehall.players.person import Person, TurnClock
from gamehall.terminal.controller import TerminalController
from gamehall.terminal.screen import open_screen


@click.command(epilog="Example: gamehall play tttp://localhost:7003 --name ann")
@connection_options
@click.option("--name", help="Your name at the server. Default: your user name on this computer.")
def play(
    address: str,
    name: str | None,
    assignments: tuple[str, ...],
    tls_ca: Path | None,
    tls_insecure: bool,
    seconds_to_reconnect: float,
) -> None:
    """Play in the terminal at the door ADDRESS, as in tttp://localhost:7003.

    Type ? during the game for a list of commands. Ctrl-C leaves the game.
    """
    there = read_destination(address, assignments, tls_ca, tls_insecure)
    door, settings = there.address, there.settings
    own_name = wire_name(name if name is not None else default_name("player"), there)
    stdout: TextIO | None = sys.stdout
    if stdout is None:
        raise click.UsageError("standard output is closed: there is nowhere to show the board")
    game: Game[Any] = door.protocol.game_at(settings)
    person: Person[Any] = Person(
        name=own_name,
        game=game,
        answers=door.protocol.answers,
        vocabulary=vocabulary_of(door.protocol, settings),
        clock=TurnClock(door.protocol.clock_at(settings).seconds_per_turn, time.monotonic),
        is_tournament=door.protocol.is_for_tournaments,
    )
    person.greet(str(door))
    keys = _standard_input()

    async def converse() -> TcpClient:
        controller = TerminalController(
            person,
            open_screen(stdout, keys, partial(completions, person)),
            not keys.isatty(),
        )
        client = TcpClient(
            address=door,
            open_session=lambda: door.protocol.client(settings),
            player=person,
            controller=controller,
            clock=time.monotonic,
            tls=there.tls,
            seconds_to_reconnect=seconds_to_reconnect,
        )
        try:
            await client.run()
        finally:
            await controller.close()
        return client

    try:
        client = asyncio.run(converse())
    except ConnectionFailedError as error:
        raise click.ClickException(str(error)) from None
    if person.error is not None:
        raise connection_error(person.error, door, client)


def _standard_input() -> TextIO:
    """Return the standard input, or an empty one if it was closed before the program started."""
    return Path(os.devnull).open() if sys.__stdin__ is None else sys.__stdin__
