"""Create positions of Ascension for tests, and play moves in notation.

By default a position has no cards and no runes, a full row of Master Dharthas, and a center deck of
Landtalkers, so that a test can tell which cards have come into the row.
"""

from collections.abc import Sequence
from typing import TypeAlias

from gamehall.core import Chance, Seat
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
from tests.games.playing import refusal

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
    """Return a position. Arguments without `other_` are of the player whose turn it is.

    The row is filled up to six cards unless `short_row` is true.
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
    """Return the position after these moves. Checks that each is listed as legal."""
    for text in moves:
        move = GAME.read_move(text)
        assert move in list(position.legal_moves()), text
        position = position.after(move)
    return position


def refused(position: AscensionPosition, move: str) -> str:
    """Return the error message for an illegal move."""
    return refusal(position, GAME.read_move(move))


def legal(position: AscensionPosition) -> list[str]:
    """Return the legal moves in notation."""
    return [GAME.write_move(move) for move in position.legal_moves()]


def asked(position: AscensionPosition) -> Choice:
    """Return the pending choice."""
    assert position.board.pending is not None
    return position.board.pending


def options(position: AscensionPosition) -> list[str]:
    """Return the options of the pending choice, with "" if it is optional; [] if there is none."""
    pending = position.board.pending
    if pending is None:
        return []
    return [*pending.options, *([""] if pending.optional else [])]


def mine(position: AscensionPosition) -> Side:
    """Return the side of the player whose turn it is."""
    return position.board.mine


def other(position: AscensionPosition) -> Side:
    """Return the side of the opponent of the player whose turn it is."""
    return position.board.side(position.board.turn_owner.other)


def in_play(side: Side) -> list[str]:
    """Return the names of the constructs in play."""
    return [construct.name for construct in side.constructs]


def gained(position: AscensionPosition) -> tuple[int, int, int]:
    """Return the runes, power and honor of the player whose turn it is."""
    return position.board.runes, position.board.power, mine(position).honor


def _names(cards: Cards) -> tuple[CardName, ...]:
    names = [cards] if isinstance(cards, str) else cards
    return tuple(CardName(name) for name in names)


def _in_play(cards: Cards) -> tuple[Construct, ...]:
    return tuple(Construct(name) for name in _names(cards))
