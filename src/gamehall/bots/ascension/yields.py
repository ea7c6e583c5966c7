"""What a card gives its owner each time it is drawn, or each turn that it stays in play."""

from typing import NamedTuple

from gamehall.games.ascension.cards import CARDS, Card, Faction
from gamehall.games.ascension.effects import (
    AcquireToDeck,
    Banish,
    CopyHero,
    DefeatFree,
    DiscardToDraw,
    Discount,
    Draw,
    DrawIfConstructs,
    Effect,
    Exchange,
    Gain,
    HonorPerFaction,
    Passive,
    PowerIfLifebound,
    PowerPerMechana,
    RuneOrPower,
    Zone,
)
from gamehall.games.ascension.moves import CardName


class Yield(NamedTuple):
    """Runes, power and honor, cards drawn, and own cards that may be banished."""

    runes: float = 0.0
    power: float = 0.0
    honor: float = 0.0
    cards: float = 0.0
    banished: float = 0.0

    def plus(self, other: "Yield") -> "Yield":
        """Both together."""
        return Yield(*(one + more for one, more in zip(self, other, strict=True)))


PASSIVES = {
    Passive.HONOR_FOR_LIFEBOUND: Yield(honor=0.4),
    Passive.HONOR_FOR_MONSTER: Yield(honor=0.7),
    Passive.DRAW_FOR_MECHANA: Yield(cards=0.15),
    Passive.ACQUIRED_INTO_PLAY: Yield(runes=0.3),
    Passive.ALL_ARE_MECHANA: Yield(runes=0.2),
}
"""What constructs that act by themselves come to in a usual turn."""


SURE = Yield(honor=0.3)
"""What it is worth that a construct gives the same in every turn; Mechana ones do so seldom."""


def _of_effect(effect: Effect) -> Yield:
    """What an effect comes to in a usual turn, where that depends on others."""
    match effect:
        case Gain(runes, power, honor, restricted_runes):
            return Yield(runes + 0.4 * restricted_runes, power, honor)
        case Draw(count):
            return Yield(cards=count)
        case PowerIfLifebound(power):
            return Yield(power=0.3 * power)
        case HonorPerFaction():
            return Yield(honor=0.8)
        case PowerPerMechana():
            return Yield(power=2.0)
        case DrawIfConstructs():
            return Yield(cards=0.4)
        case Discount(runes):
            return Yield(runes=0.3 * runes)
        case Exchange(_, honor):
            return Yield(honor=0.2 * honor)
        case DiscardToDraw(count):
            return Yield(cards=count - 0.6)
        case Banish(Zone.ROW):
            return Yield(honor=0.2)
        case Banish(Zone.HAND):
            # What is banished from the hand cannot be played any more.
            return Yield(cards=-0.7, banished=1.0)
        case Banish():
            return Yield(banished=1.0)
        case DefeatFree(highest_cost):
            return Yield(honor=1.05 * (highest_cost - 2))
        case AcquireToDeck(None):
            return Yield(runes=5.0, cards=0.5)
        case AcquireToDeck():
            return Yield(runes=2.5, cards=0.3)
        case RuneOrPower():
            return Yield(runes=0.6, power=0.6)
        case CopyHero():
            return Yield(runes=1.0, power=0.8, cards=0.2)
        case _:
            # What only monsters do is worth what the table offers then; an extra turn comes once.
            return Yield()


def _of_card(card: Card) -> Yield:
    total = Yield()
    for effect in card.effects:
        total = total.plus(_of_effect(effect))
    if card.exchange:
        total = total.plus(_of_effect(card.exchange))
    if card.passive:
        total = total.plus(PASSIVES[card.passive])
    if card.is_construct and card.faction is not Faction.MECHANA:
        total = total.plus(SURE)
    return total


YIELDS: dict[CardName, Yield] = {name: _of_card(card) for name, card in CARDS.items()}
"""By the name of the card. Of a monster: what follows its honor."""
