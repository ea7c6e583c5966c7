"""Bots written by users, and the messages to their authors."""

import sys
from pathlib import Path

import pytest

from gamehall.bots import BotError, BotResignedError
from gamehall.core import Seat
from gamehall.engines.own_bot import (
    BotLoadError,
    OwnBot,
    is_file_of_bot,
    load,
    make,
    why_no_move,
)
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.match import Ending, Result

START = ConnectFour().start(0)

GOOD = """
from gamehall.bots import Bot
from beside import COLUMN

class First(Bot):
    def choose(self, position, seat, seconds_left):
        return next(move for move in position.legal_moves() if move.column == COLUMN)

class NoBot:
    pass
"""


def write_file(folder: Path, text: str, name: str = "mine.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def load_bot(folder: Path, text: str, name: str) -> OwnBot:
    place = write_file(folder, text)
    return make(load(f"{place}:{name}"), Path(place))


def test_the_text_of_a_file_is_recognized() -> None:
    assert is_file_of_bot("mine.py:First")
    assert is_file_of_bot("some/where/mine.py")
    assert not is_file_of_bot("random")
    assert not is_file_of_bot("gtp:engine.py --mode gtp")


def test_a_bot_can_import_modules_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Restore the path after the test.
    monkeypatch.setattr(sys, "path", [*sys.path])
    write_file(tmp_path, "COLUMN = 4\n", "beside.py")
    bot = load_bot(tmp_path, GOOD, "First")
    assert bot.choose(START, Seat.FIRST, None) == Cell(4, 5)
    bot.game_over(START, Seat.FIRST, Result(None, Ending.CANCELLED, "over"))
    bot.close()


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("class A:\n    def choose(self):\n", ":A", "is not Python: expected an indented block"),
        ("import nowhere_at_all\n", ":A", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("x = 1 / 0\n", ":A", "ZeroDivisionError: division by zero (mine.py, line 1)"),
        ("class A:\n    choose = 1\n", ":B", "has no class B; it has: A"),
        ("class A:\n    pass\n", ":A", "A has no method choose: in "),
        (
            "from gamehall.bots import Bot\nclass A(Bot):\n    pass\n",
            ":A",
            "A has no method choose: in ",
        ),
        (
            "class A:\n    def choose(self, position):\n        pass\n",
            ":A",
            "A has choose(self, position), which cannot be called:"
            " write def choose(self, position, seat, seconds_left)",
        ),
        (
            "class A:\n    async def choose(self, position, seat, seconds_left):\n        pass\n",
            ":A",
            "A.choose must not be async",
        ),
        (
            "class A:\n    def __init__(self, seed):\n        pass\n"
            "    def choose(self, position, seat, seconds_left):\n        pass\n",
            ":A",
            "A() has a required argument: 'seed': give it a default, since bots are made without",
        ),
        ("import sys\nsys.exit(2)\n", ":A", "cannot be loaded: SystemExit: 2 (mine.py, line 2)"),
        ("class A:\n    choose = 1\n", "", "does not say which class is the bot: write"),
        ("from gamehall.bots import Bot\n", ":Bot", "has no class Bot"),
    ],
)
def test_the_error_says_why_a_file_cannot_be_loaded(
    tmp_path: Path, text: str, name: str, words: str
) -> None:
    with pytest.raises(BotLoadError) as error:
        load(write_file(tmp_path, text) + name)
    assert words in str(error.value)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BotLoadError, match="there is no file"):
        load(str(tmp_path / "nowhere.py:A"))


def test_the_error_about_a_failing_constructor_names_the_line(tmp_path: Path) -> None:
    text = "class A:\n    def __init__(self):\n        raise ValueError\n    choose = 1\n"
    with pytest.raises(BotLoadError, match=r"A\(\) raised ValueError \(mine.py, line 3\)"):
        load_bot(tmp_path, text, "A")


def test_the_error_about_a_failing_method_names_the_line(tmp_path: Path) -> None:
    text = (
        "class A:\n    def choose(self, position, seat, seconds_left):\n"
        "        return {}['centre']\n"
        "    def game_over(self, position, seat, result):\n        raise RuntimeError('lost')\n"
        "    def close(self):\n        open('/nowhere/at/all')\n"
    )
    bot = load_bot(tmp_path, text, "A")
    with pytest.raises(BotError, match=r"A.choose raised KeyError: 'centre' \(mine.py, line 3\)"):
        bot.choose(START, Seat.FIRST, 1.0)
    with pytest.raises(BotError, match=r"A.game_over raised RuntimeError: lost"):
        bot.game_over(None, None, Result(None, Ending.CANCELLED, "over"))
    with pytest.raises(BotError, match=r"A.close raised FileNotFoundError.*line 7"):
        bot.close()


async def think() -> None:
    """A coroutine that a bot may return by mistake."""


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (
            "d1",
            "choose returned the text 'd1', which is not a move: return one of the values that"
            " position.legal_moves() gives",
        ),
        (None, "choose returned None: is a return missing?"),
        (Cell(0, 0), None),
    ],
)
def test_the_error_explains_a_value_that_is_not_a_move(move: object, words: str | None) -> None:
    assert why_no_move(move) == words


def test_a_coroutine_is_not_a_move() -> None:
    assert why_no_move(think()) == "choose must not be async"


def test_exiting_counts_as_an_exception(tmp_path: Path) -> None:
    text = (
        "import sys\nclass A:\n    def choose(self, position, seat, seconds_left):\n"
        "        sys.exit(3)\n"
    )
    with pytest.raises(BotError, match=r"A.choose raised SystemExit: 3 \(mine.py, line 4\)"):
        load_bot(tmp_path, text, "A").choose(START, Seat.FIRST, None)


def test_a_bot_may_resign(tmp_path: Path) -> None:
    text = (
        "from gamehall.bots import BotResignedError\nclass A:\n"
        "    def choose(self, *what):\n        raise BotResignedError\n"
    )
    with pytest.raises(BotResignedError):
        load_bot(tmp_path, text, "A").choose(START, Seat.FIRST, None)
