"""Compare Go with the naive game of tests/oracles, which was written from the rules alone."""

import random
from decimal import Decimal

import pytest

from gamehall.core import Seat
from gamehall.games.go import Go, GoPosition, Ko, Pass, Point, Scoring, Stone
from tests.oracles.naive_go import BLACK, NOBODY, WHITE, NaiveGo

COLOURS = {Seat.FIRST: BLACK, Seat.SECOND: WHITE}
GAMES = {2: 60, 3: 60, 5: 20, 9: 4}
"""How many games for each size. On small boards positions are repeated often."""


@pytest.mark.parametrize("ko", Ko)
@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("size", GAMES)
def test_the_naive_game_agrees_on_all_terms(size: int, suicide: bool, ko: Ko) -> None:
    """Compare the legal moves at every position, the stones, captures, scores and winner."""
    chance = random.Random(size)
    for _ in range(GAMES[size]):
        handicap = chance.choice([0, 0, 1, 2])
        game = Go(size, 0.5, handicap, ko=ko, suicide=suicide)
        naive = NaiveGo(size, ko.value, suicide, Decimal("0.5"), handicap)
        compare_game(game, naive, chance)


def compare_game(game: Go, naive: NaiveGo, chance: random.Random) -> None:
    now = game.start(0)
    for _ in range(4 * game.size**2):
        assert now.to_move is not None
        assert naive.turn == COLOURS[now.to_move]
        moves = list(now.legal_moves())
        points = {move.point for move in moves if isinstance(move, Stone)}
        assert points == set(naive.legal_points())
        move = chance.choice(moves) if chance.random() < 0.9 else Pass()
        now = now.after(move)
        if isinstance(move, Stone):
            naive.play(*move.point)
        else:
            naive.pass_()
        assert_same(now, naive)
        if now.outcome is not None:
            break
    if now.outcome is not None:
        assert naive.turn is None
        winner = COLOURS[now.outcome.winner] if now.outcome.winner else NOBODY
        assert winner == naive.winner("territory")


def assert_same(now: GoPosition, naive: NaiveGo) -> None:
    stones = {Point(*point): colour for point, colour in naive.board.items() if colour}
    assert {point: COLOURS[seat] for point, seat in now.stones.items()} == stones
    assert now.captured == (naive.captured_by[BLACK], naive.captured_by[WHITE])
    assert now.is_handicap_phase == naive.placing
    assert_chains(now)
    score = now.score()
    for scoring in Scoring:
        totals = naive.scores(scoring.value)
        for seat, colour in COLOURS.items():
            assert Decimal(str(score.of(seat).total(scoring))) == totals[colour]


def assert_chains(now: GoPosition) -> None:
    """Check that the chains and liberties of the goban agree with its points."""
    stones = now.stones
    size = now.terms.size
    for number, head in enumerate(now.goban.heads):
        point = Point(*divmod(number, size))
        assert (head == -1) == (point not in stones)
    for head, chain in now.goban.chains.items():
        members = [n for n, h in enumerate(now.goban.heads) if h == head]
        assert sum(1 << n for n in members) == chain.stones
        liberties = {
            (row + down, column + right)
            for row, column in (divmod(n, size) for n in members)
            for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1))
        }
        empty = {
            (row, column)
            for row, column in liberties
            if 0 <= row < size and 0 <= column < size and Point(row, column) not in stones
        }
        assert sum(1 << row * size + column for row, column in empty) == chain.liberties
