"""Random openings and opening books."""

import pytest

from gamehall.arena.openings import (
    Book,
    OpeningBookError,
    default_book,
    draw_opening,
    read_book,
    read_random,
)
from gamehall.games.ascension import Ascension
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import ConnectFour

BOOK = """
# two openings
d1; d2 ; c1
a1          # a single move
"""


@pytest.mark.parametrize("name", sorted(all_games()))
def test_random_openings_of_every_game_do_not_end_it(name: str) -> None:
    game = all_games()[name]()
    seen = set()
    for seed in range(20):
        opening = draw_opening(Book(6), game, seed, seed)
        assert opening == draw_opening(Book(6), game, seed, seed)
        position = game.start(opening.seed)
        for move in opening.moves:
            position = position.after(move)
        assert len(opening.moves) == 6
        assert position.outcome is None
        seen.add(tuple(map(game.write_move, opening.moves)))
    assert len(seen) > 10


def test_games_that_begin_in_a_random_position_need_no_random_moves() -> None:
    assert default_book(Ascension()) == Book(0)
    assert default_book(ConnectFour()) == Book(2)
    assert draw_opening(Book(0), ConnectFour(), 7, 7).moves == []


def test_the_lines_of_a_book_are_used_in_turn() -> None:
    game = ConnectFour()
    book = read_book(BOOK, game)
    written = [
        [game.write_move(move) for move in draw_opening(book, game, number, 5).moves]
        for number in range(3)
    ]
    assert written == [["d1", "d2", "c1"], ["a1"], ["d1", "d2", "c1"]]


def test_a_line_may_have_a_seed() -> None:
    book = read_book("seed=17; end turn\nend turn", Ascension())
    assert draw_opening(book, Ascension(), 0, 5).seed == 17
    assert draw_opening(book, Ascension(), 1, 5).seed == 5


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "the file has no opening"),
        ("# only a comment", "the file has no opening"),
        ("d1; d2\nd1; z9", "line 2: z9: "),
        ("d1; d1", "line 1: d1: "),
        ("a1;b1;a2;b2;a3;b3;a4", "line 1: the match is over after a4"),
        ("seed=x; d1", "line 1: 'seed=x' is not a seed"),
    ],
)
def test_an_error_in_a_book_names_the_line(content: str, words: str) -> None:
    with pytest.raises(OpeningBookError, match=words):
        read_book(content, ConnectFour())


@pytest.mark.parametrize("text", ["random:", "random:x", "random:-1", "random:101", "random:1e3"])
def test_random_needs_a_number_of_moves(text: str) -> None:
    with pytest.raises(OpeningBookError, match="write random:N"):
        read_random(text)
    assert read_random("random:4") == Book(4)


def test_a_game_that_random_moves_would_end_begins_without_them() -> None:
    # The board has 42 cells.
    assert draw_opening(Book(50), ConnectFour(), 1, 1).moves == []
