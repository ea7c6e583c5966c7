"""Compare Connect Four with OpenSpiel and with the naive game of tests/oracles."""

import random

import pyspiel
import pytest

from gamehall.core import Outcome, Seat
from gamehall.games.connect_four import Cell, ConnectFour, ConnectFourPosition, Gravity
from tests.oracles.naive_connect_four import NaiveConnectFour

GAMES = 1_000


def test_1000_random_games_agree_with_open_spiel() -> None:
    theirs = pyspiel.load_game("connect_four")
    chance = random.Random(2003)
    winners: set[Seat | None] = set()
    for _ in range(GAMES):
        state, position = theirs.new_initial_state(), ConnectFour().start(0)
        while position.outcome is None:
            assert not state.is_terminal()
            assert state.current_player() == (0 if position.to_move is Seat.FIRST else 1)
            moves = list(position.legal_moves())
            assert state.legal_actions() == [move.column for move in moves]
            assert pieces(str(state)) == drawn(position)
            move = chance.choice(moves)
            state.apply_action(move.column)
            position = position.after(move)
        assert state.is_terminal()
        assert pieces(str(state)) == drawn(position)
        assert state.returns() == returns(position.outcome)
        winners.add(position.outcome.winner)
    assert winners == {Seat.FIRST, Seat.SECOND, None}, "all three outcomes must occur"


def returns(outcome: Outcome) -> list[float]:
    if outcome.winner is None:
        return [0.0, 0.0]
    return [1.0, -1.0] if outcome.winner is Seat.FIRST else [-1.0, 1.0]


def pieces(drawing: str) -> str:
    """Return OpenSpiel's board as one line: six rows from the top, x moves first."""
    return drawing.replace("\n", "")


def drawn(position: ConnectFourPosition) -> str:
    marks = {Seat.FIRST: "x", Seat.SECOND: "o", None: "."}
    return "".join(marks[position.at(Cell(c, r))] for r in range(6) for c in range(7))


@pytest.mark.parametrize("gravity", Gravity)
@pytest.mark.parametrize("line_length", [3, 4, 5, 6, 7])
def test_the_naive_game_agrees_on_all_terms(gravity: Gravity, line_length: int) -> None:
    """Compare legal moves, the meaning of every named cell, the board and the outcome."""
    chance = random.Random(line_length)
    every_name = [Cell(column, row) for column in range(-1, 8) for row in range(-1, 7)]
    for _ in range(40):
        naive = NaiveConnectFour(line_length, gravity.value)
        position = ConnectFour(line_length, gravity).start(0)
        while position.outcome is None:
            assert naive.won == 0
            moves = list(position.legal_moves())
            assert moves == naive.resting_cells()
            legal = set(moves)
            for name in every_name:
                meant = position.named(*name)
                assert naive.names(*name) == (meant if meant in legal else None)
            name = chance.choice([name for name in every_name if position.named(*name) in legal])
            assert naive.play(*name)
            position = position.after(position.named(*name))
            assert naive.spots() == position.spots
            assert position == type(position).of(
                position.spots, position.next_seat, line_length, gravity
            )
            assert naive.turn == (1 if position.next_seat is Seat.FIRST else 2)
        won = {Seat.FIRST: 1, Seat.SECOND: 2, None: 3}[position.outcome.winner]
        assert naive.won == won
