"""Tests that every game of the catalogue must pass."""

import xml.etree.ElementTree as ET
from itertools import islice
from typing import Any

import pytest

from gamehall.core import Game, Seat
from gamehall.export.described import described_picture
from gamehall.games.catalogue import all_games
from tests.games.playing import random_game

GAMES = [pytest.param(game(), id=name) for name, game in all_games().items()]


def test_connect_four_is_in_the_catalogue() -> None:
    assert "connect-four" in all_games()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(20))
def test_a_game_has_legal_moves_until_it_has_an_outcome(game: Game[Any], seed: int) -> None:
    for position in random_game(game, seed):
        moves = list(position.legal_moves())
        assert len(moves) == len(set(moves)), "each move once"
        assert moves == list(position.legal_moves()), "in a fixed order"
        assert (position.to_move is None) == (position.outcome is not None)
        assert bool(moves) == (position.outcome is None)


@pytest.mark.parametrize("game", GAMES)
def test_the_first_seat_moves_first(game: Game[Any]) -> None:
    assert game.start(1).to_move is Seat.FIRST


@pytest.mark.parametrize("game", GAMES)
def test_positions_are_values(game: Game[Any]) -> None:
    once, again = list(random_game(game, 7)), list(random_game(game, 7))
    assert once == again
    assert [hash(position) for position in once] == [hash(position) for position in again]
    assert len(set(once)) == len(once)
    with pytest.raises(AttributeError):
        once[0].to_move = None  # type: ignore[misc]


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_move_can_be_written_and_read(game: Game[Any]) -> None:
    for position in random_game(game, 3):
        for move in position.legal_moves():
            assert game.read_move(game.write_move(move)) == move


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("text", ["", " ", "?", "\x00", "é!", "?9", "~" * 1000])
def test_nonsense_cannot_be_read_as_a_move(game: Game[Any], text: str) -> None:
    with pytest.raises(ValueError, match="is not"):
        game.read_move(text)


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_has_a_description(game: Game[Any]) -> None:
    passed = list(random_game(game, 5))
    words = [position.in_words() for position in passed]
    assert len(set(words)) > 0.9 * len(words), "descriptions must differ between positions"
    for viewer in (None, *Seat):
        position = passed[len(passed) // 2].seen_by(viewer)
        picture = ET.fromstring(described_picture(position))
        [described] = picture.findall("{http://www.w3.org/2000/svg}desc")
        assert described.text == position.in_words().rstrip()


@pytest.mark.parametrize("game", GAMES)
def test_diagrams_fit_a_terminal(game: Game[Any]) -> None:
    for position in random_game(game, 4):
        diagram = position.diagram()
        assert diagram.endswith("\n")
        assert max(map(len, diagram.splitlines())) <= 80
        assert diagram.isascii()


@pytest.mark.parametrize("game", GAMES)
def test_pictures_are_well_formed(game: Game[Any]) -> None:
    for position in islice(random_game(game, 5), 0, None, 5):
        picture = ET.fromstring(position.picture())
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        assert picture.get("viewBox")
