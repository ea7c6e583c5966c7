"""`gamehall check`: check whether a server or a client follows its protocol."""

import contextlib
import json

import click

from gamehall.cli.shared import (
    door_settings_option,
    json_option,
    read_door,
    read_pair,
    stderr_is_terminal,
)
from gamehall.clients.address import Address
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
from gamehall.wire.settings import DoorSettings

FAILURE = 1


@click.command(epilog="Example: gamehall check tttp://localhost:7003")
@click.argument("address")
@click.option(
    "--listen",
    is_flag=True,
    help="Listen at ADDRESS as a server, and check the client that connects.",
)
@door_settings_option
@click.option(
    "--restart-command",
    metavar="CMD",
    help="Run CMD whenever no server accepts connections at ADDRESS, and stop it after the checks.",
)
@json_option
def check(
    address: str,
    listen: bool,
    assignments: tuple[str, ...],
    restart_command: str | None,
    as_json: bool,
) -> int:
    """Check the server at ADDRESS against its protocol, as in tttp://localhost:7003.

    Prints for each clause of the protocol whether it passed, failed or was not checked, and why.
    The exit code is 1 if a clause failed, or if none could be checked.
    """
    values = dict(map(read_pair, assignments))
    door, settings = read_door(address, values)
    if door.tls:
        raise click.UsageError("checks do not support TLS: give an address without +tls")
    if listen and restart_command is not None:
        raise click.UsageError("--restart-command checks a server, and --listen checks a client")
    if listen:
        findings = _check_client(door, values, as_json)
    else:
        findings = _check_server(door, settings, restart_command)
    _clear_progress()
    if as_json:
        click.echo(json.dumps(describe(findings, str(door)), indent=2))
    else:
        click.echo(write_report(findings))
    return 0 if has_passed(findings) else FAILURE


def _check_server(
    door: Address, settings: DoorSettings, restart_command: str | None
) -> list[Finding]:
    checklist = load_checklist(door.protocol)
    if checklist is None:
        raise click.ClickException(
            f"there are no checks of a {door.protocol.name} server yet: see"
            " docs/guides/adding-a-protocol.md for how to add some; --listen checks a client"
        )
    try:
        launcher = None if restart_command is None else Launcher(restart_command)
    except ValueError as error:
        raise click.UsageError(f"--restart-command {restart_command!r}: {error}") from None
    try:
        with launcher or contextlib.nullcontext():
            return runner.run(
                checklist, door.host, door.port, settings, _show_progress, launcher=launcher
            )
    except ServerGoneError as error:
        raise click.ClickException(f"cannot connect to {door}: {error}") from None


def _check_client(door: Address, values: dict[str, str], as_json: bool) -> list[Finding]:
    def print_address(port: int) -> None:
        # With --json, standard output has nothing but the report.
        click.echo(f"listening {door.protocol.name} {door.host}:{port}", err=as_json)

    def ask_to_reconnect(seconds: float) -> None:
        click.echo(
            f"connect the client again within {seconds:.0f} s to check it in the other seat",
            err=True,
        )

    try:
        return listening.run(
            door.protocol,
            door.host,
            door.port,
            values,
            print_address,
            ask_to_return=ask_to_reconnect,
        )
    except OSError as error:
        raise click.UsageError(f"cannot listen at {door}: {error.strerror}") from None


def _show_progress(done: int, of: int, clause: str) -> None:
    """Show the progress on one line, if standard error is a terminal."""
    if stderr_is_terminal():
        click.echo(f"\r\x1b[K{done}/{of} {clause}", nl=False, err=True)


def _clear_progress() -> None:
    if stderr_is_terminal():
        click.echo("\r\x1b[K", nl=False, err=True)
