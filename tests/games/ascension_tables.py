"""Arranged positions of Ascension, and moves in writing.

What is not said is plain: no cards, no runes, a full row of Master Dharthas, and a center deck of
Landtalkers, so that a card that has come into the row is known by its name.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import pytest

from gamehall.core import Chance, IllegalMove, Seat
from gamehall.games.ascension import (
    Ascension,
    AscensionBoard,
    AscensionPosition,
    CardName,
    Choice,
    Construct,
    Side,
    Supply,
)

GAME = Ascension()
IN_ROW = "Master Dhartha"
IN_CENTER_DECK = "Landtalker"

Cards: TypeAlias = str | Sequence[str]
"""The name of one card, or of several."""


def table(
    *,
    hand: Cards = (),
    deck: Cards = (),
    discard: Cards = (),
    played: Cards = (),
    constructs: Cards = (),
    honor: int = 0,
    other_hand: Cards = (),
    other_deck: Cards = (),
    other_discard: Cards = (),
    other_constructs: Cards = (),
    other_honor: int = 0,
    row: Cards = (),
    center_deck: Cards = (IN_CENTER_DECK,) * 10,
    void: Cards = (),
    runes: int = 0,
    power: int = 0,
    restricted_runes: int = 0,
    discount: int = 0,
    mystics: int = 30,
    heavies: int = 29,
    honor_pool: int = 60,
    turn_owner: Seat = Seat.FIRST,
    ties: bool = False,
    seed: int = 0,
    short_row: bool = False,
    supply: Supply = Supply.COUNTED,
) -> AscensionPosition:
    """A position in which it is the turn of `turn_owner`, whose cards are those not of the other.

    The row is filled up to six unless it is to be short.
    """
    mine = Side(
        honor, _names(deck), _names(hand), _names(played), _in_play(constructs), _names(discard)
    )
    other = Side(
        other_honor,
        _names(other_deck),
        _names(other_hand),
        (),
        _in_play(other_constructs),
        _names(other_discard),
    )
    given = _names(row)
    filled = given if short_row else given + (CardName(IN_ROW),) * (6 - len(given))
    board = AscensionBoard(
        Chance(seed),
        (mine, other) if turn_owner is Seat.FIRST else (other, mine),
        _names(center_deck),
        filled,
        _names(void),
        mystics,
        heavies,
        honor_pool,
        turn_owner=turn_owner,
        runes=runes,
        power=power,
        restricted_runes=restricted_runes,
        discount=discount,
        supply=supply,
    )
    return AscensionPosition(turn_owner, None, board, ties)


def after(position: AscensionPosition, *moves: str) -> AscensionPosition:
    """The position after these moves, each of which must be listed as legal."""
    for text in moves:
        move = GAME.read_move(text)
        assert move in list(position.legal_moves()), text
        position = position.after(move)
    return position


def refused(position: AscensionPosition, move: str) -> str:
    """Why the move is illegal, in the words of the game."""
    read = GAME.read_move(move)
    assert read not in list(position.legal_moves())
    with pytest.raises(IllegalMove) as refusal:
        position.after(read)
    return str(refusal.value)


def legal(position: AscensionPosition) -> list[str]:
    """The legal moves in writing."""
    return [GAME.write_move(move) for move in position.legal_moves()]


def asked(position: AscensionPosition) -> Choice:
    """The choice that is pending."""
    assert position.board.pending is not None
    return position.board.pending


def options(position: AscensionPosition) -> list[str]:
    """What can be chosen now, "" if it may be declined; no options if nothing is asked."""
    pending = position.board.pending
    if pending is None:
        return []
    return [*pending.options, *([""] if pending.optional else [])]


def mine(position: AscensionPosition) -> Side:
    """The side of the player whose turn it is."""
    return position.board.mine


def other(position: AscensionPosition) -> Side:
    """The side of the player whose turn it is not."""
    return position.board.side(position.board.turn_owner.other)


def in_play(side: Side) -> list[str]:
    """The names of the constructs in play."""
    return [construct.name for construct in side.constructs]


def gained(position: AscensionPosition) -> tuple[int, int, int]:
    """Runes, power and honor of the player whose turn it is."""
    return position.board.runes, position.board.power, mine(position).honor


def _names(cards: Cards) -> tuple[CardName, ...]:
    return tuple(CardName(name) for name in _listed(cards))


def _in_play(cards: Cards) -> tuple[Construct, ...]:
    return tuple(Construct(name) for name in _names(cards))


def _listed(cards: Cards) -> Iterator[str]:
    yield from [cards] if isinstance(cards, str) else cards
