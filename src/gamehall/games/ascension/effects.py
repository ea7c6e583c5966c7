"""The effects that cards can have, from which the texts of all cards are composed.

An effect is a value. The actions module resolves it, the choices module lists the options of the
effects that ask the player for a choice, and `describe` writes it as a sentence.
"""

from enum import Enum
from typing import TypeAlias

import msgspec

from gamehall.core import counted
from gamehall.games.ascension.moves import CardName


class Zone(Enum):
    """The cards among which a player chooses."""

    ROW = "center"
    HAND = "hand"
    DISCARD = "discard"
    HAND_OR_DISCARD = "hand_or_discard"


class Passive(Enum):
    """The permanent effect of a construct in play, with its text."""

    HONOR_FOR_LIFEBOUND = "The first Lifebound hero that you play in a turn gives 1 honor."
    HONOR_FOR_MONSTER = "The first monster of the row that you defeat in a turn gives 1 honor."
    DRAW_FOR_MECHANA = "Once a turn, when a Mechana construct enters play, draw a card."
    ACQUIRED_INTO_PLAY = "Once a turn, a Mechana construct you acquire may go into play at once."
    ALL_ARE_MECHANA = "All constructs count as Mechana for you."


class Gain(msgspec.Struct, frozen=True):
    """Gain runes, power and honor. Restricted runes can only pay for Mechana constructs."""

    runes: int = 0
    power: int = 0
    honor: int = 0
    restricted_runes: int = 0


class Draw(msgspec.Struct, frozen=True):
    """Draw cards, as many as there are."""

    count: int


class PowerIfLifebound(msgspec.Struct, frozen=True):
    """Gain power if another Lifebound hero was played earlier in the turn."""

    power: int


class HonorPerFaction(msgspec.Struct, frozen=True):
    """Gain 1 honor for each faction printed on one's constructs in play."""


class PowerPerMechana(msgspec.Struct, frozen=True):
    """Gain 1 power for each of one's Mechana constructs in play."""


class DrawIfConstructs(msgspec.Struct, frozen=True):
    """Draw a card if at least this many constructs are in play."""

    constructs: int


class Discount(msgspec.Struct, frozen=True):
    """Pay fewer runes for the next construct that is acquired this turn."""

    runes: int


class Exchange(msgspec.Struct, frozen=True):
    """Pay runes and gain honor."""

    runes: int
    honor: int


class ExtraTurn(msgspec.Struct, frozen=True):
    """Banish the construct itself and have one more turn after this one."""


class TakeFromHand(msgspec.Struct, frozen=True):
    """Take a random card from the opponent's hand into one's own."""


class Banish(msgspec.Struct, frozen=True):
    """Choose a card to banish."""

    zone: Zone
    optional: bool


class DiscardToDraw(msgspec.Struct, frozen=True):
    """Choose a card of the hand to discard, then draw cards."""

    count: int


class DefeatFree(msgspec.Struct, frozen=True):
    """Choose a monster of the row, or the Cultist, and defeat it without power."""

    highest_cost: int


class AcquireToDeck(msgspec.Struct, frozen=True):
    """Choose a hero of the row or a pile, and put it on top of one's deck without runes."""

    highest_cost: int | None = None


class AcquireOrDefeat(msgspec.Struct, frozen=True):
    """Choose another card of the row, and acquire or defeat it for free."""


class RuneOrPower(msgspec.Struct, frozen=True):
    """Choose between 1 rune and 1 power."""


class CopyHero(msgspec.Struct, frozen=True):
    """Choose a hero played earlier in the turn, and repeat its effect."""


class PutIntoPlay(msgspec.Struct, frozen=True):
    """Choose whether the construct just acquired goes into play."""

    construct: CardName


class LoseConstruct(msgspec.Struct, frozen=True):
    """Choose the one construct in play that goes to the discard pile."""


class KeepConstruct(msgspec.Struct, frozen=True):
    """Choose the one construct that stays in play; the others go to the discard pile."""


Loss: TypeAlias = LoseConstruct | KeepConstruct


class OnOpponent(msgspec.Struct, frozen=True):
    """Make the opponent lose constructs.

    If there is a choice, the opponent makes it at the start of its next turn. Nothing before that
    depends on it, so the game does not have to wait for it (RULES.md, 10).
    """

    effect: Loss


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

ZONE_WORDS = {
    Zone.ROW: "a card of the row",
    Zone.HAND: "a card of your hand",
    Zone.DISCARD: "a card of your discard pile",
    Zone.HAND_OR_DISCARD: "a card of your hand or discard pile",
}


def describe(effect: Effect) -> str:
    """Return the effect as a sentence, "" if no card has it by itself."""
    match effect:
        case Gain(runes, power, honor, restricted_runes):
            parts = [counted(runes, "rune")] if runes else []
            parts += [f"{power} power"] if power else []
            parts += [f"{honor} honor"] if honor else []
            if restricted_runes:
                parts.append(f"{counted(restricted_runes, 'rune')} for Mechana constructs")
            return " and ".join(parts) + "."
        case Draw(count):
            return f"Draw {counted(count, 'card')}."
        case PowerIfLifebound(power):
            return f"{power} power if you have played another Lifebound hero this turn."
        case HonorPerFaction():
            return "1 honor for each faction among your constructs."
        case PowerPerMechana():
            return "1 power for each of your Mechana constructs."
        case DrawIfConstructs(constructs):
            return f"Draw a card if you have {constructs} constructs or more."
        case Discount(runes):
            return f"Your next construct this turn costs {counted(runes, 'rune')} less."
        case Exchange(runes, honor):
            return f"Once a turn, {counted(runes, 'rune')} for {honor} honor."
        case ExtraTurn():
            return "Banish it for one more turn after this one."
        case TakeFromHand():
            return "Take a random card from the opponent's hand."
        case OnOpponent(loss):
            what = "loses a" if isinstance(loss, LoseConstruct) else "keeps only one"
            return f"The opponent {what} construct."
        case Banish(zone, optional):
            return f"{'You may banish' if optional else 'Banish'} {ZONE_WORDS[zone]}."
        case DiscardToDraw(count):
            return f"Discard a card. If you do, draw {counted(count, 'card')}."
        case DefeatFree(highest_cost):
            return f"Defeat a monster of {highest_cost} power or less for free."
        case AcquireToDeck(highest_cost):
            which = "any hero" if highest_cost is None else f"a hero of {highest_cost} or less"
            return f"Acquire {which} for free, onto your deck."
        case AcquireOrDefeat():
            return "Acquire or defeat another card of the row for free."
        case RuneOrPower():
            return "1 rune or 1 power."
        case CopyHero():
            return "Repeat the effect of a hero that you have played this turn."
        case PutIntoPlay() | LoseConstruct() | KeepConstruct():
            return ""
