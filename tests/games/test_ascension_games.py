"""Random games of Ascension, and what must be true in all of them."""

import os
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamehall.core import Seat
from gamehall.games.ascension import (
    CARDS,
    Ascension,
    AscensionPosition,
    EndTurn,
    Move,
    default_choice,
)
from gamehall.match import record
from gamehall.match.events import Ending, Result
from gamehall.match.record import Record, RecordedMove
from tests.games.ascension_tables import GAME

ALL_CARDS = Counter[str]({name: card.copies for name, card in CARDS.items()})
ALL_CARDS.update({"Apprentice": 8, "Militia": 2})
"""100 cards of the center deck, 60 that are always available, and two starting decks of 10."""

GAMES = int(os.environ.get("GAMEHALL_GAMES", "120"))
"""How many games are checked. Ten thousand take some minutes."""
PARTS = 12


def random_moves(seed: int, *, game: Ascension = GAME) -> list[tuple[AscensionPosition, Move]]:
    """Return the positions of a random game, each with its move.

    Players are more or less eager: they avoid ending a turn while they can do something else.
    """
    chance = random.Random(seed)
    eagerness = chance.random()
    position, played = game.start(seed), []
    while position.outcome is None:
        moves = list(position.legal_moves())
        if len(moves) > 1 and moves[-1] == EndTurn() and chance.random() < eagerness:
            moves.pop()
        move = chance.choice(moves)
        played.append((position, move))
        position = position.after(move)
    return played


def test_there_are_180_cards() -> None:
    assert ALL_CARDS.total() == 180


def check_game(seed: int) -> None:
    """Check that no card is lost or added, honor adds up, the row is full, and the game ends."""
    for position, _ in random_moves(seed):
        board = position.board
        cards = Counter[str](board.row + board.center_deck + board.void)
        cards.update({"Mystic": board.mystics, "Heavy Infantry": board.heavies, "Cultist": 1})
        for side in board.sides:
            cards.update(side.cards)
        assert +cards == ALL_CARDS
        total = board.honor_pool + sum(side.honor for side in board.sides)
        assert total == 60 or (board.honor_pool == 0 and total > 60)
        assert len(board.row) == 6 or not board.center_deck
        assert min(board.runes, board.power, board.restricted_runes, board.discount) >= 0
        assert (board.pending is None) == (not board.agenda)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_card_is_lost_or_added_and_honor_adds_up(part: int) -> None:
    for seed in range(part, GAMES, PARTS):
        check_game(seed)


@given(st.integers(0, 2**63 - 1))
@settings(max_examples=20)
def test_no_card_is_lost_or_added_under_any_seed(seed: int) -> None:
    check_game(seed)


@pytest.mark.parametrize("seed", range(12))
def test_every_legal_move_can_be_made(seed: int) -> None:
    for position, _ in random_moves(seed)[::7]:
        assert all(position.allows(move) for move in position.legal_moves())


def test_equal_seeds_give_equal_games() -> None:
    assert random_moves(9) == random_moves(9)


@pytest.mark.parametrize("seed", range(6))
def test_a_game_ends_after_a_turn_of_the_second_player_with_the_pool_empty(seed: int) -> None:
    last, move = random_moves(seed)[-1]
    assert move == EndTurn()
    assert last.board.turn_owner is Seat.SECOND
    assert last.board.honor_pool == 0


@pytest.mark.parametrize("seed", range(20))
def test_default_choices_are_always_legal(seed: int) -> None:
    for position, _ in random_moves(seed):
        if position.board.pending:
            assert position.allows(default_choice(position))


def test_a_match_can_be_replayed_from_its_record() -> None:
    game = Ascension(honor=20, ties=True)
    moves = random_moves(3, game=game)
    last = moves[-1][0].after(moves[-1][1])
    assert last.outcome is not None
    written = Record(
        game.name,
        record.write_terms(game),
        3,
        ("ann", "bob"),
        tuple(
            RecordedMove(position.to_move, game.write_move(move))
            for position, move in moves
            if position.to_move
        ),
        Result(last.outcome.winner, Ending.PLAYED_OUT, last.outcome.reason),
    )
    again = Record.from_json(written.to_json())
    read = record.read_game(Ascension, again)
    assert read == game
    assert list(record.positions(read, again))[-1] == last
