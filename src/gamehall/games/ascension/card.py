"""What can be printed on a card."""

from enum import Enum

import msgspec

from gamehall.games.ascension.effects import Effect, Exchange, Passive
from gamehall.games.ascension.moves import CardName


class Kind(Enum):
    """What a card is: a hero acts when played, a construct stays in play, a monster is defeated."""

    HERO = "Hero"
    CONSTRUCT = "Construct"
    MONSTER = "Monster"

    # A member is only equal to itself; Enum's own hash is a call of Python.
    __hash__ = object.__hash__


class Faction(Enum):
    """Whom a card belongs to; the heroes one starts with or can always buy belong to nobody."""

    NONE = "None"
    ENLIGHTENED = "Enlightened"
    LIFEBOUND = "Lifebound"
    MECHANA = "Mechana"
    VOID = "Void"
    MONSTER = "Monster"

    __hash__ = object.__hash__


class Card(msgspec.Struct, frozen=True):
    """A card as it is printed; there may be several copies of it."""

    name: CardName
    kind: Kind
    faction: Faction
    cost: int
    """In power for a monster, otherwise in runes."""
    honor: int
    """The reward of a monster; of any other card what it is worth to its owner at the end."""
    copies: int
    """How many there are; of the cards one starts with, how many for each player."""
    effects: tuple[Effect, ...]
    """Of a hero when played, of a construct when used, of a monster after its honor."""
    exchange: Exchange | None = None
    """The second ability of a construct."""
    passive: Passive | None = None
    """What a construct does by itself."""

    @property
    def is_monster(self) -> bool:
        """Whether it is defeated, not acquired."""
        return self.kind is Kind.MONSTER

    @property
    def is_construct(self) -> bool:
        """Whether it stays in play."""
        return self.kind is Kind.CONSTRUCT

    @property
    def is_hero(self) -> bool:
        """Whether it acts when it is played."""
        return self.kind is Kind.HERO
