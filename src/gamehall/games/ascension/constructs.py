"""What constructs in play can still do, and what they mean for prices and for each other."""

from collections.abc import Iterable

from gamehall.games.ascension.board import Construct
from gamehall.games.ascension.card import Card, Faction
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.effects import Passive
from gamehall.games.ascension.moves import Ability


def count_of(passive: Passive, constructs: Iterable[Construct]) -> int:
    """How many of these constructs do that by themselves."""
    return sum(CARDS[construct.name].passive is passive for construct in constructs)


def is_mechana(card: Card, constructs: Iterable[Construct]) -> bool:
    """Whether the card is a Mechana construct for the owner of these constructs.

    Hedron Link Device makes it so of any construct, those in the row included (RULES.md, 8).
    """
    return card.is_construct and (
        card.faction is Faction.MECHANA or count_of(Passive.ALL_ARE_MECHANA, constructs) > 0
    )


def price(card: Card, discount: int) -> int:
    """What the card costs in runes of any kind; a discount is for constructs only."""
    return max(0, card.cost - discount) if card.is_construct else card.cost


def can_use(construct: Construct, ability: Ability) -> bool:
    """Whether the copy has this ability, and has not used it this turn."""
    card = CARDS[construct.name]
    if ability is Ability.ORDINARY:
        return bool(card.effects) and not construct.used
    return card.exchange is not None and not construct.exchanged


def unused_courier(constructs: tuple[Construct, ...]) -> int | None:
    """Where the first Rocket Courier is that has put nothing into play this turn."""
    for index, construct in enumerate(constructs):
        if CARDS[construct.name].passive is Passive.ACQUIRED_INTO_PLAY and not construct.used:
            return index
    return None
