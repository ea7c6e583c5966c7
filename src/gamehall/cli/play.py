"""`gamehall play`: a person plays at a door, ours or another's, in the terminal."""

import asyncio
import dataclasses
import os
import sys
import time
from pathlib import Path
from typing import Any

import click

from gamehall.cli.visiting import of_a_visit, read_destination, usual_name
from gamehall.client.line import CannotVisit
from gamehall.core import Game
from gamehall.games.catalogue import all_games
from gamehall.terminal.commands import vocabulary_of
from gamehall.terminal.editor import Editor, PlainLines, Typist
from gamehall.terminal.keyboard import Keyboard
from gamehall.terminal.obeying import completions
from gamehall.terminal.person import Person
from gamehall.terminal.screen import open_screen
from gamehall.terminal.stay import Stay
from gamehall.terminal.turn_clock import TurnClock
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import DoorSettings

TURN_LIMITS = ("turn_seconds", "timeout", "move_timeout", "turn_timeout")
"""What doors call the setting for the seconds that a turn may take; 0 is no limit."""


@click.command(epilog="Example: gamehall play tttp://localhost:7003 --name ann")
@of_a_visit
@click.option("--name", help="What you are called there. Default: your name on this machine.")
def play(
    address: str,
    name: str | None,
    assignments: tuple[str, ...],
    tls_ca: Path | None,
    tls_insecure: bool,
) -> None:
    """Play in the terminal at the door ADDRESS, as in tttp://localhost:7003.

    Type ? there for what can be typed. Ctrl-C leaves.
    """
    door, settings, tls = read_destination(address, assignments, tls_ca, tls_insecure)
    is_shown: object = sys.stdout
    if is_shown is None:
        raise click.UsageError("standard output is closed: there is nowhere to show the board")
    game = _game(door.protocol, settings)
    person: Person[Any] = Person(
        name if name is not None else usual_name("player"),
        game,
        door.protocol.answers,
        vocabulary_of(door.protocol, settings, game),
        TurnClock(_seconds_per_turn(settings), time.monotonic),
    )
    person.greet(str(door))
    keys = _standard_input()
    is_typed_there = os.isatty(keys)
    is_live = is_typed_there and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    typist: Typist = Editor(lambda text: completions(person, text)) if is_live else PlainLines()

    async def stay() -> None:
        await Stay(
            door,
            door.protocol.client(settings),
            person,
            open_screen(sys.stdout, is_live, is_typed_there),
            Keyboard(keys, is_live),
            typist,
            time.monotonic,
            not is_typed_there,
            tls,
        ).run()

    try:
        asyncio.run(stay())
    except CannotVisit as error:
        raise click.ClickException(str(error)) from None
    if person.trouble is not None:
        raise click.ClickException(person.trouble)


def _game(protocol: AnyProtocol, settings: DoorSettings) -> Game[Any]:
    """The game at the door, on those terms that its settings tell under the same name."""
    kind = all_games()[protocol.game]
    terms = {
        term.name: getattr(settings, term.name)
        for term in dataclasses.fields(kind)  # type: ignore[arg-type]
        if isinstance(getattr(settings, term.name, None), type(term.default))
    }
    return kind(**terms)


def _seconds_per_turn(settings: DoorSettings) -> float | None:
    """No document has the server tell: whoever connects must know."""
    return (
        next((getattr(settings, one) for one in TURN_LIMITS if hasattr(settings, one)), 0) or None
    )


def _standard_input() -> int:
    """Its descriptor. If it was closed before we began, the number may be anybody's by now."""
    if sys.__stdin__ is None:
        return os.open(os.devnull, os.O_RDONLY)
    return sys.__stdin__.fileno()
