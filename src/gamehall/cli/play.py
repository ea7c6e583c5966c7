"""`gamehall play`: a person plays at a door, ours or another's, in the terminal."""

import asyncio
import dataclasses
import getpass
import os
import ssl
import sys
import time
from pathlib import Path
from typing import Any

import click

from gamehall.client.address import BadAddress, read_address
from gamehall.client.visit import CannotVisit
from gamehall.core import Game
from gamehall.games.ascension import CARDS, Ascension, card_named
from gamehall.games.ascension.wording import counted, text_of
from gamehall.games.catalogue import all_games
from gamehall.protocols.catalogue import all_protocols
from gamehall.terminal.commands import vocabulary_of
from gamehall.terminal.editor import Editor, PlainLines, Typist
from gamehall.terminal.keyboard import Keyboard
from gamehall.terminal.obeying import completions
from gamehall.terminal.person import Person
from gamehall.terminal.screen import open_screen
from gamehall.terminal.stay import Stay
from gamehall.terminal.turn_clock import TurnClock
from gamehall.wire.protocol import AnyProtocol
from gamehall.wire.settings import BadSetting, DoorSettings, read_settings

TURN_LIMITS = ("turn_seconds", "timeout", "move_timeout", "turn_timeout")
"""What doors call the setting for the seconds that a turn may take; 0 is no limit."""


@click.command(epilog="Example: gamehall play tttp://localhost:7003 --name ann")
@click.argument("address")
@click.option("--name", help="What you are called there. Default: your name on this machine.")
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
def play(address: str, name: str | None, assignments: tuple[str, ...], tls_ca: Path | None) -> None:
    """Play in the terminal at the door ADDRESS, as in tttp://localhost:7003.

    Type ? there for what can be typed. Ctrl-C leaves.
    """
    try:
        door = read_address(address, all_protocols())
        settings = read_settings(
            door.protocol.settings, dict(map(_read_pair, assignments)), door.protocol.name
        )
    except (BadAddress, BadSetting) as error:
        raise click.UsageError(str(error)) from None
    tls = _read_tls(tls_ca) if door.tls else None
    is_shown: object = sys.stdout
    if is_shown is None:
        raise click.UsageError("standard output is closed: there is nowhere to show the board")
    person: Person[Any] = Person(
        name if name is not None else _usual_name(),
        _game(door.protocol, settings),
        door.protocol.answers,
        vocabulary_of(door.protocol, settings)._replace(
            explain=explain_card if door.protocol.game == Ascension.name else None
        ),
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


def explain_card(text: str) -> str:
    """What the card of this name costs, gives and does."""
    name = card_named(text)
    if name is None:
        return f"There is no card {text!r}: write one as the board does, as in card Mystic."
    card = CARDS[name]
    cost = f"{card.cost} power" if card.is_monster else counted(card.cost, "rune")
    return f"{name}, {card.kind.value}: {cost}, {card.honor} honor. {text_of(card)}"


def _standard_input() -> int:
    """Its descriptor. If it was closed before we began, the number may be anybody's by now."""
    if sys.__stdin__ is None:
        return os.open(os.devnull, os.O_RDONLY)
    return sys.__stdin__.fileno()


def _usual_name() -> str:
    try:
        letters = "".join(letter for letter in getpass.getuser().lower() if letter.isalpha())
    except (KeyError, OSError):
        letters = ""
    return letters or "player"


def _read_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"{text!r} says nothing: write NAME=VALUE")
    return name, value


def _read_tls(authority: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=authority)
    except (OSError, ssl.SSLError) as error:
        raise click.UsageError(f"--tls-ca: cannot use {authority}: {error}") from None
