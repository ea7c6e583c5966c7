"""Santorini against the naive game of tests/oracles, which was written from the rules alone."""

import random

import pytest

from gamehall.core import Seat
from gamehall.games.santorini import (
    Cell,
    Move,
    Place,
    PlacementOrder,
    Santorini,
    SantoriniPosition,
    Turn,
)
from tests.oracles.naive_santorini import NaiveSantorini

GAMES = 20


@pytest.mark.parametrize("board", [5, 6])
@pytest.mark.parametrize("order", PlacementOrder)
@pytest.mark.parametrize("first_turn", Seat)
def test_like_the_naive_game_on_all_terms(
    board: int, order: PlacementOrder, first_turn: Seat
) -> None:
    """The legal moves at every position, the heights, the workers and the outcome."""
    chance = random.Random(board * first_turn.value)
    game = Santorini(board, order, first_turn)
    for _ in range(GAMES):
        naive = NaiveSantorini(board, order.value, first_turn.value)
        now = game.start(0)
        while now.outcome is None:
            assert now.to_move is not None
            assert naive.turn == now.to_move.value
            moves = list(now.legal_moves())
            assert {as_tuple(now, move) for move in moves} == legal(naive)
            assert len(moves) == len(legal(naive))
            move = chance.choice(moves)
            now = now.after(move)
            assert play(naive, move)
            assert [[now.height(Cell(r, c)) for c in range(board)] for r in range(board)] == (
                naive.heights
            )
            for seat in Seat:
                assert list(now.workers_of(seat)) == naive.workers[seat.value]
        assert now.outcome.winner is not None
        assert naive.won == now.outcome.winner.value


def legal(naive: NaiveSantorini) -> set[tuple[object, ...]]:
    places = {(cell,) for cell in naive.placements()}
    assert naive.turn is not None
    own = naive.workers[naive.turn]
    return places | {(own[worker], to, build) for worker, to, build in naive.turns()}


def as_tuple(now: SantoriniPosition, move: Move) -> tuple[object, ...]:
    match move:
        case Place(cell):
            return (cell,)
        case Turn(origin, to, build):
            return (origin, to, build)


def play(naive: NaiveSantorini, move: Move) -> bool:
    match move:
        case Place(cell):
            return naive.place(*cell)
        case Turn(origin, to, build):
            assert naive.turn is not None
            return naive.play(naive.workers[naive.turn].index(origin), to, build)
