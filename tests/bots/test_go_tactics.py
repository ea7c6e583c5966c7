"""The tactics of the Go bot: eyes, ladders, vital points, shapes."""

import numpy as np
import pytest

from gamehall.bots.go.board import (
    BLACK,
    EMPTY,
    FOUND,
    HEAD,
    PASS,
    WHITE,
    Board,
    liberty,
    liberty_after,
    new_board,
    play,
    set_up,
)
from gamehall.bots.go.bot import index_of
from gamehall.bots.go.playout import choose, neighbourhood_code, new_rng, play_out, shape_table
from gamehall.bots.go.tactics import add_escapes, is_caught_by, is_eye, stones_after, vital_point
from gamehall.games.go import Point

NO_MERCY = 1000

COLOURS = {".": EMPTY, "X": BLACK, "O": WHITE}


def board_of(diagram: str) -> Board:
    """Return the board with these rows, X for black and O for white."""
    rows = diagram.split()
    board = new_board()
    set_up(board, len(rows))
    for row, line in enumerate(rows):
        for column, letter in enumerate(line):
            if letter != ".":
                play(board, index_of(Point(row, column), len(rows)), COLOURS[letter])
    return board


def at(board_size: int, row: int, column: int) -> int:
    return index_of(Point(row, column), board_size)


@pytest.mark.parametrize(
    ("diagram", "is_eye_there"),
    [
        (".X... XX... ..... ..... .....", True),
        (".X... XO... ..... ..... .....", False),
        ("..X.. .X... X.... ..... .....", False),
    ],
)
def test_a_point_in_the_corner_is_an_eye_unless_its_diagonal_is_the_opponent_s(
    diagram: str, is_eye_there: bool
) -> None:
    assert is_eye(board_of(diagram).cells, at(5, 0, 0), BLACK) is is_eye_there


@pytest.mark.parametrize(
    ("diagram", "is_eye_there"),
    [
        ("..... .XXO. .X.X. ..XX. .....", True),
        ("..... .XXO. .X.X. .OXX. .....", False),
        ("..... .XX.. .X.O. ..X.. .....", False),
    ],
)
def test_the_opponent_may_have_one_diagonal_of_an_eye_in_the_middle(
    diagram: str, is_eye_there: bool
) -> None:
    assert is_eye(board_of(diagram).cells, at(5, 2, 2), BLACK) is is_eye_there


LADDER = """
    .........
    .........
    ..OX.....
    ..XOX....
    ..X......
    .........
    .........
    .........
    .........
"""


def caught(diagram: str, row: int, column: int) -> bool:
    """Return True if the white chain there, with two liberties, is caught by an atari."""
    board = board_of(diagram)
    head = int(board.cells[HEAD + at(9, row, column)])
    one = liberty(board, head)
    two = liberty_after(board, head, one)
    ways = (is_caught_by(board, head, a, b, new_board()) for a, b in ((one, two), (two, one)))
    return any(ways)


def escapes_of(board: Board, stone: int) -> list[int]:
    """Return the moves that save a stone in atari."""
    count = add_escapes(board, new_board(), int(board.cells[HEAD + stone]), 0)
    return [int(point) for point in board.cells[FOUND : FOUND + count]]


def test_a_ladder_to_the_edge_works() -> None:
    board = board_of(LADDER)
    assert escapes_of(board, at(9, 3, 3)) == []


def test_a_ladder_breaker_saves_the_stone() -> None:
    rows = LADDER.split()
    rows[7] = "......O.."
    board = board_of(" ".join(rows))
    assert escapes_of(board, at(9, 3, 3)) == [at(9, 4, 3)]


def test_two_stones_on_the_edge_are_caught_from_the_right_side() -> None:
    assert caught("......... .X....... OO....... .X....... " + "......... " * 5, 2, 0) is False
    assert caught("X........ OX....... OX....... ......... " + "......... " * 5, 1, 0) is False
    assert caught("......... XX....... OOX...... ..X...... " + "......... " * 5, 2, 0) is True


def test_stones_in_atari_are_saved_by_a_capture() -> None:
    board = board_of(".XO.. XO... .X... ..... .....")
    assert escapes_of(board, at(5, 0, 1)) == [at(5, 1, 2)]


@pytest.mark.parametrize(
    ("before", "capture", "vital"),
    [
        ("XXXX. OOOX. .XXX. ..... .....", (2, 0), (1, 1)),
        ("XXXX. XOOX. XOXX. ..... .....", (3, 1), (1, 1)),
        ("XXXXX OOOOX .XXXX ..... .....", (2, 0), None),
        ("XXXX. OOOX. XOXX. ..... .....", (3, 1), (1, 1)),
        ("XXX.. OOX.. .XX.. ..... .....", (2, 0), None),
    ],
    ids=["three in a row", "bent three", "four in a row", "T", "two"],
)
def test_after_a_capture_the_point_that_divides_the_eye_is_vital(
    before: str, capture: tuple[int, int], vital: tuple[int, int] | None
) -> None:
    board = board_of(before)
    play(board, at(5, *capture), BLACK)
    assert vital_point(board.cells) == (PASS if vital is None else at(5, *vital))


def test_shapes_match_in_every_orientation_and_with_colours_exchanged() -> None:
    shapes = shape_table()
    hane = np.array([list("....."), list(".XOX."), list("....."), list("....."), list(".....")])
    for _ in range(4):
        for rows in (hane, hane[:, ::-1]):
            text = " ".join("".join(row) for row in rows)
            board = board_of(text)
            assert shapes[neighbourhood_code(board.cells, at(5, 2, 2))]
            swapped = board_of(text.translate(str.maketrans("XO", "OX")))
            assert shapes[neighbourhood_code(swapped.cells, at(5, 2, 2))]
        hane = np.rot90(hane)


@pytest.mark.parametrize(
    ("beside", "is_shape"), [("..", True), ("O.", True), (".O", True), ("X.", False), ("OO", True)]
)
def test_a_descent_to_the_edge_is_a_shape_unless_connected_there(
    beside: str, is_shape: bool
) -> None:
    # X is above the point and O next to X, so both want it, unless X is beside the point already.
    board = board_of(f"..... ..... ..... ..XO. .{beside[0]}.{beside[1]}.")
    assert shape_table()[neighbourhood_code(board.cells, at(5, 4, 2))] == is_shape


def test_an_empty_neighbourhood_is_not_a_shape() -> None:
    board = board_of("..... ..... ..... ..... .....")
    shapes = shape_table()
    assert not shapes[neighbourhood_code(board.cells, at(5, 2, 2))]
    assert not shapes[neighbourhood_code(board.cells, at(5, 0, 2))]


def test_a_playout_captures_a_stone_that_was_put_into_atari() -> None:
    chosen = [choice_after_self_atari(seed) for seed in range(40)]
    assert chosen.count(at(5, 1, 2)) > 30


def choice_after_self_atari(seed: int) -> int:
    board = board_of(".X... X.... .X... ..... .....")
    play(board, at(5, 1, 1), WHITE)
    return int(choose(board, new_board(), BLACK, new_rng(seed), shape_table()))


def test_a_playout_does_not_fill_two_eyes() -> None:
    moves = np.zeros(2048, dtype=np.int64)
    for seed in range(50):
        board = board_of(".X.XO XXXXO OOOOO ..... .....")
        lead, length = play_out(
            board, new_board(), WHITE, new_rng(seed), shape_table(), moves, 0, NO_MERCY
        )
        assert board.cells[at(5, 1, 0)] == BLACK
        assert lead >= 8 - 17
        assert length > 2


def test_the_predicted_size_of_a_chain_is_not_too_small() -> None:
    board = board_of("XX.XX ..... ..... ..... .....")
    assert stones_after(board.cells, at(5, 0, 2), BLACK) == 5
