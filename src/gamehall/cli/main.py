"""`gamehall`: the list of commands, and the handling of their errors."""

import importlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem

from gamehall import __version__

MISUSE = 2
FAILURE = 1


class CommandEntry(NamedTuple):
    """A command in the list of commands."""

    module: str
    """The module of this package that defines the command."""
    summary: str
    """The first sentence of the command's help, so that listing it does not import the module."""


_ADDRESS = "at the door ADDRESS, as in tttp://localhost:7003."
_RECORD = "RECORD is its number, the name of the match, or a file."

COMMANDS = {
    "serve": CommandEntry("serve", "Run the server until it is stopped."),
    "play": CommandEntry("play", f"Play in the terminal {_ADDRESS}"),
    "bot": CommandEntry("bot", f"Have a bot play {_ADDRESS}"),
    "arena": CommandEntry(
        "arena", "Play many games between bots, and rank them with error margins."
    ),
    "check": CommandEntry(
        "check",
        "Check the server at ADDRESS against its protocol, as in tttp://localhost:7003.",
    ),
    "doors": CommandEntry("listing", "List the doors, or the settings of the door NAME."),
    "games": CommandEntry("listing", "List the games."),
    "bots": CommandEntry("listing", "List the bots, or those that play GAME."),
    "records": CommandEntry("records", "List the stored matches, the newest first."),
    "replay": CommandEntry("records", f"Show a finished match: {_RECORD}"),
    "export": CommandEntry("records", f"Write a finished match to a file: {_RECORD}"),
    "journal": CommandEntry(
        "journal", "Check or show the journal, which stores the games in play."
    ),
}
"""The commands, in the order of the list."""


class Commands(click.Group):
    """Imports the module of a command only when that command is used.

    Importing all of them takes half a second, which would delay every `--help` and every press of
    the tab key.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"gamehall.cli.{COMMANDS[cmd_name].module}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            close = get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(COMMANDS)}"
            raise click.UsageError(f"there is no command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [
            CompletionItem(name, help=entry.summary)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        # Skip click.Group.shell_complete, which would import every command.
        return names + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="gamehall")
def commands() -> None:
    """A server for two-player turn-based games, with clients, bots and tools.

    Example: gamehall serve --door tttp
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command, and exit with its code. An error is one line, without a traceback."""
    try:
        code = commands.main(arguments, prog_name="gamehall", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 0
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        _print_error(error.format_message() + hint)
        code = MISUSE
    except click.ClickException as error:
        _print_error(error.format_message())
        code = error.exit_code
    except click.Abort:
        _print_error("stopped")
        code = FAILURE
    except BrokenPipeError:
        # The reader of our output has closed it, such as `head`.
        code = FAILURE
    except OSError as error:
        _print_error(f"cannot continue: {error}")
        code = FAILURE
    _discard_unwritten_output()
    sys.exit(code if isinstance(code, int) else 0)


def _discard_unwritten_output() -> None:
    """Keep the interpreter from writing the rest of a closed output again when it exits."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(text: str) -> None:
    click.echo(f"gamehall: {' '.join(text.split())}", err=True)
