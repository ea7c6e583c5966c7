"""The vocabulary in which the texts of the cards are written.

An effect is a value. What it does is described here and done in actions.py; for those that ask the
player something, choices.py lists the options.
"""

from enum import Enum
from typing import TypeAlias

import msgspec

from gamehall.games.ascension.moves import CardName


class Zone(Enum):
    """Where a card that is banished may come from."""

    ROW = "center"
    HAND = "hand"
    DISCARD = "discard"
    HAND_OR_DISCARD = "hand_or_discard"


class Passive(Enum):
    """What a construct does by itself, as long as it is in play."""

    HONOR_FOR_LIFEBOUND = "The first Lifebound hero that you play in a turn gives 1 honor."
    HONOR_FOR_MONSTER = "The first monster of the row that you defeat in a turn gives 1 honor."
    DRAW_FOR_MECHANA = "Once a turn, when a Mechana construct enters play, draw a card."
    ACQUIRED_INTO_PLAY = "Once a turn, a Mechana construct you acquire may go into play at once."
    ALL_ARE_MECHANA = "All constructs count as Mechana for you."


class Gain(msgspec.Struct, frozen=True):
    """Gives runes, power, honor, and runes that only Mechana constructs can be paid with."""

    runes: int = 0
    power: int = 0
    honor: int = 0
    restricted_runes: int = 0


class Draw(msgspec.Struct, frozen=True):
    """Draws so many cards, or as many as there are."""

    count: int


class PowerIfLifebound(msgspec.Struct, frozen=True):
    """Gives power if another Lifebound hero was played earlier in the turn."""

    power: int


class HonorPerFaction(msgspec.Struct, frozen=True):
    """Gives 1 honor for each faction printed on constructs in play."""


class PowerPerMechana(msgspec.Struct, frozen=True):
    """Gives 1 power for each Mechana construct in play."""


class DrawIfConstructs(msgspec.Struct, frozen=True):
    """Draws a card if at least so many constructs are in play."""

    constructs: int


class Discount(msgspec.Struct, frozen=True):
    """Makes the next construct that is acquired this turn so many runes cheaper."""

    runes: int


class Exchange(msgspec.Struct, frozen=True):
    """Gives honor for runes."""

    runes: int
    honor: int


class ExtraTurn(msgspec.Struct, frozen=True):
    """Banishes the construct itself and gives one more turn after this one."""


class TakeFromHand(msgspec.Struct, frozen=True):
    """Takes a card from the opponent's hand into one's own, at random."""


class Banish(msgspec.Struct, frozen=True):
    """Asks for a card to banish."""

    zone: Zone
    optional: bool


class DiscardToDraw(msgspec.Struct, frozen=True):
    """Asks for a card of the hand to discard, and draws so many for it."""

    count: int


class DefeatFree(msgspec.Struct, frozen=True):
    """Asks for a monster up to a cost to defeat without power, in the row or the Cultist."""

    highest_cost: int


class AcquireToDeck(msgspec.Struct, frozen=True):
    """Asks for a hero up to a cost (None: of any) to put on top of the deck without runes."""

    highest_cost: int | None = None


class AcquireOrDefeat(msgspec.Struct, frozen=True):
    """Asks for another card of the row, to acquire or defeat it for free."""


class RuneOrPower(msgspec.Struct, frozen=True):
    """Asks for a resource, and gives 1 of it."""


class CopyHero(msgspec.Struct, frozen=True):
    """Asks for a hero played earlier in the turn, and repeats its effect."""


class PutIntoPlay(msgspec.Struct, frozen=True):
    """Asks whether the construct just acquired goes into play."""

    construct: CardName


class LoseConstruct(msgspec.Struct, frozen=True):
    """Asks for the one construct in play that goes to the discard pile."""


class KeepConstruct(msgspec.Struct, frozen=True):
    """Asks for the one construct that stays in play; the others go to the discard pile."""


class OnOpponent(msgspec.Struct, frozen=True):
    """Makes the opponent lose constructs of their choice.

    Where there is something to choose, that is at the start of the opponent's next own turn:
    nothing in between depends on it, and so nobody waits (RULES.md, 10).
    """

    effect: "Loss"


Loss: TypeAlias = LoseConstruct | KeepConstruct

Asking: TypeAlias = (
    Banish
    | DiscardToDraw
    | DefeatFree
    | AcquireToDeck
    | AcquireOrDefeat
    | RuneOrPower
    | CopyHero
    | PutIntoPlay
    | LoseConstruct
    | KeepConstruct
)
"""The effects that ask for a choice."""

Effect: TypeAlias = (
    Gain
    | Draw
    | PowerIfLifebound
    | HonorPerFaction
    | PowerPerMechana
    | DrawIfConstructs
    | Discount
    | Exchange
    | ExtraTurn
    | TakeFromHand
    | OnOpponent
    | Asking
)
