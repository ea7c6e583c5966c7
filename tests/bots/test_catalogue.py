"""The catalogue of bots."""

import re
import time
from pathlib import Path

import pytest

from gamehall.bots.bot import BotKind
from gamehall.bots.catalogue import (
    BotChoiceError,
    all_bots,
    bots_for,
    find_bot,
    substitutes_for,
)
from gamehall.games.catalogue import all_games

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "bots.md"
ROW = re.compile(r"^\| (`[a-z`, -]+`) \| ([A-Z]?[A-Za-z ]+) \|", re.MULTILINE)


@pytest.mark.parametrize("kind", all_bots(), ids=lambda kind: f"{kind.game}-{kind.name}")
def test_every_bot_makes_a_legal_move(kind: BotKind) -> None:
    bot = kind.make(1, time.monotonic, seconds_per_move=0.05)
    for game in [kind.game] if kind.game else list(all_games()):
        position = all_games()[game]().start(1)
        seat = position.to_move
        assert seat is not None
        move = bot.choose(position.seen_by(seat), seat, None)
        assert move in position.legal_moves()


def test_the_page_about_bots_lists_all_of_them() -> None:
    titles = {game.title: name for name, game in all_games().items()} | {"any": None}
    listed = {
        (titles[title], name)
        for names, title in ROW.findall(PAGE.read_text())
        for name in re.findall("`([a-z-]+)`", names)
        if title in titles
    }
    assert listed == {(kind.game, kind.name) for kind in all_bots()}


def test_bots_for_one_game_come_before_general_ones() -> None:
    assert next(iter(bots_for("go").values())).game == "go"
    assert find_bot("mcts", "go").game == "go"
    assert find_bot("mcts", "santorini").game is None
    assert [kind.game for kind in bots_for("go").values()] == ["go", None, None, None]


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        BotChoiceError, match="no bot 'perfect'; for go there are: mcts, alpha-beta"
    ):
        find_bot("perfect", "go")


def test_a_substitute_is_never_stronger() -> None:
    assert substitutes_for("perfect", "connect-four") == ("mcts", "random")
    assert substitutes_for("greedy", "connect-four") == ("random",)
    assert substitutes_for("random", "connect-four") == ("random",)
    assert substitutes_for("own.py:Own", "connect-four") == ("random",), "its strength is unknown"
