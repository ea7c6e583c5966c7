"""`gamehall`: the commands, and how they fail."""

import os
import sys
from collections.abc import Sequence

import click

from gamehall import __version__
from gamehall.cli.bench import bench
from gamehall.cli.bot import bot
from gamehall.cli.check import check
from gamehall.cli.listing import bots, doors, games
from gamehall.cli.play import play
from gamehall.cli.records import export, records, replay
from gamehall.cli.serve import serve

MISUSE = 2
FAILURE = 1


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="gamehall")
def commands() -> None:
    """One hall, many doors: a server for two-player turn-based games.

    Example: gamehall serve --door tttp
    """


for command in (serve, play, bot, check, doors, games, bots, records, replay, export, bench):
    commands.add_command(command)


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
