"""`gamehall`: the commands, and how they fail."""

import importlib
import os
import sys
from collections.abc import Sequence

import click

from gamehall import __version__

MISUSE = 2
FAILURE = 1


COMMANDS = {
    "serve": "serve",
    "play": "play",
    "bot": "bot",
    "arena": "arena",
    "check": "check",
    "doors": "listing",
    "games": "listing",
    "bots": "listing",
    "records": "records",
    "replay": "records",
    "export": "records",
    "bench": "bench",
}
"""The commands, each with the module that has it."""


class Commands(click.Group):
    """Loads a command when it is wanted: some take long, and most are not."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"gamehall.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command


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
