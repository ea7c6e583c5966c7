"""The compiled board of the Go bot against the rules, position by position."""

import random

import pytest

from gamehall.bots.go.board import (
    BLACK,
    CAPTURED,
    COLOUR,
    EMPTY_COUNT,
    EMPTY_POINTS,
    HEAD,
    LIBERTY_COUNT,
    PLACED_LEAD,
    STONE_LEAD,
    STONES,
    Board,
    Cells,
    area_lead,
    copy,
    is_legal,
    liberty_after,
    new_board,
    play,
    play_pass,
    set_up,
)
from gamehall.bots.go.bot import COLOURS, index_of
from gamehall.bots.go.tactics import MANY_LIBERTIES, is_self_atari, liberties_after
from gamehall.core import Seat
from gamehall.games.go import Go, GoPosition, Ko, Pass, Point, Scoring, Stone
from gamehall.games.go.board import geometry, numbers_in

GAMES_BY_SIZE = {2: 30, 3: 30, 5: 20, 9: 6, 10: 3, 19: 1}
"""On boards of ten lines and more, a set of points takes at least three words."""


@pytest.mark.parametrize("size", GAMES_BY_SIZE)
def test_random_games_agree_with_the_rules(size: int) -> None:
    captures = 0
    for seed in range(GAMES_BY_SIZE[size]):
        chance = random.Random(seed)
        position = Go(size, 0.5, ko=Ko.SIMPLE, scoring=Scoring.AREA).start(0)
        board = new_board()
        cells = board.cells
        set_up(board, size)
        for _ in range(3 * size**2):
            assert position.to_move is not None
            colour = COLOURS[position.to_move]
            check_legal_moves(position, cells, colour)
            check_chains(position, board)
            move = chance.choice([*position.legal_moves()][:-1] or [Pass()])
            taken_before = sum(position.captured)
            position = position.after(move)
            if isinstance(move, Stone):
                check_liberties_after(position, board, move.point, colour)
                play(board, index_of(move.point, size), colour)
            else:
                play_pass(cells)
            captures += cells[CAPTURED]
            assert cells[CAPTURED] == sum(position.captured) - taken_before
            if position.to_move is None:
                break
        check_score(position, cells)
    assert captures


def check_legal_moves(position: GoPosition, cells: Cells, colour: int) -> None:
    free = cells[EMPTY_POINTS : EMPTY_POINTS + cells[EMPTY_COUNT]]
    mine = {int(point) for point in free if is_legal(cells, int(point), colour)}
    legal = [move for move in position.legal_moves() if isinstance(move, Stone)]
    assert mine == {index_of(move.point, position.terms.size) for move in legal}


def check_chains(position: GoPosition, board: Board) -> None:
    cells = board.cells
    size = position.terms.size
    points = geometry(size).points
    stones = position.stones
    for point in points:
        here = int(cells[COLOUR + index_of(point, size)])
        assert here == (COLOURS[stones[point]] if point in stones else 0)
    for chain in position.goban.chains.values():
        indices = {index_of(points[number], size) for number in numbers_in(chain.stones)}
        [head] = {int(cells[HEAD + index]) for index in indices}
        assert head in indices
        assert cells[STONES + head] == len(indices)
        expected = [index_of(points[number], size) for number in numbers_in(chain.liberties)]
        assert cells[LIBERTY_COUNT + head] == len(expected)
        assert liberties_of(board, head) == sorted(expected)


def liberties_of(board: Board, head: int) -> list[int]:
    found: list[int] = []
    point = 0
    while point := int(liberty_after(board, head, point)):
        found.append(point)
    return found


def check_liberties_after(after: GoPosition, board: Board, point: Point, colour: int) -> None:
    """Compare the predicted liberties of a move with the real ones, if it captures nothing."""
    goban, size = after.goban, after.terms.size
    chain = goban.chains[goban.heads[geometry(size).numbers[point]]]
    predicted = liberties_after(board, index_of(point, size), colour)
    assert is_self_atari(board, index_of(point, size), colour) == (predicted < 2)
    if len(after.stones) == size**2 - board.cells[EMPTY_COUNT] + 1:
        assert predicted == min(chain.liberties.bit_count(), MANY_LIBERTIES)
    else:
        assert 1 <= predicted <= chain.liberties.bit_count()


def check_score(position: GoPosition, cells: Cells) -> None:
    black, white = (position.score().of(seat) for seat in Seat)
    by_area = black.total(Scoring.AREA) - white.total(Scoring.AREA) + position.terms.komi
    assert area_lead(cells) == by_area
    assert cells[STONE_LEAD] == black.stones - white.stones
    by_territory = black.total(Scoring.TERRITORY) - white.total(Scoring.TERRITORY)
    assert area_lead(cells) - cells[PLACED_LEAD] == by_territory + position.terms.komi


def test_a_copy_is_independent() -> None:
    board, other = new_board(), new_board()
    set_up(board, 5)
    play(board, 8, BLACK)
    copy(board, other)
    play(other, 9, BLACK)
    assert liberties_of(board, 8) == [7, 9, 14]
    assert liberties_of(other, int(other.cells[HEAD + 9])) == [7, 10, 14, 15]
