"""`gamehall play`: a person plays at a door, ours or another's, in the terminal."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import click

from gamehall.cli.shared import check_name, complaint, of_a_visit, read_destination, usual_name
from gamehall.clients.tcp import ConnectionFailedError, TcpClient
from gamehall.core import Game
from gamehall.players.commands import completions
from gamehall.players.conversation import vocabulary_of
from gamehall.players.person import Person, TurnClock
from gamehall.terminal.front import TerminalFront
from gamehall.terminal.line_editor import Editor, Keyboard, LineEditor, PlainLines
from gamehall.terminal.screen import open_screen


@click.command(epilog="Example: gamehall play tttp://localhost:7003 --name ann")
@of_a_visit
@click.option("--name", help="What you are called there. Default: your name on this machine.")
def play(
    address: str,
    name: str | None,
    assignments: tuple[str, ...],
    tls_ca: Path | None,
    tls_insecure: bool,
    seconds_to_reconnect: float,
) -> None:
    """Play in the terminal at the door ADDRESS, as in tttp://localhost:7003.

    Type ? there for what can be typed. Ctrl-C leaves.
    """
    there = read_destination(address, assignments, tls_ca, tls_insecure)
    door, settings = there.address, there.settings
    own_name = name if name is not None else usual_name("player")
    check_name(own_name, there)
    is_shown: object = sys.stdout
    if is_shown is None:
        raise click.UsageError("standard output is closed: there is nowhere to show the board")
    game: Game[Any] = door.protocol.game_at(settings)
    person: Person[Any] = Person(
        own_name,
        game,
        door.protocol.answers,
        vocabulary_of(door.protocol, settings),
        TurnClock(door.protocol.clock_at(settings).seconds_per_turn, time.monotonic),
        door.protocol.is_for_tournaments,
    )
    person.greet(str(door))
    keys = _standard_input()
    is_typed_there = os.isatty(keys)
    is_live = is_typed_there and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    line_editor: LineEditor = (
        Editor(lambda text: completions(person, text)) if is_live else PlainLines()
    )

    async def converse() -> bool:
        """Return whether the person was turned away at once."""
        front = TerminalFront(
            person,
            open_screen(sys.stdout, is_live, is_typed_there),
            Keyboard(keys, is_live),
            line_editor,
            not is_typed_there,
        )
        client = TcpClient(
            door,
            lambda: door.protocol.client(settings),
            person,
            front,
            time.monotonic,
            there.tls,
            seconds_to_reconnect,
        )
        try:
            await client.run()
        finally:
            front.close()
        return client.is_turned_away

    try:
        is_turned_away = asyncio.run(converse())
    except ConnectionFailedError as error:
        raise click.ClickException(str(error)) from None
    if person.error is not None:
        raise complaint(person.error, door, is_turned_away)


def _standard_input() -> int:
    """Its descriptor. If it was closed before we began, the number may be anybody's by now."""
    if sys.__stdin__ is None:
        return os.open(os.devnull, os.O_RDONLY)
    return sys.__stdin__.fileno()
