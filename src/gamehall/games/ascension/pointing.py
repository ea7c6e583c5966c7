"""What a card on the table means when it is pointed at: a move, by the words that write it."""

from enum import Enum

from gamehall.games.ascension.board import Board, ChoiceKind
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.choices import FROM_DISCARD, FROM_HAND, zone_asked
from gamehall.games.ascension.effects import Zone
from gamehall.games.ascension.moves import (
    HIDDEN,
    Ability,
    Acquire,
    Activate,
    CardName,
    Choose,
    Defeat,
    Play,
)
from gamehall.games.ascension.notation import write


class Place(Enum):
    """Where a card lies. The hand and what follows are those of the player whose turn it is."""

    OFFER = "offer"
    """The row, and the piles beside it."""
    HAND = "hand"
    DISCARD = "discard"
    PLAYED = "played"
    CONSTRUCTS = "constructs"


PLACES = {
    ChoiceKind.DISCARD: Place.HAND,
    ChoiceKind.DEFEAT_FREE: Place.OFFER,
    ChoiceKind.ACQUIRE_TO_DECK: Place.OFFER,
    ChoiceKind.ACQUIRE_OR_DEFEAT: Place.OFFER,
    ChoiceKind.COPY_HERO: Place.PLAYED,
    ChoiceKind.DESTROY_CONSTRUCT: Place.CONSTRUCTS,
    ChoiceKind.KEEP_CONSTRUCT: Place.CONSTRUCTS,
}
"""Where the options of a choice lie; those of a choice that is not here differ, or are no cards."""

ZONES = {Zone.ROW: Place.OFFER, Zone.HAND: Place.HAND, Zone.DISCARD: Place.DISCARD}
PREFIXES = {Place.HAND: FROM_HAND, Place.DISCARD: FROM_DISCARD}


def target(board: Board, place: Place, name: CardName) -> str | None:
    """The move that this card stands for at its place, legal or not; None if there is none."""
    if name == HIDDEN:
        return None
    if board.pending:
        option = _option(board, place, name)
        return write(Choose(option)) if option in board.pending.options else None
    match place:
        case Place.OFFER:
            return write(Defeat(name) if CARDS[name].is_monster else Acquire(name))
        case Place.HAND:
            return write(Play(name))
        case Place.CONSTRUCTS:
            return write(Activate(name)) if CARDS[name].effects else None
        case Place.DISCARD | Place.PLAYED:
            return None


def exchange_target(board: Board, name: CardName) -> str | None:
    """The move that the second ability of a construct stands for, if it has one."""
    if board.pending or not CARDS[name].exchange:
        return None
    return write(Activate(name, Ability.EXCHANGE))


def asks_for_discard(board: Board) -> bool:
    """Whether a card of the discard pile can be chosen now."""
    pending = board.pending
    return pending is not None and any(
        _option(board, Place.DISCARD, name) in pending.options for name in board.mine.discard
    )


def _option(board: Board, place: Place, name: CardName) -> str | None:
    """The option that the card at this place is, if the pending choice asks for such."""
    pending = board.pending
    if pending is None:
        return None
    prefixed = PREFIXES.get(place, "") + name
    if prefixed != name and prefixed in pending.options:
        return prefixed
    asked = PLACES.get(pending.kind)
    if pending.kind is ChoiceKind.BANISH:
        zone = zone_asked(board)
        asked = ZONES.get(zone) if zone else None
    return name if asked is place else None
