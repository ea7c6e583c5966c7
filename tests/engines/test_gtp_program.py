"""Running the program of a GTP engine."""

import shlex
import sys
from pathlib import Path

import pytest

from gamehall.bots import BotError
from gamehall.bots.gtp import EngineRefusedError
from gamehall.engines import gtp_program
from gamehall.engines.choice import BotChoiceError, choose_bot
from gamehall.engines.gtp_program import Engine, EngineStartError

PROGRAM = Path(__file__).with_name("engine_program.py")


def command(how: str = "") -> str:
    return shlex.join([sys.executable, str(PROGRAM), how])


def started(how: str = "") -> Engine:
    engine = Engine(command(how))
    engine.ask("boardsize 9")
    engine.ask("genmove black")
    engine.ask("genmove black")
    return engine


def test_it_responds() -> None:
    engine = started()
    assert engine.ask("genmove black") == "A3"
    engine.close()


def test_a_refused_command_raises_an_error() -> None:
    engine = Engine(command("only 19"))
    with pytest.raises(EngineRefusedError, match="unacceptable size"):
        engine.ask("boardsize 9")
    assert engine.ask("boardsize 19") == ""
    engine.close()


def test_its_standard_error_is_drained() -> None:
    engine = started("chatty")
    assert engine.ask("genmove black") == "A3"
    engine.close()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("dies", r"has died \(exit code 3\); its last output: out of stones"),
        ("killed", r"has died \(signal 9\)"),
        ("deaf", "has closed its standard output"),
        ("no GTP", "does not speak GTP: it said 'I do not know'"),
        ("endless", "the response of .* is too long"),
    ],
)
def test_the_error_says_how_the_engine_ended(how: str, words: str) -> None:
    engine = started(how)
    with pytest.raises(BotError, match=words):
        engine.ask("genmove black")
    engine.close()


def test_every_command_to_a_dead_engine_raises_the_error() -> None:
    engine = started("killed")
    with pytest.raises(BotError, match="signal 9"):
        engine.ask("genmove black")
    with pytest.raises(BotError, match="signal 9"):
        engine.ask("genmove black")
    engine.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/nowhere/engine --x", "cannot start /nowhere/engine: No such file"),
        ("", "name an engine"),
        ("'", "is not a command"),
        ("/dev/null", "cannot start /dev/null: Permission denied"),
    ],
)
def test_a_command_that_does_not_start_is_rejected(text: str, words: str) -> None:
    with pytest.raises(EngineStartError, match=words):
        Engine(text)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("pachi", "no program of that name in the PATH; install it, or write the whole path"),
        ("gnugo", "no program of that name in the PATH; Debian has it in .*: apt-get install gnu"),
        ("mygo", "no program of that name in the PATH, but it is in (.*): write gtp:\\1/mygo"),
    ],
)
def test_the_error_about_a_missing_program_says_what_to_do(
    program: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games, empty = tmp_path / "games", tmp_path / "empty"
    for folder in (games, empty):
        folder.mkdir()
    (games / "mygo").touch(0o755)
    monkeypatch.setattr(gtp_program, "FOLDER_OF_GAMES", str(games))
    monkeypatch.setenv("PATH", str(empty))
    with pytest.raises(EngineStartError, match=f"cannot start {program}: there is {words}"):
        Engine(f"{program} --mode gtp")
    with pytest.raises(BotChoiceError, match=f"cannot start {program}"):
        choose_bot(f"gtp:{program} --mode gtp", "go", lambda: 0.0)


def test_a_missing_gnugo_is_looked_for_in_the_folder_of_debian(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineStartError, match=r"it (is )?in /usr/games: "):
        Engine("gnugo --mode gtp")
