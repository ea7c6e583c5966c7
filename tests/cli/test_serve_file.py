"""The configuration file of `gamehall serve`. The command line overrides it."""

from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from gamehall.cli import main
from gamehall.cli.main import commands
from gamehall.cli.serve import serve
from gamehall.cli.serve_file import read_all_house
from gamehall.protocols.catalogue import all_protocols
from gamehall.server.plan import WebPlan, WebSettings, plan_doors, plan_web


class OptionValues(NamedTuple):
    """An option in the file and on the command line, and the value that each gives."""

    in_file: str
    from_file: Any
    on_command_line: list[str]
    from_command_line: Any


IN_OTHER_TABLES = {"assignments": "[door.NAME]", "house_bots": "[house]"}
"""Options that have a table of their own in the file."""
IN_HALL = [
    option
    for option in serve.params
    if isinstance(option, click.Option) and option.name not in ("file", *IN_OTHER_TABLES)
]


def values_of(option: click.Option) -> OptionValues:
    """Return values that fit the type of the option, other than its default."""
    name = option.opts[0]
    if option.name == "doors":
        return OptionValues('["tttp", "web=0"]', ("tttp", "web=0"), ["--door", "web"], ("web",))
    if isinstance(option.type, click.types.BoolParamType):
        return OptionValues("true", True, option.secondary_opts, False)
    if isinstance(option.type, click.types.IntParamType):
        return OptionValues("7", 7, [name, "8"], 8)
    if isinstance(option.type, click.types.FloatParamType):
        return OptionValues("7", 7.0, [name, "8.5"], 8.5)
    if isinstance(option.type, click.Choice):
        one = next(choice for choice in option.type.choices if choice != option.default)
        return OptionValues(f'"{one}"', one, [name, str(option.default)], option.default)
    kind = Path if isinstance(option.type, click.Path) else str
    return OptionValues('"x"', kind("x"), [name, "y"], kind("y"))


def parse(tmp_path: Path, content: str, *arguments: str) -> dict[str, Any]:
    path = tmp_path / "hall.toml"
    path.write_text(content)
    # The order of arguments must not matter.
    return parsed(*arguments, "--config", str(path))


def parsed(*arguments: str) -> dict[str, Any]:
    """Return the parameters of `gamehall serve` with these arguments."""
    gamehall = click.Context(commands, **commands.context_settings)
    return serve.make_context("serve", list(arguments), parent=gamehall).params


@pytest.mark.parametrize("option", IN_HALL, ids=lambda option: option.opts[0])
def test_the_command_line_overrides_each_option_of_the_file(
    option: click.Option, tmp_path: Path
) -> None:
    name, values = option.name, values_of(option)
    assert name is not None
    content = f"[hall]\n{name.replace('_', '-')} = {values.in_file}\n"
    usual = parse(tmp_path, "")
    assert usual[name] != values.from_file
    from_file = parse(tmp_path, content)
    assert from_file[name] == values.from_file
    others = {other: from_file[other] for other in usual if other not in (name, "file")}
    assert others == {other: usual[other] for other in others}
    both = parse(tmp_path, content, *values.on_command_line)
    assert both[name] == values.from_command_line


def test_the_command_line_overrides_settings_of_doors_in_the_file(tmp_path: Path) -> None:
    content = "[door.tttp]\nport = 1\nconnect = 5\n[door.web]\nport = 2\nmax-connections = 9\n"
    told = parse(tmp_path, content)
    [tttp] = plan_doors(all_protocols(), ["tttp"], told["file"], [])
    assert (tttp.port, getattr(tttp.settings, "connect", None)) == (1, 5)
    assert plan_web(all_protocols(), [], told["file"], []) == WebPlan(
        2, WebSettings(max_connections=9)
    )
    told = parse(tmp_path, content, "--set", "tttp.connect=3", "--set", "web.max-connections=8")
    doors = ["tttp=3", "web=4"]
    [tttp] = plan_doors(all_protocols(), doors, told["file"], told["assignments"])
    assert (tttp.port, getattr(tttp.settings, "connect", None)) == (3, 3)
    web = plan_web(all_protocols(), doors, told["file"], told["assignments"])
    assert web == WebPlan(4, WebSettings(max_connections=8))


def test_the_web_door_is_opened_like_any_other() -> None:
    assert plan_web(all_protocols(), [], None, []) == WebPlan()
    assert plan_web(all_protocols(), ["tttp"], None, []) is None
    assert plan_web(all_protocols(), ["tttp", "web"], None, ["web.port=5"]) == WebPlan(5)
    assert plan_doors(all_protocols(), ["web"], None, []) == []


def test_the_command_line_overrides_house_bots_of_the_file(tmp_path: Path) -> None:
    content = '[house]\ngo = "random"\nconnect-four = "perfect"\n'
    told = parse(tmp_path, content, "--house", "go=greedy")
    assert read_all_house((), told["file"]) == {"go": "random", "connect-four": "perfect"}
    assert read_all_house(told["house_bots"], told["file"]) == {
        "go": "greedy",
        "connect-four": "perfect",
    }


def start_error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one error line of a `gamehall serve` that does not start."""
    with pytest.raises(SystemExit) as exited:
        main(["serve", *arguments])
    assert exited.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    [line] = shown.err.splitlines()
    return line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[hall]\nhots = '::1'\n", "hall.hots: there is no such option; did you mean host?"),
        ("[hall]\nseed = 'x'\n", "hall.seed cannot be 'x': it must be a whole number"),
        ("[hall]\nseed = true\n", "hall.seed cannot be True: it must be a whole number"),
        ("[hall]\nonce = 1\n", "hall.once cannot be 1: it must be true or false"),
        ("[hall]\nhost = 127\n", "hall.host cannot be 127: it must be text in quotes"),
        ("[hall]\ndrain = -1\n", "hall.drain: -1.0 is not in the range x>=0"),
        ("[hall]\nlog-level = 'loud'\n", "hall.log-level: 'loud' is not one of"),
        ("[hall]\ndoors = 'tttp'\n", "hall.doors must be a list, as in"),
        ("[hall]\ndoors = ['chess']\n", "hall.doors: there is no door 'chess'"),
        ("[hall]\ndata = '/dev/null/x'\n", "hall.data: cannot use /dev/null/x: Not a directory"),
        ("[hall]\ntls-cert = '/dev/null/x'\n", "hall.tls-cert: cannot use /dev/null/x: Not a"),
        ("[hall]\ntls-key = 'x'\n", "hall.tls-key needs a certificate: add --tls-cert"),
        ("[house]\nchess = 'random'\n", "house.chess: there is no game 'chess'"),
        ("[house]\ngo = 'deep-blue'\n", "house.go: there is no bot 'deep-blue'"),
        ("[house]\ngo = 3\n", "house.go: write the bot in quotes"),
        ("[house]\ngo = 'gtp:no-such-go'\n", "house.go: cannot start no-such-go: there is no"),
        ("[door.web]\nroom = 'tttp'\n", "the door web has no setting 'room'"),
        ("[door.web]\nport = 99999\n", "web.port: 99999 is not a port"),
        ("[door.tttp]\nname-min = 9\nname-max = 5\n", "name-min 9 is more than name-max 5"),
        ("[door.tttp]\nroom = 'go-text'\n", "tttp cannot lead into the room of go-text"),
    ],
)
def test_an_error_in_the_file_is_one_line_that_names_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, words: str
) -> None:
    path = tmp_path / "hall.toml"
    path.write_text(content)
    line = start_error(capsys, "--config", str(path))
    assert line.startswith(f"gamehall: {path}: ")
    assert words in line


def test_a_file_that_cannot_be_read_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = start_error(capsys, "--config", str(tmp_path))
    assert line.startswith(f"gamehall: cannot read {tmp_path}: Is a directory")


def test_settings_of_closed_doors_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hall.toml"
    path.write_text("[door.tttp]\nconnect = 99\n")
    line = start_error(capsys, "--door", "go-text=0", "--config", str(path))
    assert f"{path}: tttp.connect cannot be 99" in line
    line = start_error(capsys, "--door", "go-text=0", "--set", "tttp.gravty=free")
    assert "did you mean gravity?" in line


def test_the_example_file_is_valid() -> None:
    example = Path(__file__).parents[2] / "examples" / "hall.toml"
    options = parsed("--config", str(example))
    assert options["data"] is not None
    assert read_all_house((), options["file"])
