"""`gamehall check`: is a server, or a client, true to its protocol?"""

import contextlib
import json
import sys

import click

from gamehall.clients.address import Address, AddressError, read_address
from gamehall.conformance import listening, runner
from gamehall.conformance.checklist import (
    Finding,
    describe,
    has_passed,
    load_checklist,
    write_report,
)
from gamehall.conformance.connection import ServerGoneError
from gamehall.conformance.target import Launcher
from gamehall.protocols.catalogue import all_protocols
from gamehall.wire.settings import DoorSettings, SettingError, read_settings

FAILURE = 1


@click.command(epilog="Example: gamehall check tttp://localhost:7003")
@click.argument("address")
@click.option(
    "--listen",
    is_flag=True,
    help="Listen at ADDRESS as a server, and check the client that connects.",
)
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="OPTION=VALUE",
    help="How that door is set, where it is not as usual; `gamehall doors NAME` lists what can be.",
)
@click.option(
    "--restart-command",
    metavar="CMD",
    help="Run CMD whenever no server accepts connections at ADDRESS, and end it at last.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the report for programs to read.")
def check(
    address: str,
    listen: bool,
    assignments: tuple[str, ...],
    restart_command: str | None,
    as_json: bool,
) -> int:
    """Play the clauses of a protocol against the server at ADDRESS, as in tttp://localhost:7003.

    Prints for each clause whether it passed, failed or was not checked, and why. The exit code is
    1 if any failed, or none could be checked.
    """
    try:
        door = read_address(address, all_protocols())
        values = dict(map(_read_pair, assignments))
        settings = read_settings(door.protocol.settings, values, door.protocol.name)
    except (AddressError, SettingError) as error:
        raise click.UsageError(str(error)) from None
    if getattr(door, "tls", False):
        raise click.UsageError("checks look at the bytes themselves: name an address without +tls")
    if listen and restart_command is not None:
        raise click.UsageError("--restart-command is for a server, and --listen checks a client")
    findings = _listen(door, values, as_json) if listen else _visit(door, settings, restart_command)
    _clear()
    if as_json:
        click.echo(json.dumps(describe(findings, str(door)), indent=2))
    else:
        click.echo(write_report(findings))
    return 0 if has_passed(findings) else FAILURE


def _visit(door: Address, settings: DoorSettings, restart_command: str | None) -> list[Finding]:
    checklist = load_checklist(door.protocol)
    if checklist is None:
        raise click.ClickException(
            f"there are no checks of a {door.protocol.name} server yet;"
            " docs/guides/adding-a-protocol.md says how to add some, and --listen checks a client"
        )
    try:
        launcher = None if restart_command is None else Launcher(restart_command)
    except ValueError as error:
        raise click.UsageError(f"--restart-command {restart_command!r}: {error}") from None
    try:
        with launcher or contextlib.nullcontext():
            return runner.run(checklist, door.host, door.port, settings, _show, launcher=launcher)
    except ServerGoneError as why:
        raise click.ClickException(f"cannot connect to {door}: {why}") from None


def _listen(door: Address, values: dict[str, str], as_json: bool) -> list[Finding]:
    def report_port(port: int) -> None:
        # Standard output is for the JSON then.
        click.echo(f"listening {door.protocol.name} {door.host}:{port}", err=as_json)

    def ask_to_return(seconds: float) -> None:
        click.echo(
            f"connect the client again within {seconds:.0f} s, and it is given the other seat",
            err=True,
        )

    try:
        return listening.run(
            door.protocol, door.host, door.port, values, report_port, ask_to_return=ask_to_return
        )
    except OSError as error:
        raise click.UsageError(f"cannot listen at {door}: {error.strerror}") from None


def _read_pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"{text!r} says nothing: write NAME=VALUE")
    return name, value


def _show(done: int, of: int, now: str) -> None:
    """Show the progress on one line, if standard error is a terminal."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{done}/{of} {now}", nl=False, err=True)


def _clear() -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
