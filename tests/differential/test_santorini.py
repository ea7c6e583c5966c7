"""Compare Santorini with the naive game of tests/oracles, written from the rules alone."""

import os
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import pytest

from gamehall.core import Seat
from gamehall.games.santorini import Cell, Move, Place, PlacementOrder, Santorini, Turn
from tests.oracles.naive_santorini import NaiveSantorini

# ALL_GAMES=1 plays 10,000 games, which take two minutes on two cores: 5,600 on the default terms,
# and 400 on each of eleven others.
IS_LONG_RUN = bool(os.environ.get("ALL_GAMES"))
GAMES_ON_DEFAULT_TERMS = 5_600 if IS_LONG_RUN else 400
GAMES_ON_OTHER_TERMS = 400 if IS_LONG_RUN else 100


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    # Spawned, because a fork is not safe after other tests have started threads.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.mark.parametrize("board", [5, 6])
@pytest.mark.parametrize("order", PlacementOrder)
@pytest.mark.parametrize("first_turn", Seat)
def test_the_naive_game_agrees_over_many_random_games(
    pool: ProcessPoolExecutor, board: int, order: PlacementOrder, first_turn: Seat
) -> None:
    """Compare the legal moves at every position, the heights, workers and outcome."""
    game = Santorini(board, order, first_turn)
    games = GAMES_ON_DEFAULT_TERMS if game == Santorini() else GAMES_ON_OTHER_TERMS
    ends = set(pool.map(partial(compare_game, game), range(games), chunksize=20))
    assert len(ends) == 4, "each player must win by the third level and by a stuck opponent"


def compare_game(game: Santorini, seed: int) -> tuple[Seat, bool]:
    """Play one random game on both. Return the winner, and True if it won on the third level.

    Assertion details are not reported from other processes: to see them, call this with the game
    and the seed of the message.
    """
    chance = random.Random(seed)
    naive = NaiveSantorini(game.board, game.placing.value, game.first_turn.value)
    cells = [Cell(row, column) for row in range(game.board) for column in range(game.board)]
    where = f"{game}, seed {seed}"
    now = game.start(0)
    move: Move | None = None
    while now.outcome is None:
        assert now.to_move is not None, where
        assert naive.turn == now.to_move.value, where
        moves = list(now.legal_moves())
        naive_moves = [(cell,) for cell in naive.placements()] + naive.turns()
        assert {as_tuple(move) for move in moves} == set(naive_moves), where
        assert len(moves) == len(naive_moves), where
        move = chance.choice(moves)
        now = now.after(move)
        play(naive, move)
        assert {cell: now.height(cell) for cell in cells} == naive.heights, where
        for seat in Seat:
            assert list(now.workers_of(seat)) == naive.workers[seat.value], where
    assert naive.turn is None, where
    assert now.outcome.winner is not None, where
    assert naive.won == now.outcome.winner.value, where
    return now.outcome.winner, isinstance(move, Turn) and move.build is None


def as_tuple(move: Move) -> tuple[Cell | None, ...]:
    match move:
        case Place(cell):
            return (cell,)
        case Turn(origin, to, build):
            return (origin, to, build)


def play(naive: NaiveSantorini, move: Move) -> None:
    match move:
        case Place(cell):
            naive.place(cell)
        case Turn(origin, to, build):
            naive.play(origin, to, build)
