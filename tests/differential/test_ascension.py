"""Ascension against the naive game of tests/oracles, which was written from the rules alone.

Both get the same chance and the same random moves, and must agree on every legal move and on the
whole state after each of them.
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
"""So much that the whole center deck is seen, and the void becomes the next one."""
MOST_MOVES = 6000
"""Two players who have banished whatever gives runes or power would go on for ever."""
PLAYERS = {Seat.FIRST: 0, Seat.SECOND: 1}


class SameChance:
    """Gives the naive game what the real one draws from the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = Chance(seed)

    def shuffled(self, names: Sequence[str]) -> list[str]:
        order, self._chance = self._chance.shuffled(names)
        return list(order)

    def pick(self, names: Sequence[str]) -> str:
        picked, self._chance = self._chance.pick(names)
        return picked


def test_both_have_the_same_cards() -> None:
    ours = {
        name: (card.kind.value, card.faction.value, card.cost, card.honor, card.copies)
        for name, card in CARDS.items()
    }
    assert ours == {name: tuple(card) for name, card in naive_ascension.CARDS.items()}


@pytest.mark.parametrize("seed", range(GAMES))
def test_like_the_naive_game(seed: int) -> None:
    play_alike(Ascension(), seed)


@pytest.mark.parametrize("seed", range(LONG_GAMES))
def test_like_the_naive_game_until_the_void_is_shuffled(seed: int) -> None:
    play_alike(Ascension(honor=MUCH_HONOR), seed)


@pytest.mark.parametrize("seed", range(LONG_GAMES))
def test_like_the_naive_game_with_an_endless_supply(seed: int) -> None:
    play_alike(Ascension(honor=MUCH_HONOR, supply=Supply.ENDLESS), seed)


def play_alike(game: Ascension, seed: int) -> None:
    """One game of random moves, whose players are more or less eager and choosy.

    The eager rarely end a turn while something else can be done; the choosy prefer the cards of the
    row to those that are always there.
    """
    chance = random.Random(seed)
    eagerness, choosiness = chance.random(), chance.random()
    now = game.start(seed)
    naive = NaiveAscension(SameChance(seed), endless=game.supply is Supply.ENDLESS)
    naive.honor_pool = game.honor
    assert_same(now, naive)
    for _ in range(MOST_MOVES):
        if now.outcome is not None:
            break
        moves = {written_naively(now, move): move for move in now.legal_moves()}
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


def written_naively(position: AscensionPosition, move: Move) -> tuple[str, str] | None:
    """The move as the naive game has it; None for the one that it does not have.

    Its Yggdrasil Staff gives power first, and honor only after that (its reading 1).
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
        "pending": pending_naively(board.pending),
        "turn_owner": PLAYERS[board.turn_owner],
        "extra_turn_waiting": board.extra_turns,
    }


def pending_naively(pending: Choice | None) -> dict[str, object] | None:
    if pending is None:
        return None
    return {
        "player": PLAYERS[pending.seat],
        "card": pending.card,
        "kind": pending.kind.value,
        "options": list(pending.options),
        "optional": pending.optional,
    }
