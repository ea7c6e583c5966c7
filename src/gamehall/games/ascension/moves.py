"""The moves: play, acquire, defeat, activate, choose, and end the turn."""

from enum import Enum
from typing import NewType, TypeAlias

import msgspec

CardName = NewType("CardName", str)
"""The name of a card in its canonical spelling. Cards of one name are interchangeable."""

HIDDEN = CardName("?")
"""Replaces the name of a card that a viewer may not know."""


class Ability(Enum):
    """An ability of a construct."""

    ORDINARY = ""
    """The effects of the construct; of Yggdrasil Staff, the power."""
    EXCHANGE = "honor"
    """Only Yggdrasil Staff: exchange runes for honor."""


class PlayCard(msgspec.Struct, frozen=True, tag="Play"):
    """Play a card of the hand: a hero has its effect, a construct enters play."""

    card: CardName


class Acquire(msgspec.Struct, frozen=True, tag="Acquire"):
    """Pay runes for a hero or construct."""

    card: CardName


class Defeat(msgspec.Struct, frozen=True, tag="Defeat"):
    """Defeat a monster with power."""

    card: CardName


class Activate(msgspec.Struct, frozen=True, tag="Activate"):
    """Use a construct in play. Each copy can be used once a turn."""

    card: CardName
    ability: Ability = Ability.ORDINARY


class Choose(msgspec.Struct, frozen=True, tag="Choose"):
    """Answer the choice that a card asks for with one of its options, or "" to decline.

    An option is the name of a card, a name after `hand:` or `discard:` if it can come from either,
    or one of the words `rune`, `power` and `play` (RULES.md, 14).
    """

    option: str


class EndTurn(msgspec.Struct, frozen=True, tag="EndTurn"):
    """End the turn. What was not played or spent is lost."""


DECLINE = Choose("")

Move: TypeAlias = PlayCard | Acquire | Defeat | Activate | Choose | EndTurn


def is_move(value: object) -> bool:
    """Return True if the value and its fields have exactly the types of a move, legal or not.

    Not by isinstance: an object of another class can pretend to be an instance.
    """
    if type(value) is Activate:
        return type(value.card) is str and type(value.ability) is Ability
    if type(value) is PlayCard or type(value) is Acquire or type(value) is Defeat:
        return type(value.card) is str
    if type(value) is Choose:
        return type(value.option) is str
    return type(value) is EndTurn
