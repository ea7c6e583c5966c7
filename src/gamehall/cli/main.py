"""`gamehall`: the commands, and how they fail."""

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


class Listed(NamedTuple):
    """A command as `gamehall --help` lists it."""

    module: str
    """The module of this package that has the command."""
    summary: str
    """The first sentence of the command's own help, so that listing it does not import it."""


_BY_ADDRESS = "at the door ADDRESS, as in tttp://localhost:7003."
_OF_RECORD = "RECORD is its number, the name of the match, or a file."

COMMANDS = {
    "serve": Listed("serve", "Open the hall and play until stopped."),
    "play": Listed("play", f"Play in the terminal {_BY_ADDRESS}"),
    "bot": Listed("bot", f"Have a bot play {_BY_ADDRESS}"),
    "arena": Listed("arena", "Have bots play each other: who is better, and how sure is that?"),
    "check": Listed(
        "check",
        "Play the clauses of a protocol against the server at ADDRESS, as in"
        " tttp://localhost:7003.",
    ),
    "doors": Listed("listing", "List the doors; with the NAME of one, its settings."),
    "games": Listed("listing", "List the games."),
    "bots": Listed("listing", "List the bots; with the name of a GAME, those that play it."),
    "records": Listed("records", "List the matches that the hall has kept, the newest first."),
    "replay": Listed("records", f"Show a finished match: {_OF_RECORD}"),
    "export": Listed("records", f"Write a finished match for others: {_OF_RECORD}"),
    "journal": Listed("journal", "Check or show the journal: the games in play, as stored."),
}
"""The commands, in the order in which they are listed."""


class Commands(click.Group):
    """Imports the module of a command when that command is run, and not to list it.

    Importing all of them takes half a second, which is felt at every `--help` and at every
    press of the tab key.
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
            formatter.write_dl([(name, listed.summary) for name, listed in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        named = [
            CompletionItem(name, help=listed.summary)
            for name, listed in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        # The options, which are completed as those of any command.
        return named + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="gamehall")
def commands() -> None:
    """One hall, many doors: a server for two-player turn-based games.

    Example: gamehall serve --door tttp
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command. An error is one line that says what to do, never a traceback."""
    try:
        code = commands.main(arguments, prog_name="gamehall", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        code = 0
    except click.UsageError as error:
        hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        _complain(error.format_message() + hint)
        code = MISUSE
    except click.ClickException as error:
        _complain(error.format_message())
        code = error.exit_code
    except click.Abort:
        _complain("stopped")
        code = FAILURE
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        code = FAILURE
    except OSError as error:
        _complain(f"cannot go on: {error}")
        code = FAILURE
    _give_up_unwritten_output()
    sys.exit(code if isinstance(code, int) else 0)


def _give_up_unwritten_output() -> None:
    """Has the interpreter not try again, at its end, to write what cannot be written."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(text: str) -> None:
    click.echo(f"gamehall: {' '.join(text.split())}", err=True)
