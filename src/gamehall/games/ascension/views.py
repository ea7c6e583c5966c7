"""The board as others may see it.

Cards that a viewer may not know keep their number but not their names: the decks always, and the
hand of another player. So boards that differ only in these look the same. A view is for showing,
and not to be played on.
"""

import msgspec

from gamehall.core import Chance, Seat
from gamehall.games.ascension.board import Board, Choice, Side
from gamehall.games.ascension.choices import FROM_HAND, zone_asked
from gamehall.games.ascension.effects import Zone
from gamehall.games.ascension.moves import HIDDEN, CardName

UNKNOWN_CHANCE = Chance(0)


def of(board: Board, viewer: Seat | None) -> Board:
    """What the player in that seat may see; None is a spectator, who sees no hand."""
    first, second = board.sides
    sides = (
        _side(first, shows_hand=viewer is Seat.FIRST),
        _side(second, shows_hand=viewer is Seat.SECOND),
    )
    pending = board.pending
    if pending and pending.seat is not viewer:
        pending = _without_hand(board, pending)
    return _with_hidden_decks(board, sides, pending)


def open_hands(board: Board) -> Board:
    """What everybody may see where hands are played openly."""
    first, second = board.sides
    sides = (_side(first, shows_hand=True), _side(second, shows_hand=True))
    return _with_hidden_decks(board, sides, board.pending)


def _with_hidden_decks(board: Board, sides: tuple[Side, Side], pending: Choice | None) -> Board:
    return msgspec.structs.replace(
        board,
        chance=UNKNOWN_CHANCE,
        sides=sides,
        center_deck=_backs(board.center_deck),
        pending=pending,
    )


def _side(side: Side, *, shows_hand: bool) -> Side:
    hand = side.hand if shows_hand else _backs(side.hand)
    return msgspec.structs.replace(side, deck=_backs(side.deck), hand=hand)


def _backs(cards: tuple[CardName, ...]) -> tuple[CardName, ...]:
    return (HIDDEN,) * len(cards)


def _without_hand(board: Board, pending: Choice) -> Choice:
    """The choice without the options that are cards of the hand."""
    if zone_asked(board) is Zone.HAND:
        return msgspec.structs.replace(pending, options=())
    options = tuple(option for option in pending.options if not option.startswith(FROM_HAND))
    return msgspec.structs.replace(pending, options=options)
