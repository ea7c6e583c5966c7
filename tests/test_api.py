"""The public API of `import gamehall`."""

import doctest
import subprocess
import sys
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import gamehall
from gamehall.bots.bot import RandomBot
from gamehall.games.catalogue import all_games
from gamehall.match.record import positions

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    ".".join(file.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for file in ROOT.glob("src/**/*.py")
    if "\n>>> " in (text := file.read_text()) or "    >>> " in text
)
PAGES = [
    page
    for page in sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
    if ">>> " in page.read_text()
]

# The documented examples, which must keep working.
EXAMPLES = """
import gamehall

gamehall.games()                                  # ["ascension", "connect-four", "go", "santorini", ...] with installed entry points
game = gamehall.make("go", size=9)                # keyword terms; an unknown game or term is a ValueError that lists what there is
position = game.start()                           # seed optional: start(seed=7)
while position.outcome is None:
    position = position.after(next(iter(position.legal_moves())))
print(position)                                   # the board in letters; _repr_svg_ shows it in a notebook
game.write_move(move); game.read_move("D4")       # and position.after(game.read_move("D4"))
record = gamehall.play_match("connect-four", "greedy", "random", seed=1)    # or bots as objects; record.result, record.moves
"""  # noqa: E501


def test_the_documented_examples_work(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"move": gamehall.make("go", size=9).read_move("D4")}
    exec(EXAMPLES, names)
    assert names["position"].outcome is not None
    assert "A B C D E F G H J" in capsys.readouterr().out
    assert names["record"].result.winner is gamehall.Seat.FIRST
    assert [played.seat for played in names["record"].moves[:2]] == list(gamehall.Seat)


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_are_correct(module: str) -> None:
    __import__(module)
    done = doctest.testmod(sys.modules[module], optionflags=doctest.ELLIPSIS)
    assert done.attempted
    assert not done.failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_in_pages_are_correct(page: Path) -> None:
    # The end of a code block is not output of its last example.
    text = page.read_text().replace("```", "\n")
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    done = doctest.DocTestRunner().run(example)
    assert done.attempted
    assert not done.failed


def test_all_public_names_can_be_imported_and_have_a_docstring() -> None:
    for name in gamehall.__all__:
        assert getattr(gamehall, name).__doc__
        assert name in dir(gamehall)
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        gamehall.chess  # type: ignore[attr-defined]  # noqa: B018


def test_importing_gamehall_loads_no_other_modules() -> None:
    show = "import sys, gamehall; print(*(name for name in sys.modules if 'gamehall' in name))"
    done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["gamehall"]


@pytest.mark.parametrize(
    "first", ["gamehall.games", "gamehall.games.catalogue", "gamehall.games.go", "gamehall.api"]
)
def test_games_can_be_called_after_any_import(first: str) -> None:
    show = f"import {first}, gamehall; from gamehall import games; print(gamehall.games(), games())"
    done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    assert done.stdout.count("'connect-four'") == 2


@pytest.mark.parametrize(
    ("name", "terms", "words"),
    [
        ("chess", {}, "there is no game 'chess'; there are: ascension, connect-four, go, "),
        ("go", {"sise": 9}, "go has no term sise; its terms are: size, komi, handicap"),
        ("go", {"size": 99}, "size must be 2 to 25 lines, not 99"),
        ("go", {"size": "9"}, "size must be a whole number, not '9'"),
        ("connect-four", {"gravity": "up"}, "gravity must be one of 'drop', 'strict', 'free'"),
    ],
)
def test_an_unknown_game_or_term_is_a_value_error_that_lists_the_known_ones(
    name: str, terms: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match="^" + words):
        gamehall.make(name, **terms)


@pytest.mark.parametrize("name", all_games())
def test_every_game_can_be_made_with_its_default_terms(name: str) -> None:
    kind = all_games()[name]
    defaults = {term.name: term.default for term in fields(kind)}  # type: ignore[arg-type]
    written = {
        term: value.value if isinstance(value, Enum) else value for term, value in defaults.items()
    }
    assert gamehall.make(name) == gamehall.make(name, **defaults) == gamehall.make(name, **written)


@pytest.mark.parametrize("name", all_games())
def test_a_position_has_text_and_picture_and_needs_no_seed(name: str) -> None:
    game = gamehall.make(name)
    position = game.start()
    assert position == game.start(seed=0)
    assert f"{position}\n" == position.diagram()
    assert position._repr_svg_() == position.picture()


@pytest.mark.parametrize("name", all_games())
def test_bots_play_a_match_that_can_be_replayed(name: str) -> None:
    record = gamehall.play_match(name, "random", "random", seed=3)
    assert record == gamehall.play_match(name, "random", "random", seed=3)
    assert record == gamehall.Record.from_json(record.to_json())
    last = list(positions(gamehall.make(name), record))[-1]
    assert last.outcome is not None
    assert last.outcome.winner is record.result.winner
    assert record.result.ending is gamehall.Ending.PLAYED_OUT


class First(gamehall.Bot[Any]):
    """Makes the first legal move, and keeps the results of its matches."""

    def __init__(self) -> None:
        self.ends: list[gamehall.Result] = []
        self.is_closed = False

    def choose(self, position: gamehall.Position[Any], seat: gamehall.Seat, _: object) -> Any:
        return next(position.legal_moves())

    def game_over(self, _: object, seat: object, result: gamehall.Result) -> None:
        self.ends.append(result)

    def close(self) -> None:
        self.is_closed = True


class Resigns(First):
    def choose(self, position: gamehall.Position[Any], seat: gamehall.Seat, _: object) -> Any:
        raise gamehall.BotResignedError


class Cheats(First):
    def choose(self, position: gamehall.Position[Any], seat: gamehall.Seat, _: object) -> Any:
        return "a9"


class Crashes(First):
    def choose(self, position: gamehall.Position[Any], seat: gamehall.Seat, _: object) -> Any:
        raise ZeroDivisionError


def test_bots_may_be_objects_and_classes() -> None:
    bot = First()
    game = gamehall.make("connect-four", line_length=3)
    record = gamehall.play_match(game, bot, First)
    assert record.players == ("First", "First")
    assert record.terms["line_length"] == 3
    assert bot.ends == [record.result]
    assert not bot.is_closed, "it belongs to the caller, who may use it again"
    assert gamehall.play_match(game, First, RandomBot(1)).players == ("First", "RandomBot")


class OnlyChooses:
    """A bot without a base class."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def choose(self, position: gamehall.Position[Any], seat: gamehall.Seat, _: object) -> Any:
        return [*position.legal_moves()][self.column]


class NeedsSeed(First):
    def __init__(self, seed: int) -> None:
        super().__init__()


def test_a_bot_needs_no_other_method_than_choose() -> None:
    bot: Any = OnlyChooses(1)
    kind: Any = OnlyChooses
    assert gamehall.play_match("connect-four", bot, kind).players == ("OnlyChooses", "OnlyChooses")


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        (NeedsSeed, r"NeedsSeed\(\) has a required argument: 'seed': give it a default"),
        (Path, "Path has no method choose: write def choose"),
        (1, "int has no method choose"),
    ],
)
def test_an_object_or_class_that_is_no_bot_is_a_value_error_that_says_why(
    bot: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        gamehall.play_match("connect-four", "random", bot)


def test_a_text_that_is_no_record_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="this is not the record of a match") as error:
        gamehall.Record.from_json("{}")
    assert isinstance(error.value, gamehall.RecordError)


def test_bots_that_resign_or_cheat_lose_and_other_errors_are_raised() -> None:
    resigned = gamehall.play_match("go", Resigns, "random").result
    assert (resigned.winner, resigned.ending) == (gamehall.Seat.SECOND, gamehall.Ending.RESIGNED)
    cheated = gamehall.play_match("go", "random", Cheats).result
    assert (cheated.winner, cheated.ending) == (gamehall.Seat.FIRST, gamehall.Ending.ILLEGAL_MOVE)
    with pytest.raises(ZeroDivisionError):
        gamehall.play_match("go", "random", Crashes)


def test_an_unknown_bot_is_a_value_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="there is no bot 'nobody'; for go there are: mcts, "):
        gamehall.play_match("go", "random", "nobody")
    with pytest.raises(ValueError, match="write the seconds per move"):
        gamehall.play_match("go", "random", "mcts@x")


def test_illegal_moves_and_wrong_terms_have_a_common_base() -> None:
    assert issubclass(gamehall.IllegalMove, ValueError)
    assert issubclass(gamehall.IllegalMove, gamehall.GamehallError)
    with pytest.raises(gamehall.GamehallError):
        gamehall.make("chess")
