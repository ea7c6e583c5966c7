"""Typed moves, and lists of moves, in every game."""

from typing import Any

import pytest

from gamehall.core import Game
from gamehall.games.ascension import Ascension
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.games.go import Go
from gamehall.games.santorini import Cell as SantoriniCell
from gamehall.games.santorini import Place, Santorini
from gamehall.players.moves import (
    MoveTextError,
    example,
    how_to_write,
    list_moves,
    read_typed,
    read_unchecked,
    written_moves,
)

GAMES = [kind() for kind in all_games().values()]


def turns() -> Any:
    """Return a Santorini position with all workers placed."""
    position = Santorini().start(0)
    for cell in ("b2", "d4", "b4", "d2"):
        position = position.after(Santorini().read_move(cell))
    return position


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_legal_move_can_be_typed_in_any_case_and_with_any_spaces(game: Game[Any]) -> None:
    position = game.start(1)
    for _ in range(6):
        legal = written_moves(game, position)
        for written, move in list(legal.items())[:: 1 + len(legal) // 20]:
            for typed in (written, written.upper(), f"  {written.lower()} ", written.title()):
                assert read_typed(game, position, typed) == move
        position = position.after(next(iter(position.legal_moves())))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_example_is_legal_and_the_game_says_how_to_write_moves(game: Game[Any]) -> None:
    position = game.start(1)
    assert read_typed(game, position, example(game, position)) in set(position.legal_moves())
    assert how_to_write(game).startswith("write ")


@pytest.mark.parametrize("typed", ["b2-c3+c4", "b2 c3 c4", "B2C3C4", "b2 - c3 + c4"])
def test_punctuation_between_cells_does_not_matter(typed: str) -> None:
    game = Santorini()
    assert game.write_move(read_typed(game, turns(), typed)) == "b2-c3+c4"


def test_a_column_is_enough_in_a_game_with_falling_pieces() -> None:
    game = ConnectFour()
    position = game.start(0).after(Cell(3, 5))
    assert read_typed(game, position, "d") == Cell(3, 4)


@pytest.mark.parametrize(
    ("game", "typed", "words"),
    [
        (Go(9), "p", "is not a move"),
        (Go(9), "z3", "is not a move on a board of 9 by 9"),
        (Go(9), "pas", None),
        (Ascension(), "e", "is not a move"),
        (Ascension(), "end", None),
        (Ascension(), "play ap", None),
        (Ascension(), "play aprentice", "did you mean play Apprentice?"),
        (Ascension(), "play", "did you mean play"),
        (Ascension(), "acquire mystic", "costs 3 runes more than you have"),
        (Santorini(), "b2-b3+b4", "not all workers are placed"),
        (ConnectFour(), "d2", "d2 is not possible"),
        (ConnectFour(), "", "is not a cell"),
    ],
    ids=str,
)
def test_the_error_says_why_a_move_is_not_possible(
    game: Game[Any], typed: str, words: str | None
) -> None:
    if words is None:
        assert read_typed(game, game.start(1), typed) in set(game.start(1).legal_moves())
        return
    with pytest.raises(MoveTextError, match=words.replace("?", r"\?")):
        read_typed(game, game.start(1), typed)


def test_without_a_position_a_move_is_only_parsed() -> None:
    assert read_unchecked(Santorini(), " C 3") == Place(SantoriniCell(2, 2))
    with pytest.raises(MoveTextError):
        read_unchecked(Santorini(), "somewhere")


def test_lists_of_moves_are_short() -> None:
    go = Go(9)
    position = go.start(0).after(go.read_move("C3"))
    assert list_moves(go, position)[1:4] == ["B1-9", "C1-2,4-9", "D1-9"]
    assert list_moves(go, position)[-1] == "pass"
    assert list_moves(ConnectFour(), ConnectFour().start(0)) == [
        f"{column}1" for column in "abcdefg"
    ]
    assert list_moves(Santorini(), turns())[1] == "b2-b3+a4,c4,a3,c3,a2,b2,c2"
    assert list_moves(Ascension(), Ascension().start(1)) == ["play Militia, Apprentice", "end turn"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_lists_of_moves_fit_on_a_screen(game: Game[Any]) -> None:
    position = turns() if game.name == "santorini" else game.start(1)
    assert len("  ".join(list_moves(game, position))) < 80 * 16
