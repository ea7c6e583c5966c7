"""Pictures are embedded in pages that allow no styles and no fetches, many of them side by side."""

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from gamehall.core import Game, Position
from gamehall.games.ascension import CARDS, Ascension
from gamehall.games.ascension.card_picture import large
from gamehall.games.ascension.picture import GOLD
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import ConnectFour
from gamehall.games.go import Go
from gamehall.games.santorini import Santorini
from tests.games.playing import play_moves, random_game

SVG = "{http://www.w3.org/2000/svg}"
GAMES = [pytest.param(game(), id=name) for name, game in all_games().items()]
SHAPES = {"svg", "title", "defs", "g", "rect", "circle", "ellipse", "path", "text"} | {
    "linearGradient",
    "radialGradient",
    "stop",
}
MAX_LENGTH = {"connect-four": 8_000, "santorini": 30_000}
"""The greatest length of a picture; 60,000 for other games."""


def sample_positions(game: Game[Any], seed: int) -> list[Position[Any]]:
    """Return every eleventh position of a random game, and the last."""
    *positions, last = random_game(game, seed)
    return [*positions[::11], last]


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_has_only_plain_shapes(game: Game[Any]) -> None:
    for position in sample_positions(game, 1):
        for element in ET.fromstring(position.picture()).iter():
            assert element.tag.removeprefix(SVG) in SHAPES
            assert not {"style", "class", "href"} & set(element.attrib)
            assert not any(name.startswith("on") for name in element.attrib)
            for value in element.attrib.values():
                assert "url(" not in value or re.fullmatch(r"url\(#gamehall-[\w-]+\)", value)


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_has_a_title_and_is_not_large(game: Game[Any]) -> None:
    for position in sample_positions(game, 2):
        drawn = position.picture()
        picture = ET.fromstring(drawn)
        assert picture.get("role") == "img"
        assert picture[0].tag == f"{SVG}title"
        assert picture[0].text == game.title
        assert len(drawn) < MAX_LENGTH.get(game.name, 60_000)


@pytest.mark.parametrize("game", GAMES)
def test_elements_with_an_id_are_the_same_in_all_pictures(game: Game[Any]) -> None:
    named: dict[str, bytes] = {}
    for seed in range(2):
        for position in sample_positions(game, seed):
            for element in ET.fromstring(position.picture()).iter():
                if name := element.get("id"):
                    assert name.startswith(f"gamehall-{game.name}-")
                    drawn = ET.tostring(element).strip()
                    assert named.setdefault(name, drawn) == drawn


@pytest.mark.parametrize("game", [ConnectFour(), Santorini(), Go()], ids=lambda game: game.name)
def test_every_cell_of_a_board_can_be_marked_once(game: Game[Any]) -> None:
    for position in sample_positions(game, 3):
        elements = ET.fromstring(position.picture()).iter()
        spots = [spot for element in elements if (spot := element.get("data-spot"))]
        moves = {target for move in position.legal_moves() for target in game.targets(move)}
        assert len(spots) == len(set(spots))
        assert moves - {"pass"} <= set(spots)


def test_the_last_stone_is_marked_and_a_pass_is_not() -> None:
    game = Go(9)
    position = play_moves(game, "D4")
    [mark] = ET.fromstring(position.picture()).findall(".//*[@data-last]")
    [spot] = ET.fromstring(position.picture()).findall(".//*[@data-spot='D4']")
    assert (mark.get("cx"), mark.get("cy")) == (spot.get("cx"), spot.get("cy"))
    position = position.after(game.read_move("pass"))
    assert not ET.fromstring(position.picture()).findall(".//*[@data-last]")


def test_workers_of_the_two_players_differ_in_shape() -> None:
    picture = ET.fromstring(play_moves(Santorini(), "c3 d3 b2 d4").picture())
    shapes = [
        {path.get("d") for path in picture.findall(f".//*[@data-seat='{seat}']/{SVG}g/{SVG}path")}
        for seat in ("first", "second")
    ]
    assert shapes[0]
    assert shapes[1]
    assert not shapes[0] & shapes[1]


def test_after_a_resignation_no_player_is_shown_to_move() -> None:
    position = Ascension().start(1)
    assert "First player to move" in position.picture()
    stopped = position.stopped()
    assert "to move" not in stopped.picture()
    assert f'stroke="{GOLD}"' not in stopped.picture()
    assert "the first player moves" not in stopped.diagram()
    assert stopped.stopped() == stopped


def test_names_and_texts_of_cards_stay_within_their_boxes() -> None:
    for name in CARDS:
        card = ET.fromstring(large(0, 0, name, None))
        for text in card.iter("text"):
            assert text.text is not None
            # Even in a wide font a letter is not wider than this part of its height.
            width = 0.56 * float(text.get("font-size", "")) * len(text.text)
            is_bold, x = text.get("font-weight") == "bold", float(text.get("x", ""))
            if text.get("text-anchor") is None:
                assert x + width <= (142 if is_bold else 200), text.text
            assert float(text.get("y", "")) <= 100, name
