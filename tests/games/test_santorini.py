"""Santorini by its rules, SR-01 to SR-11 of RULES.md."""

import pytest

from gamehall.core import Seat
from gamehall.games.santorini import (
    Cell,
    Place,
    PlacementOrder,
    Santorini,
    SantoriniPosition,
    Turn,
)
from gamehall.games.santorini.board import FLAT, Heights, geometry
from tests.games.playing import perft, random_game, refusal

IN_A_ROW = Santorini(placing=PlacementOrder.IN_A_ROW)


def position(diagram: str, to_move: Seat = Seat.FIRST) -> SantoriniPosition:
    """Return the position of a diagram: heights, with A and B or X and Y for the workers."""
    rows = [row.split() for row in diagram.strip().splitlines()]
    board = geometry(len(rows))
    heights: Heights = FLAT
    found: dict[str, int] = {}
    for row, words in enumerate(rows):
        for column, word in enumerate(words):
            number = board.numbers[Cell(row, column)]
            for _ in range(int(word[0])):
                heights = heights.built_on(number)
            if len(word) == 2:
                found[word[1]] = number
    workers = ((found["A"], found["B"]), (found["X"], found["Y"]))
    order = PlacementOrder.ALTERNATING.seats
    return SantoriniPosition(to_move, None, len(rows), heights, workers, order, Seat.FIRST)


OPEN = """
    0A 0 0 0 0X
    0  0 0 0 0
    0  0 0 0 0
    0  0 0 0 0
    0Y 0 0 0 0B
    """


@pytest.mark.parametrize("size", [5, 6])
def test_SR_01_the_board_is_square_and_flat(size: int) -> None:
    start = Santorini(board=size).start(0)
    assert len(list(start.legal_moves())) == size * size
    assert all(start.height(cell) == 0 for cell in geometry(size).cells)


def test_SR_01_other_sizes_are_refusal() -> None:
    with pytest.raises(ValueError, match="5 or 6"):
        Santorini(board=7)


@pytest.mark.parametrize("order", PlacementOrder)
@pytest.mark.parametrize("first_turn", Seat)
def test_SR_02_two_workers_each_on_four_cells(order: PlacementOrder, first_turn: Seat) -> None:
    now = Santorini(placing=order, first_turn=first_turn).start(0)
    seats = []
    for column in range(4):
        assert now.to_move is not None
        seats.append(now.to_move)
        now = now.after(Place(Cell(0, column)))
        assert column == 3 or "already" in refusal(now, Place(Cell(0, column)))
    assert "".join(str(seat.value) for seat in seats) == order.value
    assert now.to_move is first_turn
    assert [len(now.workers_of(seat)) for seat in Seat] == [2, 2]
    assert "all workers are placed" in refusal(now, Place(Cell(4, 4)))


def test_SR_02_workers_are_placed_on_the_board() -> None:
    start = Santorini().start(0)
    assert "is not on a board of 5 by 5" in refusal(start, Place(Cell(5, 0)))
    assert "is not on a board of 5 by 5" in refusal(start, Place(Cell(0, -1)))
    assert "place one first" in refusal(start, Turn(Cell(0, 0), Cell(0, 1), Cell(0, 2)))


def test_SR_03_a_worker_steps_to_a_free_adjacent_cell() -> None:
    start = position(OPEN)
    assert {move.to for move in start.legal_moves() if isinstance(move, Turn)} == {
        Cell(0, 1), Cell(1, 0), Cell(1, 1), Cell(3, 3), Cell(3, 4), Cell(4, 3)
    }  # fmt: skip
    assert "is not adjacent" in refusal(start, Turn(Cell(0, 0), Cell(0, 0), Cell(0, 1)))
    assert "is not adjacent" in refusal(start, Turn(Cell(0, 0), Cell(2, 2), Cell(2, 3)))
    assert "you have no worker on e5" in refusal(start, Turn(Cell(0, 4), Cell(0, 3), Cell(0, 2)))


def test_SR_03_at_most_one_level_up_and_any_number_down() -> None:
    start = position(
        """
        0A 2 0 0 0X
        1  2 0 0 0
        0  0 0 0 0
        0  0 0 0 0
        0Y 0 0 0 2B
        """
    )
    assert "more than one level higher" in refusal(start, Turn(Cell(0, 0), Cell(0, 1), Cell(0, 2)))
    assert start.after(Turn(Cell(0, 0), Cell(1, 0), Cell(2, 0))).height(Cell(2, 0)) == 1
    assert start.after(Turn(Cell(4, 4), Cell(4, 3), Cell(4, 2))).to_move is Seat.SECOND


def test_SR_03_not_onto_a_worker_of_either_player() -> None:
    start = position(OPEN.replace("0  0 0 0 0\n", "0B 0X 0 0 0\n", 1).replace("0B\n", "0\n", 1)
                     .replace("0A 0 0 0 0X", "0A 0 0 0 0"))  # fmt: skip
    assert "there is a worker on a4" in refusal(start, Turn(Cell(0, 0), Cell(1, 0), Cell(2, 0)))
    assert "there is a worker on b4" in refusal(start, Turn(Cell(0, 0), Cell(1, 1), Cell(2, 0)))


SUMMIT = """
    2A 3 0 0 0X
    4  0 0 0 0
    0  0 0 0 0
    0  0 0 0 0
    0Y 0 0 0 0B
    """


def test_SR_04_the_third_level_wins_at_once_without_a_build() -> None:
    start = position(SUMMIT)
    end = start.after(Turn(Cell(0, 0), Cell(0, 1), None))
    assert end.outcome is not None
    assert end.outcome.winner is Seat.FIRST
    assert list(end.legal_moves()) == []
    assert "wins at once" in refusal(start, Turn(Cell(0, 0), Cell(0, 1), Cell(0, 2)))
    assert "the game is over" in refusal(end, Turn(Cell(0, 4), Cell(0, 3), Cell(0, 2)))


def test_SR_05_the_worker_that_moved_builds_even_where_it_came_from() -> None:
    start = position(OPEN)
    after = start.after(Turn(Cell(0, 0), Cell(1, 1), Cell(0, 0)))
    assert after.height(Cell(0, 0)) == 1
    assert after.workers_of(Seat.FIRST) == (Cell(1, 1), Cell(4, 4))
    assert "must be a build" in refusal(start, Turn(Cell(0, 0), Cell(1, 1), None))
    assert "must build on an adjacent" in refusal(start, Turn(Cell(0, 0), Cell(1, 1), Cell(3, 3)))
    assert "must build on an adjacent" in refusal(start, Turn(Cell(0, 0), Cell(1, 1), Cell(1, 1)))
    assert "worker on e5" in refusal(position(OPEN.replace("0B\n", "0\n").replace(
        "0A 0 0 0 0X", "0A 0 0B 0 0X")), Turn(Cell(0, 2), Cell(0, 3), Cell(0, 4)))  # fmt: skip


def test_SR_06_a_dome_is_neither_entered_nor_built_on() -> None:
    start = position(SUMMIT)
    assert "there is a dome on a4" in refusal(start, Turn(Cell(0, 0), Cell(1, 0), Cell(2, 0)))
    assert "there is a dome on a4" in refusal(start, Turn(Cell(0, 0), Cell(1, 1), Cell(1, 0)))
    domed = start.after(Turn(Cell(0, 0), Cell(1, 1), Cell(0, 1)))
    assert domed.height(Cell(0, 1)) == 4


def test_SR_07_a_player_who_cannot_move_loses() -> None:
    walled = position(
        """
        0X 2 0 2 0Y
        2  1 0 2 2
        0A 0 0 0 0
        0  0 0 0 0
        0  0 0 0 0B
        """
    )
    end = walled.after(Turn(Cell(2, 0), Cell(2, 1), Cell(1, 1)))
    assert end.outcome is not None
    assert end.outcome.winner is Seat.FIRST
    assert end.to_move is None


@pytest.mark.parametrize("seed", range(40))
def test_SR_08_SR_09_SR_10_SR_11_every_game_ends_with_one_winner(seed: int) -> None:
    """A player who can move can build. Each turn builds, so there are at most 4 for each cell."""
    game = Santorini(board=5 + seed % 2)
    last = None
    for turns, now in enumerate(random_game(game, seed)):
        assert isinstance(now, SantoriniPosition)
        if now.to_move is not None and not now.is_placing:
            assert now.can_move(now.to_move)
            assert next(now.legal_moves(), None) is not None
        assert turns <= 4 + 4 * game.board**2
        last = now
    assert last is not None
    assert last.outcome is not None
    assert last.outcome.winner is not None


def test_moves_in_notation() -> None:
    game = Santorini()
    assert game.write_move(Place(Cell(4, 0))) == "a1"
    assert game.write_move(Turn(Cell(2, 2), Cell(1, 2), Cell(1, 3))) == "c3-c4+d4"
    assert game.read_move(" C3-c4 ") == Turn(Cell(2, 2), Cell(1, 2), None)
    for text in ("f1", "a6", "c3-", "c3+c4", "c3-c4-c5", "c3-c4+"):
        with pytest.raises(ValueError, match="is not a move on a board of 5 by 5"):
            game.read_move(text)


@pytest.mark.parametrize(("depth", "count"), [(1, 80), (2, 6176), (3, 426384)])
def test_perft(depth: int, count: int) -> None:
    start = IN_A_ROW.start(0)
    for row, column in [(1, 1), (3, 3), (1, 3), (3, 1)]:
        start = start.after(Place(Cell(row, column)))
    assert perft(start, depth) == count
