"""Write the lists of commands and settings anew: python docs/reference/make.py

What stands above the marker in a page is written by hand. A test compares the pages with what this
writes.
"""

from pathlib import Path

import click
from msgspec.structs import fields

from gamehall.cli.main import commands
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.plan import WEB, WEB_PORT, WEB_TITLE, WebSettings
from gamehall.wire.settings import DoorSettings, SettingLine, list_settings

FOLDER = Path(__file__).parent
MARKER = "<!-- What follows is written by docs/reference/make.py. -->\n"


def write() -> dict[str, str]:
    """Return the pages by the names of their files."""
    written = {"commands.md": write_commands(), "settings.md": write_settings()}
    pages = {}
    for name, text in written.items():
        by_hand, marker, _ = (FOLDER / name).read_text(encoding="utf-8").partition(MARKER)
        pages[name] = by_hand + marker + text
    return pages


def write_commands() -> str:
    """Return what every command prints with `--help`."""
    settings = {**commands.context_settings, "terminal_width": 100}
    root = click.Context(commands, info_name="gamehall", **settings)
    return "".join(
        _write_help(root, name, command)
        for name in commands.list_commands(root)
        if (command := commands.get_command(root, name)) is not None
    )


def _write_help(parent: click.Context, name: str, command: click.Command) -> str:
    context = click.Context(command, parent, name, terminal_width=100)
    written = f"\n## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for child in sorted(command.commands):
            written += _write_help(context, child, command.commands[child])
    return written


def write_settings() -> str:
    """Return a table of settings for each door, and one of those that every door has."""
    shared = {field.encode_name for field in fields(DoorSettings)}
    protocols = list(all_protocols().values())
    written = _write_table(
        [line for line in list_settings(protocols[0].settings) if line.name in shared]
    )
    for protocol in protocols:
        written += f"\n## {protocol.name}\n\n{protocol.title}. Port {protocol.port}.\n"
        written += _write_table(
            [line for line in list_settings(protocol.settings) if line.name not in shared]
        )
    written += f"\n## {WEB}\n\n{WEB_TITLE}. Port {WEB_PORT}.\n"
    return written + _write_table(list_settings(WebSettings))


def _write_table(lines: list[SettingLine]) -> str:
    rows = "".join(f"| `{one.name}` | {one.default} | {one.description} |\n" for one in lines)
    return f"\n| setting | default | meaning |\n|---|---|---|\n{rows}"


if __name__ == "__main__":
    for name, page in write().items():
        (FOLDER / name).write_text(page, encoding="utf-8")
