"""Options and helpers that several commands share."""

import getpass
import ssl
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

import click
from platformdirs import user_data_path

from gamehall.clients.address import Address, AddressError, read_address
from gamehall.clients.tcp import SECONDS_TO_RECONNECT, TcpClient
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.names import RESERVED, spell_in_ascii
from gamehall.rooms.requests import Join, Leave
from gamehall.wire.settings import DoorSettings, SettingError, read_settings
from gamehall.wire.sign_up import SECRET_SEPARATOR

FALLBACK_NAME: Final = "player"
"""The name on the wire of a player whose own name cannot be spelt in ASCII."""

POSITIVE = click.FloatRange(0, min_open=True)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")

data_option = click.option(
    "--data",
    metavar="DIR|URL",
    help="Folder or postgresql:// URL of the stored data. Default:"
    " ~/.local/share/gamehall on Linux.",
)

door_settings_option = click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="OPTION=VALUE",
    help="A setting of the door that differs from its default; `gamehall doors NAME` lists the"
    " settings.",
)

thinking_time_option = click.option(
    "--seconds",
    type=POSITIVE,
    metavar="SECONDS",
    help="Time per move of bots that can think for a chosen time, such as mcts.",
)


def memory_option(default: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option --memory with this default, in megabytes."""
    return click.option(
        "--memory",
        type=click.IntRange(256),
        default=default,
        show_default=True,
        metavar="MEGABYTES",
        help="Memory limit of a bot that runs in its own process. A bot that exceeds it has"
        " crashed.",
    )


class Destination(NamedTuple):
    """The door to connect to, with its settings."""

    address: Address
    settings: DoorSettings
    tls: ssl.SSLContext | None


def connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument ADDRESS and the options of a connection to a command."""
    for option in (
        click.option(
            "--reconnect",
            "seconds_to_reconnect",
            type=click.FloatRange(0),
            default=SECONDS_TO_RECONNECT,
            show_default=True,
            metavar="SECONDS",
            help="How long to try to reconnect to a match after the connection was lost; 0: do not"
            " try.",
        ),
        click.option(
            "--tls-insecure",
            is_flag=True,
            help="Accept any certificate. Use this only with a server of your own.",
        ),
        click.option(
            "--tls-ca",
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE",
            help="Certificate to trust at a door+tls:// address, instead of those that this"
            " computer trusts.",
        ),
        door_settings_option,
        click.argument("address"),
    ):
        command = option(command)
    return command


def read_destination(
    address: str, assignments: Iterable[str], authority: Path | None, trusts_all: bool
) -> Destination:
    """Read the address and the connection options. Raises UsageError."""
    door, settings = read_door(address, dict(map(read_pair, assignments)))
    return Destination(door, settings, _read_tls(authority, trusts_all) if door.tls else None)


def read_door(address: str, values: dict[str, str]) -> tuple[Address, DoorSettings]:
    """Read an address, and the settings of the door there. Raises UsageError."""
    try:
        door = read_address(address, all_protocols())
        return door, read_settings(door.protocol.settings, values, door.protocol.name)
    except (AddressError, SettingError) as error:
        raise click.UsageError(str(error)) from None


def wire_name(name: str, there: Destination) -> str:
    """Return the name of this player on the wire, and print it if it differs.

    Raises UsageError for a name that the protocol does not allow.
    """
    spelt = name if name.isascii() else spell_in_ascii(name) or FALLBACK_NAME
    protocol = there.address.protocol
    # Try the name on a server session of our own that has no connection.
    session = protocol.sessions(there.settings)(0.0)
    sent = protocol.client(there.settings).send(Join(spelt))
    if not sent:
        # This protocol has no names.
        return name
    session.receive_data(sent, 0.0)
    match session.next_request():
        case Leave(str(fault)):
            hint = ""
            if SECRET_SEPARATOR in spelt and not there.settings.secrets:
                hint = "; if players have secrets there, add --set secrets=true"
            raise click.UsageError(f"--name at {protocol.name}: {fault}{hint}")
        case _:
            pass
    if spelt != name:
        click.echo(f"This protocol has ASCII names only: {name} is called {spelt} there.", err=True)
    return spelt


def stderr_is_terminal() -> bool:
    # It is None if it was closed before the program started.
    stream: TextIO | None = sys.stderr
    return stream is not None and stream.isatty()


def connection_error(error: str, address: Address, client: TcpClient) -> click.ClickException:
    """Return the error to show, with advice if the server seems to speak another protocol."""
    if not (client.is_rejected or client.is_foreign):
        return click.ClickException(error)
    if client.is_rejected:
        error = f"{address} closed the connection at once"
    door = address.protocol.name
    tls = "" if address.tls else f"; if it needs TLS, write {door}+tls://"
    return click.ClickException(
        f"{error}: is that the {door} door? gamehall serve prints the address of each door{tls}"
    )


def read_pair(text: str) -> tuple[str, str]:
    """Split NAME=VALUE. Raises UsageError."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"{text!r} is not NAME=VALUE")
    return name, value


def default_name(fallback: str) -> str:
    """Return the name of this user in lower-case letters, which every door allows.

    Return the fallback if the user has no name, or if doors reserve that name.
    """
    try:
        letters = letters_of(getpass.getuser())
    except (KeyError, OSError):
        return fallback
    return fallback if letters in RESERVED else letters or fallback


def letters_of(name: str) -> str:
    """Return the part of a name that every door allows: up to 15 lower-case ASCII letters."""
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


def user_data_folder() -> Path:
    """Return the folder for data of this user on this platform."""
    return user_data_path("gamehall", appauthor=False)
