"""Compare Ascension with the naive game of tests/oracles, which was written from the rules alone.

Both get the same seed and the same random moves, and must agree on the legal moves and the whole
state after every move.
"""

import random
from collections.abc import Sequence

import pytest

from gamehall.core import Chance, Seat
from gamehall.games.ascension import (
    CARDS,
    Ability,
    Acquire,
    Activate,
    Ascension,
    AscensionPosition,
    Choice,
    Choose,
    Defeat,
    EndTurn,
    Move,
    PlayCard,
    Supply,
)
from tests.oracles import naive_ascension
from tests.oracles.naive_ascension import NaiveAscension

GAMES = 60
LONG_GAMES = 12
MUCH_HONOR = 400
"""Enough that the center deck runs out and the void is shuffled."""
MAX_MOVES = 6000
"""A limit, because a game cannot end after all cards with runes and power were banished."""
PLAYERS = {Seat.FIRST: 0, Seat.SECOND: 1}


class SameChance:
    """Gives the naive game the same random values as the real one."""

    def __init__(self, seed: int) -> None:
        self._chance = Chance(seed)

    def shuffled(self, names: Sequence[str]) -> list[str]:
        order, self._chance = self._chance.shuffled(names)
        return list(order)

    def pick(self, names: Sequence[str]) -> str:
        picked, self._chance = self._chance.pick(names)
        return picked


def test_both_games_have_the_same_cards() -> None:
    ours = {
        name: (card.kind.value, card.faction.value, card.cost, card.honor, card.copies)
        for name, card in CARDS.items()
    }
    assert ours == {name: tuple(card) for name, card in naive_ascension.CARDS.items()}


@pytest.mark.parametrize("seed", range(GAMES))
def test_the_games_agree(seed: int) -> None:
    compare_game(Ascension(), seed)


@pytest.mark.parametrize("seed", range(LONG_GAMES))
def test_the_games_agree_until_the_void_is_shuffled(seed: int) -> None:
    compare_game(Ascension(honor=MUCH_HONOR), seed)


@pytest.mark.parametrize("seed", range(LONG_GAMES))
def test_the_games_agree_with_an_endless_supply(seed: int) -> None:
    compare_game(Ascension(honor=MUCH_HONOR, supply=Supply.ENDLESS), seed)


def compare_game(game: Ascension, seed: int) -> None:
    """Compare a game of random moves.

    Eager players rarely end a turn while they can do something else; choosy players prefer cards
    of the row to those that are always available.
    """
    chance = random.Random(seed)
    eagerness, choosiness = chance.random(), chance.random()
    now = game.start(seed)
    naive = NaiveAscension(SameChance(seed), endless=game.supply is Supply.ENDLESS)
    naive.honor_pool = game.honor
    assert_same(now, naive)
    for _ in range(MAX_MOVES):
        if now.outcome is not None:
            break
        moves = {naive_move(now, move): move for move in now.legal_moves()}
        choices = sorted(written for written in moves if written is not None)
        assert choices == sorted(naive.moves())
        if len(choices) > 1 and ("end_turn", "") in choices and chance.random() < eagerness:
            choices.remove(("end_turn", ""))
        rare = [choice for choice in choices if choice[1] in naive_ascension.CENTER]
        if rare and chance.random() < choosiness:
            choices = rare
        chosen = chance.choice(choices)
        now = now.after(moves[chosen])
        naive.do(chosen)
        assert_same(now, naive)
    if now.outcome is not None:
        assert naive.to_move is None
        assert now.outcome.winner is not None
        assert PLAYERS[now.outcome.winner] == naive.winner


def naive_move(position: AscensionPosition, move: Move) -> tuple[str, str] | None:
    """Return the move in the form of the naive game, or None if it does not have the move.

    Its Yggdrasil Staff exchanges honor only after giving power (its reading 1).
    """
    match move:
        case PlayCard(name):
            return ("play", name)
        case Acquire(name):
            return ("acquire", name)
        case Defeat(name):
            return ("defeat", name)
        case Activate(name, Ability.EXCHANGE):
            return None if position.allows(Activate(name)) else ("activate", name)
        case Activate(name):
            return ("activate", name)
        case Choose(option):
            return ("choose", option)
        case EndTurn():
            return ("end_turn", "")


def assert_same(now: AscensionPosition, naive: NaiveAscension) -> None:
    board = now.board
    assert naive.to_move == (None if now.to_move is None else PLAYERS[now.to_move])
    assert now.scores() == naive.scores()
    assert naive.state() == {
        "players": [
            {
                "honor": side.honor,
                "deck": list(side.deck),
                "hand": sorted(side.hand),
                "played": sorted(side.played),
                "constructs": sorted(construct.name for construct in side.constructs),
                "discard": sorted(side.discard),
            }
            for side in board.sides
        ],
        "center_deck": list(board.center_deck),
        "row": sorted(board.row),
        "void": sorted(board.void),
        "mystics": board.mystics,
        "heavies": board.heavies,
        "honor_pool": board.honor_pool,
        "runes": board.runes,
        "power": board.power,
        "restricted_runes": board.restricted_runes,
        "monk_discount": board.discount,
        "pending": naive_choice(board.pending),
        "turn_owner": PLAYERS[board.turn_owner],
        "extra_turn_waiting": board.extra_turns,
    }


def naive_choice(pending: Choice | None) -> dict[str, object] | None:
    if pending is None:
        return None
    return {
        "player": PLAYERS[pending.seat],
        "card": pending.card,
        "kind": pending.kind.value,
        "options": list(pending.options),
        "optional": pending.optional,
    }
