"""What several commands share: the data folder, and the options of a visit to a server."""

import getpass
import ssl
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

import click
from platformdirs import user_data_path

from gamehall.clients.address import Address, AddressError, read_address
from gamehall.clients.tcp import SECONDS_TO_RECONNECT
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.names import RESERVED, spell_in_ascii
from gamehall.rooms.requests import Join, Leave
from gamehall.wire.settings import DoorSettings, SettingError, read_settings

UNSPELT: Final = "player"
"""Instead of a name that has no spelling in ASCII."""


class Destination(NamedTuple):
    """Where to go, and how to speak there."""

    address: Address
    settings: DoorSettings
    tls: ssl.SSLContext | None


def of_a_visit(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument and the options that say where to go."""
    for option in (
        click.option(
            "--reconnect",
            "seconds_to_reconnect",
            type=click.FloatRange(0),
            default=SECONDS_TO_RECONNECT,
            show_default=True,
            metavar="SECONDS",
            help="How long to try to come back to a match when the connection is lost; 0: not"
            " at all.",
        ),
        click.option(
            "--tls-insecure",
            is_flag=True,
            help="Trust any certificate: only for a server of your own.",
        ),
        click.option(
            "--tls-ca",
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help="Certificate to trust at a door+tls:// address, if not everybody trusts it.",
        ),
        click.option(
            "--set",
            "assignments",
            multiple=True,
            metavar="OPTION=VALUE",
            help="How that door is set, where it is not as usual; `gamehall doors NAME` lists what"
            " can be.",
        ),
        click.argument("address"),
    ):
        command = option(command)
    return command


def read_destination(
    address: str, assignments: Iterable[str], authority: Path | None, trusts_all: bool
) -> Destination:
    """Where the command line says to go. Raises UsageError."""
    try:
        door = read_address(address, all_protocols())
        settings = read_settings(
            door.protocol.settings, dict(map(read_pair, assignments)), door.protocol.name
        )
    except (AddressError, SettingError) as error:
        raise click.UsageError(str(error)) from None
    return Destination(door, settings, _read_tls(authority, trusts_all) if door.tls else None)


def wire_name(name: str, there: Destination) -> str:
    """Return what a player of this name is called on a wire, and say so if that is not the same.

    Raises UsageError for a name that no server can read, going by the document.
    """
    spelt = name if name.isascii() else spell_in_ascii(name) or UNSPELT
    protocol = there.address.protocol
    # A session of ours, which no client is connected to, is told what the client would say.
    session = protocol.sessions(there.settings)(0.0)
    said = protocol.client(there.settings).send(Join(spelt))
    if not said:
        return name
    session.receive_data(said, 0.0)
    match session.next_request():
        case Leave(str(fault)):
            raise click.UsageError(f"--name at {protocol.name}: {fault}")
        case _:
            pass
    if spelt != name:
        click.echo(f"This wire carries names in ASCII: {name} is called {spelt} there.", err=True)
    return spelt


def is_read_by_a_person() -> bool:
    """Whether what is written to standard error is seen by somebody who can act on it."""
    # Whoever starts us may have closed it.
    shown: TextIO | None = sys.stderr
    return shown is not None and shown.isatty()


def complaint(error: str, address: Address, is_rejected: bool) -> click.ClickException:
    """What went wrong, and what a person may try who was turned away without a word."""
    if not is_rejected:
        return click.ClickException(error)
    door = address.protocol.name
    tls = "" if address.tls else f"; if it wants TLS: {door}+tls://"
    return click.ClickException(
        f"{address} hung up at once: is that the {door} door? gamehall serve prints the address of"
        f" each door{tls}"
    )


def read_pair(text: str) -> tuple[str, str]:
    """What is written NAME=VALUE. Raises UsageError."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"{text!r} says nothing: write NAME=VALUE")
    return name, value


def usual_name(otherwise: str) -> str:
    """What this user is called, in letters, which do at every door.

    `otherwise` if nobody is, or if doors keep that name for themselves.
    """
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        return otherwise
    letters = letters_of(name)
    return otherwise if letters in RESERVED else letters or otherwise


def letters_of(name: str) -> str:
    """What of a name is allowed in names at every door."""
    return "".join(letter for letter in name.lower() if letter.isascii() and letter.isalpha())[:15]


def _read_tls(authority: Path | None, trusts_all: bool) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=authority)
    except (OSError, ssl.SSLError) as error:
        raise click.UsageError(f"--tls-ca: cannot use {authority}: {error}") from None
    if trusts_all:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def folder_of_this_user() -> Path:
    """Return the folder for data of this user on this platform."""
    return user_data_path("gamehall", appauthor=False)
