"""Diagrams of all games in colour."""

from typing import Any

import pytest

from gamehall.core import Game, Seat
from gamehall.games.ascension import Ascension
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import Cell, ConnectFour
from gamehall.games.go import Go
from gamehall.games.santorini import PlacementOrder, Santorini
from gamehall.players.shown import BoardView, Note, is_board, learn_marks
from gamehall.terminal.drawing import draw

NOTES = (
    Note("Title", is_important=True),
    Note("a note that is too long for the room beside a large board"),
)


def styled(board: BoardView, game: Game[Any], style: str) -> str:
    """Return the characters with this style."""
    text = draw(board, learn_marks(game), 80)
    return "".join(
        letter
        for place, letter in enumerate(text.plain)
        if any(span.start <= place < span.end and span.style == style for span in text.spans)
    )


@pytest.mark.parametrize(
    ("game", "marks"),
    [
        (ConnectFour(), {"R": Seat.FIRST, "B": Seat.SECOND}),
        (Go(9), {"X": Seat.FIRST, "O": Seat.SECOND}),
        (Go(9, handicap=3), {"X": Seat.FIRST, "O": Seat.SECOND}),
        (Santorini(), {"A": Seat.FIRST, "B": Seat.SECOND}),
        (Santorini(6, PlacementOrder.IN_A_ROW), {"A": Seat.FIRST, "B": Seat.SECOND}),
        (Ascension(), {}),
    ],
    ids=str,
)
def test_marks_are_learnt_from_the_first_moves(game: Game[Any], marks: dict[str, Seat]) -> None:
    assert learn_marks(game) == marks


@pytest.mark.parametrize("kind", all_games().values(), ids=lambda kind: kind.name)
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_whole_diagram_is_drawn_and_notes_fit_the_terminal(
    kind: type[Game[Any]], columns: int
) -> None:
    game = kind()
    before = game.start(1)
    position = before.after(next(iter(before.legal_moves())))
    diagram = position.diagram()
    drawn = draw(BoardView(diagram, before.diagram(), NOTES), learn_marks(game), columns).plain
    lines = drawn.splitlines()
    for row in diagram.splitlines():
        assert any(line.startswith(row.rstrip()) for line in lines)
    longest = max(map(len, diagram.splitlines()))
    assert all(len(line) <= max(columns, longest) for line in lines)
    assert "Title" in drawn
    assert "".join(drawn.split()).count("largeboard") <= 1


def test_pieces_are_coloured_and_the_last_one_is_highlighted() -> None:
    game = ConnectFour()
    before = game.start(0).after(Cell(3, 5))
    board = BoardView(before.after(Cell(0, 5)).diagram(), before.diagram(), ())
    assert styled(board, game, "bold red") == "R"
    assert styled(board, game, "bold cyan") == "B"
    assert styled(board, game, "reverse") == "B"
    assert styled(board, game, "dim").replace(".", "").split() == ["654321", *"abcdefg"]


def test_changed_heights_and_workers_are_highlighted() -> None:
    game = Santorini()
    before = game.start(0)
    for cell in ("b2", "d4", "b4", "d2"):
        before = before.after(game.read_move(cell))
    board = BoardView(before.after(game.read_move("b2-c3+c4")).diagram(), before.diagram(), ())
    assert styled(board, game, "reverse") == "1A"
    assert styled(board, game, "yellow") == "1"


def test_labels_of_columns_and_rows_are_not_drawn_as_pieces_or_heights() -> None:
    game = Go(9)
    position = game.start(0).after(game.read_move("A1"))
    board = BoardView(position.diagram(), None, ())
    assert styled(board, game, "bold red") == "XX", "the stone, and the legend below"
    assert styled(board, game, "yellow") == ""
    numbers = "".join(filter(str.isdigit, styled(board, game, "dim")))
    assert numbers == "998877665544332211"


def test_a_brief_text_has_only_the_new_lines() -> None:
    before = Ascension().start(1)
    assert not is_board(before.diagram())
    after = before.after(next(iter(before.legal_moves())))
    brief = draw(BoardView(after.diagram(), before.diagram(), NOTES[:1], True), {}, 80).plain
    assert brief.splitlines()[0].startswith("> first player: 0 honor, 0 runes, 1 power")
    assert [line.split()[0] for line in brief.splitlines()] == [">", "hand:", "played:", "Title"]
    whole = draw(BoardView(after.diagram(), before.diagram(), ()), {}, 80)
    assert whole.plain == after.diagram().rstrip("\n")
