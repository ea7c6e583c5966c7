"""Connect Four by its rules, TR-01 to TR-05 of RULES.md."""

import xml.etree.ElementTree as ET
from itertools import combinations, product

import pytest

from gamehall.core import IllegalMove, Seat
from gamehall.games.connect_four import Cell, ConnectFour, ConnectFourPosition, Gravity
from gamehall.games.connect_four.board import CELLS, COLUMNS, ROWS, bit, has_line, lines
from tests.games.playing import drop, perft

EMPTY = ConnectFour().start(0)


def position(diagram: str, to_move: Seat = Seat.FIRST) -> ConnectFourPosition:
    """Return the position of a diagram: R and B are pieces, dots are empty, the top row first."""
    rows = [row.replace(" ", "") for row in diagram.strip().splitlines()]
    assert [len(row) for row in rows] == [7] * 6
    spots = bytes(".RB".index(letter) for row in rows for letter in row)
    return ConnectFourPosition.of(spots, to_move, 4, Gravity.DROP)


def test_TR_01_the_board_has_seven_columns_and_six_rows() -> None:
    free = ConnectFour(gravity=Gravity.FREE).start(0)
    assert set(free.legal_moves()) == {Cell(c, r) for c, r in product(range(7), range(6))}


def test_TR_03_the_first_player_begins_and_players_alternate() -> None:
    assert EMPTY.to_move is Seat.FIRST
    assert drop(EMPTY, "a").to_move is Seat.SECOND
    assert drop(EMPTY, "ab").to_move is Seat.FIRST


def test_TR_03_a_piece_comes_to_rest_on_the_lowest_free_row() -> None:
    assert drop(EMPTY, "ddda") == position(
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . R . . .
        . . . B . . .
        B . . R . . .
        """
    )


def test_TR_03_a_full_column_takes_no_more() -> None:
    full = drop(EMPTY, "dddddd")
    assert [cell.column for cell in full.legal_moves()] == [0, 1, 2, 4, 5, 6]
    with pytest.raises(IllegalMove, match="d6 is taken"):
        full.after(Cell(3, 0))


def lines_of(length: int) -> list[frozenset[Cell]]:
    """Return every line of this length on the board."""
    lines = []
    for column, row, (right, down) in product(
        range(7), range(6), [(1, 0), (0, 1), (1, 1), (1, -1)]
    ):
        cells = [Cell(column + right * i, row + down * i) for i in range(length)]
        if all(0 <= cell.column < 7 and 0 <= cell.row < 6 for cell in cells):
            lines.append(frozenset(cells))
    return lines


def with_pieces_of_the_second(cells: frozenset[Cell]) -> ConnectFourPosition:
    spots = bytes(2 if Cell(i % 7, i // 7) in cells else 0 for i in range(42))
    return ConnectFourPosition.of(spots, Seat.FIRST, 4, Gravity.FREE)


def test_TR_04_there_are_69_lines_of_four_and_each_wins() -> None:
    assert len(lines_of(4)) == 69
    for line in lines_of(4):
        outcome = with_pieces_of_the_second(line).outcome
        assert outcome is not None
        assert outcome.winner is Seat.SECOND
        for cell in line:
            assert with_pieces_of_the_second(line - {cell}).outcome is None


def test_TR_04_no_other_four_cells_win() -> None:
    lines = set(lines_of(4))
    for cells in combinations(CELLS, 4):
        assert has_line(sum(map(bit, cells)), 4) == (frozenset(cells) in lines)


@pytest.mark.parametrize("length", [3, 4, 5, 6, 7])
def test_TR_04_more_in_a_row_win_too(length: int) -> None:
    for line in lines_of(length):
        stones = sum(map(bit, line))
        assert all(has_line(stones, fewer) for fewer in range(3, length + 1))
        assert not any(has_line(stones, more) for more in range(length + 1, 8))
        assert lines(stones, length) == stones


def test_TR_04_a_line_does_not_run_over_the_edge() -> None:
    assert (
        position(
            """
            . . . . . . .
            . . . . . . .
            . . . . . . .
            . . . . . . .
            . . . . . R R
            R R . . . . .
            """
        ).outcome
        is None
    )


ALMOST_FULL = """
    . R B B B R R
    B B R R R B B
    R R B B B R R
    B B R R R B B
    R R B B B R R
    B B R R R B B
    """


def test_TR_05_a_full_board_without_a_line_is_a_draw() -> None:
    end = position(ALMOST_FULL, Seat.SECOND).after(Cell(0, 0))
    assert end.outcome is not None
    assert end.outcome.winner is None
    assert end.to_move is None


def test_TR_05_a_line_with_the_last_piece_wins() -> None:
    end = position(ALMOST_FULL.replace(". R B B B", ". R R R B"), Seat.FIRST).after(Cell(0, 0))
    assert end.outcome is not None
    assert end.outcome.winner is Seat.FIRST


def test_after_the_end_nothing_is_legal() -> None:
    end = drop(EMPTY, "abababa")
    assert end.outcome is not None
    assert end.outcome.reason == "4 in a row"
    assert list(end.legal_moves()) == []
    with pytest.raises(IllegalMove, match="the game is over: 4 in a row"):
        end.after(Cell(3, 5))


@pytest.mark.parametrize("cell", [Cell(-1, 0), Cell(7, 5), Cell(0, -1), Cell(0, 6), Cell(255, 255)])
@pytest.mark.parametrize("gravity", Gravity)
def test_cells_off_the_board_are_refused(cell: Cell, gravity: Gravity) -> None:
    start = ConnectFour(gravity=gravity).start(0)
    with pytest.raises(IllegalMove, match="is not on a board"):
        start.after(start.named(*cell))


def test_T_Q03_drop_takes_any_empty_cell_of_the_column() -> None:
    one = drop(EMPTY, "d")
    assert {one.named(3, row) for row in range(5)} == {Cell(3, 4)}
    assert one.named(3, 5) == Cell(3, 5), "a taken cell is returned as it is"
    with pytest.raises(IllegalMove, match="taken"):
        one.after(one.named(3, 5))


def test_T_Q03_strict_takes_the_landing_cell_only() -> None:
    start = ConnectFour(gravity=Gravity.STRICT).start(0)
    assert start.after(start.named(3, 5)).at(Cell(3, 5)) is Seat.FIRST
    with pytest.raises(IllegalMove, match="falls to d1, it cannot rest at d6"):
        start.after(start.named(3, 0))


def test_T_Q03_free_leaves_the_piece_in_the_named_cell() -> None:
    start = ConnectFour(gravity=Gravity.FREE).start(0)
    assert start.after(start.named(3, 0)).at(Cell(3, 0)) is Seat.FIRST


def test_T_Q03_column_takes_any_row_of_a_column_with_room() -> None:
    position = ConnectFour(gravity=Gravity.COLUMN).start(0)
    for height in range(ROWS):
        for row in range(ROWS):
            assert position.named(3, row) == Cell(3, ROWS - 1 - height)
        assert position.allows(Cell(3, ROWS - 1 - height))
        position = position.after(position.named(3, 5))
    for row in range(ROWS):
        with pytest.raises(IllegalMove, match="taken"):
            position.after(position.named(3, row))
    for row in (-1, ROWS):
        with pytest.raises(IllegalMove, match="is not on a board"):
            position.after(position.named(0, row))


@pytest.mark.parametrize("gravity", [Gravity.DROP, Gravity.STRICT, Gravity.COLUMN])
def test_T_Q03_if_pieces_fall_the_legal_moves_are_the_same(gravity: Gravity) -> None:
    usual, other = EMPTY, ConnectFour(gravity=gravity).start(0)
    for move in (Cell(3, 5), Cell(3, 4), Cell(3, 3), Cell(0, 5)):
        usual, other = usual.after(move), other.after(move)
    assert list(other.legal_moves()) == list(usual.legal_moves())
    with pytest.raises(IllegalMove, match="falls to d4, it cannot rest at d6"):
        other.after(Cell(3, 0))


@pytest.mark.parametrize("length", [2, 8, -1])
def test_T_Q02_lines_are_3_to_7_long(length: int) -> None:
    with pytest.raises(ValueError, match="3 to 7"):
        ConnectFour(line_length=length)


def test_T_Q02_three_in_a_row_can_be_enough() -> None:
    end = drop(ConnectFour(line_length=3).start(0), "ababa")
    assert end.outcome is not None
    assert end.outcome.winner is Seat.FIRST


def test_cells_are_written_with_the_row_from_the_bottom() -> None:
    game = ConnectFour()
    assert game.write_move(Cell(3, 5)) == "d1"
    assert game.write_move(Cell(6, 0)) == "g6"
    assert game.read_move(" D1 ") == Cell(3, 5)


def test_the_picture_shows_every_piece_and_rings_the_line() -> None:
    picture = ET.fromstring(drop(EMPTY, "abababa").picture())
    assert len(picture.findall(".//*[@data-seat='first']/*")) == 4
    assert len(picture.findall(".//*[@data-seat='second']/*")) == 3
    assert len(picture.findall(".//*[@data-line]/*")) == 4


def test_the_target_of_a_column_is_the_cell_where_a_piece_lands() -> None:
    picture = ET.fromstring(drop(EMPTY, "ddd").picture())
    columns = [element.get("data-target") for element in picture.iterfind(".//*[@data-target]")]
    assert columns == ["a1", "b1", "c1", "d4", "e1", "f1", "g1"]


def test_without_gravity_each_free_cell_is_a_target() -> None:
    start = ConnectFour(gravity=Gravity.FREE).start(0)
    picture = ET.fromstring(start.after(Cell(3, 2)).picture())
    cells = picture.findall(".//*[@data-target]")
    assert len(cells) == COLUMNS * ROWS - 1
    assert "d4" not in {cell.get("data-target") for cell in cells}
    assert {(cell.get("width"), cell.get("height")) for cell in cells} == {("64", "64")}


@pytest.mark.parametrize(
    ("depth", "count"),
    list(enumerate([7, 49, 343, 2401, 16807, 117649, 823536, 5673234], 1)),
)
def test_perft(depth: int, count: int) -> None:
    assert perft(EMPTY, depth) == count
