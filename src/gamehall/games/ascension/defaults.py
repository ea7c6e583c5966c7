"""The choice that is made for a client that knows of no choices (RULES.md, 10).

What may be declined is declined, only a construct is always put into play by a Courier. What must
be chosen:

    to banish or discard        the card of the lowest cost
    to acquire or copy          the hero of the highest cost
    to defeat                   the monster of the highest reward
    to acquire or defeat        the card with the most honor on it, then of the highest cost
    rune or power               a rune
    a construct to lose         the one of the lowest cost
    a construct to keep         the one of the highest cost

Among equals the first by name. Of constructs only the use is at stake, their honor stays with the
owner: so the cost says what they are worth.
"""

from collections.abc import Callable

from gamehall.games.ascension.board import ChoiceKind
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.choices import PLAY, RUNE, card_of
from gamehall.games.ascension.moves import DECLINE, Choose
from gamehall.games.ascension.position import AscensionPosition


def default_choice(position: AscensionPosition) -> Choose:
    """What is chosen by default. Raises ValueError if nothing is to be chosen."""
    pending = position.board.pending
    if pending is None:
        raise ValueError("no choice is pending here")
    if pending.kind is ChoiceKind.PUT_INTO_PLAY:
        return Choose(PLAY)
    if pending.optional:
        return DECLINE
    # The options are in alphabetical order, and the first of equals is taken.
    return Choose(max(pending.options, key=_MERITS[pending.kind]))


def _cost(option: str) -> tuple[int, ...]:
    return (CARDS[card_of(option)].cost,)


def _cheapness(option: str) -> tuple[int, ...]:
    return (-CARDS[card_of(option)].cost,)


def _honor(option: str) -> tuple[int, ...]:
    return (CARDS[card_of(option)].honor,)


def _honor_then_cost(option: str) -> tuple[int, ...]:
    return _honor(option) + _cost(option)


def _is_rune(option: str) -> tuple[int, ...]:
    return (option == RUNE,)


_MERITS: dict[ChoiceKind, Callable[[str], tuple[int, ...]]] = {
    ChoiceKind.BANISH: _cheapness,
    ChoiceKind.DISCARD: _cheapness,
    ChoiceKind.DESTROY_CONSTRUCT: _cheapness,
    ChoiceKind.ACQUIRE_TO_DECK: _cost,
    ChoiceKind.COPY_HERO: _cost,
    ChoiceKind.KEEP_CONSTRUCT: _cost,
    ChoiceKind.DEFEAT_FREE: _honor,
    ChoiceKind.ACQUIRE_OR_DEFEAT: _honor_then_cost,
    ChoiceKind.RESOURCE: _is_rune,
}
