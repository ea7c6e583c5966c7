"""What a player can do: play, acquire, defeat, activate, choose, and end the turn."""

from enum import Enum
from typing import NewType, TypeAlias

import msgspec

CardName = NewType("CardName", str)
"""The name of a card in its canonical spelling. Cards of one name are interchangeable."""

HIDDEN = CardName("?")
"""Stands for a card that a viewer may not know."""


class Ability(Enum):
    """Which of the abilities of a construct is used."""

    ORDINARY = ""
    """What the construct gives; of Yggdrasil Staff, the power."""
    EXCHANGE = "honor"
    """Yggdrasil Staff only: runes for honor."""


class PlayCard(msgspec.Struct, frozen=True, tag="Play"):
    """A card of the hand is played: a hero has its effect, a construct enters play."""

    card: CardName


class Acquire(msgspec.Struct, frozen=True, tag="Acquire"):
    """A hero or construct is bought with runes."""

    card: CardName


class Defeat(msgspec.Struct, frozen=True, tag="Defeat"):
    """A monster is defeated with power."""

    card: CardName


class Activate(msgspec.Struct, frozen=True, tag="Activate"):
    """A construct in play is used, which each copy can be once a turn."""

    card: CardName
    ability: Ability = Ability.ORDINARY


class Choose(msgspec.Struct, frozen=True, tag="Choose"):
    """The answer to the choice that a card asks for: one of its options, "" to decline.

    An option is the name of a card, a name after `hand:` or `discard:` where it may come from
    either, or one of the words `rune`, `power` and `play` (RULES.md, 14).
    """

    option: str


class EndTurn(msgspec.Struct, frozen=True, tag="EndTurn"):
    """The turn is over; what was not played or spent is lost."""


DECLINE = Choose("")

Move: TypeAlias = PlayCard | Acquire | Defeat | Activate | Choose | EndTurn


def is_move(value: object) -> bool:
    """Return True if the value is a move, legal or not: of these very types, inside as well.

    Not by isinstance: a foreign object may pretend to be an instance of anything.
    """
    if type(value) is Activate:
        return type(value.card) is str and type(value.ability) is Ability
    if type(value) is PlayCard or type(value) is Acquire or type(value) is Defeat:
        return type(value.card) is str
    if type(value) is Choose:
        return type(value.option) is str
    return type(value) is EndTurn
