"""Bots that somebody has written, and what their authors hear when something is wrong."""

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


def write(folder: Path, text: str, name: str = "mine.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def had(folder: Path, text: str, name: str) -> OwnBot:
    place = write(folder, text)
    return make(load(f"{place}:{name}"), Path(place))


def test_what_is_written_as_a_file_is_one() -> None:
    assert is_file_of_bot("mine.py:First")
    assert is_file_of_bot("some/where/mine.py")
    assert not is_file_of_bot("random")
    assert not is_file_of_bot("gtp:engine.py --mode gtp")


def test_a_bot_is_loaded_with_what_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A copy: the folder is to be forgotten after the test.
    monkeypatch.setattr(sys, "path", [*sys.path])
    write(tmp_path, "COLUMN = 4\n", "beside.py")
    bot = had(tmp_path, GOOD, "First")
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
        ("import sys\nsys.exit(2)\n", ":A", "cannot be loaded: SystemExit: 2 (mine.py, line 2)"),
        ("class A:\n    choose = 1\n", "", "does not say which class is the bot: write"),
        ("from gamehall.bots import Bot\n", ":Bot", "has no class Bot"),
    ],
)
def test_what_cannot_be_loaded_is_told_in_words(
    tmp_path: Path, text: str, name: str, words: str
) -> None:
    with pytest.raises(BotLoadError) as error:
        load(write(tmp_path, text) + name)
    assert words in str(error.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BotLoadError, match="there is no file"):
        load(str(tmp_path / "nowhere.py:A"))


def test_a_bot_that_cannot_be_made_is_told_with_its_line(tmp_path: Path) -> None:
    text = "class A:\n    def __init__(self):\n        raise ValueError\n    choose = 1\n"
    with pytest.raises(BotLoadError, match=r"A\(\) raised ValueError \(mine.py, line 3\)"):
        had(tmp_path, text, "A")


def test_whatever_a_bot_raises_leads_its_author_to_the_line(tmp_path: Path) -> None:
    text = (
        "class A:\n    def choose(self, position, seat, seconds_left):\n"
        "        return {}['centre']\n"
        "    def game_over(self, position, seat, result):\n        raise RuntimeError('lost')\n"
        "    def close(self):\n        open('/nowhere/at/all')\n"
    )
    bot = had(tmp_path, text, "A")
    with pytest.raises(BotError, match=r"A.choose raised KeyError: 'centre' \(mine.py, line 3\)"):
        bot.choose(START, Seat.FIRST, 1.0)
    with pytest.raises(BotError, match=r"A.game_over raised RuntimeError: lost"):
        bot.game_over(None, None, Result(None, Ending.CANCELLED, "over"))
    with pytest.raises(BotError, match=r"A.close raised FileNotFoundError.*line 7"):
        bot.close()


async def think() -> None:
    """What a bot may have forgotten to await."""


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
def test_what_is_no_move_is_told_in_words(move: object, words: str | None) -> None:
    assert why_no_move(move) == words


def test_what_is_still_to_be_awaited_is_no_move() -> None:
    assert why_no_move(think()) == "choose must not be async"


def test_a_bot_that_wants_to_end_the_program_ends_as_if_it_had_raised(tmp_path: Path) -> None:
    text = (
        "import sys\nclass A:\n    def choose(self, position, seat, seconds_left):\n"
        "        sys.exit(3)\n"
    )
    with pytest.raises(BotError, match=r"A.choose raised SystemExit: 3 \(mine.py, line 4\)"):
        had(tmp_path, text, "A").choose(START, Seat.FIRST, None)


def test_a_bot_may_resign(tmp_path: Path) -> None:
    text = (
        "from gamehall.bots import BotResignedError\nclass A:\n"
        "    def choose(self, *what):\n        raise BotResignedError\n"
    )
    with pytest.raises(BotResignedError):
        had(tmp_path, text, "A").choose(START, Seat.FIRST, None)
