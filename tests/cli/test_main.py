"""The list of commands, their help, completion and usage errors."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from gamehall.bots.catalogue import all_bots
from gamehall.cli.main import COMMANDS, commands
from gamehall.games.catalogue import all_games
from gamehall.protocols.catalogue import all_protocols
from tests.support.commands import run

ROOT = Path(__file__).parents[2]

NAMES_OF_MODULES = {"prometheus-client": "prometheus_client"}
"""Packages whose modules have another name."""


def load(name: str) -> click.Command:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    return command


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_every_command_has_help_with_an_example(
    command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*command.split(), option) == 0
    assert f"Example: gamehall {command}" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_with_the_first_sentence_of_its_own_help(name: str) -> None:
    assert COMMANDS[name].summary == load(name).get_short_help_str(limit=1000)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_one_line_and_exit_code_2(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(name, "--no-such-option") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    [line] = shown.err.splitlines()
    assert line.startswith("gamehall: No such option '--no-such-option'.")
    assert f"see gamehall {name} --help" in line


@pytest.mark.parametrize("name", COMMANDS)
def test_a_wrong_argument_is_one_line_and_exit_code_2(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"bot": ["--bot", "random"], "export": ["--to", "svg"]}.get(name, [])
    assert run(name, *words, "no such thing") == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert shown.err.startswith("gamehall: ")


@pytest.mark.parametrize(
    "name", [name for name in COMMANDS if name not in ("serve", "play", "replay", "export")]
)
def test_a_command_has_the_option_json(name: str) -> None:
    # `serve` prints JSON after `result`, and `export --to json` writes what `replay` shows.
    command = load(name)
    commands = command.commands.values() if isinstance(command, click.Group) else [command]
    for command in commands:
        assert "--json" in {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("chek", "there is no command 'chek'; did you mean check?"),
        ("draughts", "there is no command 'draughts'; there are: serve, play,"),
        ("--loud", "No such option '--loud'"),
    ],
)
def test_an_unknown_command_suggests_others(
    command: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert words in line


def modules_after(*arguments: str) -> set[str]:
    """Return the modules that a program has imported after running this command."""
    script = (
        "import sys\nfrom gamehall.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "import json\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_listing_the_commands_imports_none_of_them(option: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {text.partition(">")[0] for text in project["dependencies"]}
    needed = {NAMES_OF_MODULES.get(name, name) for name in needed} - {"click"}
    assert {"numba", "rich", "starlette"} <= needed
    imported = modules_after(option)
    assert not needed & imported
    ours = {name for name in imported if name.split(".")[0] == "gamehall"}
    assert ours == {"gamehall", "gamehall.cli", "gamehall.cli.main"}


@pytest.mark.parametrize("command", ["games", "bots", "doors"])
def test_lists_do_not_import_the_libraries_of_bots_and_server(command: str) -> None:
    heavy = {"numba", "numpy", "starlette", "uvicorn", "uvloop", "jinja2", "sgfmill"}
    assert not heavy & modules_after(command)


def test_python_m_gamehall_is_the_same_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gamehall", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("Usage: gamehall [OPTIONS] COMMAND")


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        ("gamehall re", ["records", "replay"]),
        ("gamehall --v", ["--version"]),
        ("gamehall serve --log-", ["--log-level", "--log-format"]),
        ("gamehall export --to s", ["sgf", "svg"]),
    ],
)
def test_the_shell_completes_commands_options_and_values(
    words: str, completions: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "gamehall"],
        env=os.environ
        | {
            "_GAMEHALL_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.split() == [f"plain,{word}" for word in completions]


def test_catalogues_are_made_once_and_are_immutable() -> None:
    assert all_games() is all_games()
    assert all_protocols() is all_protocols()
    assert all_bots() is all_bots()
    for catalogue in (all_games(), all_protocols()):
        assert not hasattr(catalogue, "__setitem__")
