"""Every bot that is listed can be had, and every one that is written of is listed."""

import re
import time
from pathlib import Path

import pytest

from gamehall.bots.bot import BotKind
from gamehall.bots.catalogue import UnknownBotError, all_bots, bots_for, find_bot
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


def test_the_page_about_the_bots_tells_of_those_that_there_are() -> None:
    titles = {game.title: name for name, game in all_games().items()} | {"any": None}
    told = {
        (titles[title], name)
        for names, title in ROW.findall(PAGE.read_text())
        for name in re.findall("`([a-z-]+)`", names)
        if title in titles
    }
    assert told == {(kind.game, kind.name) for kind in all_bots()}


def test_a_bot_of_the_game_goes_before_one_of_any() -> None:
    assert next(iter(bots_for("go").values())).game == "go"
    assert find_bot("mcts", "go").game == "go"
    assert find_bot("mcts", "santorini").game is None
    assert [kind.game for kind in bots_for("go").values()] == ["go", None, None, None]


def test_who_is_not_there_is_told_who_is() -> None:
    with pytest.raises(
        UnknownBotError, match="no bot 'perfect' for go; there are: mcts, alpha-beta"
    ):
        find_bot("perfect", "go")
