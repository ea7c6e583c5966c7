"""What every game of the catalogue keeps to, by being there."""

import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from gamehall.core import Game, Position, Seat
from gamehall.export.described import described_picture
from gamehall.games.catalogue import all_games

GAMES = [pytest.param(game(), id=name) for name, game in all_games().items()]


def random_game(game: Game[Any], seed: int) -> Iterator[Position[Any]]:
    """The positions of a game of random moves, from the first to the last."""
    chance = random.Random(seed)
    position = game.start(seed)
    yield position
    while position.outcome is None:
        position = position.after(chance.choice(list(position.legal_moves())))
        yield position


def test_there_is_connect_four() -> None:
    assert "connect-four" in all_games()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(20))
def test_a_game_goes_on_until_it_has_an_outcome(game: Game[Any], seed: int) -> None:
    for position in random_game(game, seed):
        moves = list(position.legal_moves())
        assert len(moves) == len(set(moves)), "each move once"
        assert moves == list(position.legal_moves()), "in a fixed order"
        assert (position.to_move is None) == (position.outcome is not None)
        assert bool(moves) == (position.outcome is None)


@pytest.mark.parametrize("game", GAMES)
def test_the_first_seat_begins(game: Game[Any]) -> None:
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
def test_what_is_written_is_read(game: Game[Any]) -> None:
    for position in random_game(game, 3):
        for move in position.legal_moves():
            assert game.read_move(game.write_move(move)) == move


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("text", ["", " ", "?", "\x00", "é!", "?9", "~" * 1000])
def test_nonsense_is_not_a_move(game: Game[Any], text: str) -> None:
    with pytest.raises(ValueError, match="is not"):
        game.read_move(text)


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_says_in_words_what_it_shows(game: Game[Any]) -> None:
    passed = list(random_game(game, 5))
    words = [position.in_words() for position in passed]
    assert len(set(words)) > 0.9 * len(words), "words that do not tell positions apart"
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
