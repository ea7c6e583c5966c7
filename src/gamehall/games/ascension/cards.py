"""Every card of the base set: what is printed on it, and how many copies there are."""

from enum import Enum

import msgspec

from gamehall.games.ascension.effects import (
    AcquireOrDefeat,
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
    ExtraTurn,
    Gain,
    HonorPerFaction,
    KeepConstruct,
    LoseConstruct,
    OnOpponent,
    Passive,
    PowerIfLifebound,
    PowerPerMechana,
    RuneOrPower,
    TakeFromHand,
    Zone,
)
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
        """True if it is defeated, not acquired."""
        return self.kind is Kind.MONSTER

    @property
    def is_construct(self) -> bool:
        """True if it stays in play."""
        return self.kind is Kind.CONSTRUCT

    @property
    def is_hero(self) -> bool:
        """True if it acts when it is played."""
        return self.kind is Kind.HERO


NONE, ENLIGHTENED, LIFEBOUND = Faction.NONE, Faction.ENLIGHTENED, Faction.LIFEBOUND
MECHANA, VOID = Faction.MECHANA, Faction.VOID

MAY_BANISH_ROW = Banish(Zone.ROW, optional=True)
MAY_BANISH_DISCARD = Banish(Zone.DISCARD, optional=True)
MAY_BANISH_OWN = Banish(Zone.HAND_OR_DISCARD, optional=True)


def _hero(
    name: str, faction: Faction, cost: int, honor: int, copies: int, *effects: Effect
) -> Card:
    return Card(
        name=CardName(name),
        kind=Kind.HERO,
        faction=faction,
        cost=cost,
        honor=honor,
        copies=copies,
        effects=effects,
    )


def _construct(
    name: str,
    faction: Faction,
    cost: int,
    honor: int,
    copies: int,
    *effects: Effect,
    exchange: Exchange | None = None,
    passive: Passive | None = None,
) -> Card:
    kind = Kind.CONSTRUCT
    return Card(
        name=CardName(name),
        kind=kind,
        faction=faction,
        cost=cost,
        honor=honor,
        copies=copies,
        effects=effects,
        exchange=exchange,
        passive=passive,
    )


def _monster(name: str, cost: int, honor: int, copies: int, *effects: Effect) -> Card:
    return Card(
        name=CardName(name),
        kind=Kind.MONSTER,
        faction=Faction.MONSTER,
        cost=cost,
        honor=honor,
        copies=copies,
        effects=effects,
    )


# Name, faction, cost, honor, copies, and what the card does. Monsters have no faction.

STARTERS = (
    _hero("Apprentice", NONE, 0, 0, 8, Gain(runes=1)),
    _hero("Militia", NONE, 0, 0, 2, Gain(power=1)),
)
"""What each player begins with."""

ALWAYS_AVAILABLE = (
    _hero("Mystic", NONE, 3, 1, 30, Gain(runes=2)),
    _hero("Heavy Infantry", NONE, 2, 1, 29, Gain(power=2)),
    _monster("Cultist", 2, 1, 1),
)
"""The piles beside the row; the Cultist stays however often it is defeated."""

CENTER = (
    _hero("Arha Initiate", ENLIGHTENED, 1, 1, 3, Draw(1)),
    _hero("Arha Templar", ENLIGHTENED, 4, 3, 2, DefeatFree(4)),
    _hero("Ascetic of the Lidless Eye", ENLIGHTENED, 5, 2, 2, Draw(2)),
    _hero("Master Dhartha", ENLIGHTENED, 7, 3, 1, Draw(3)),
    _hero("Oziah the Peerless", ENLIGHTENED, 6, 3, 1, DefeatFree(6)),
    _hero("Seer of the Forked Path", ENLIGHTENED, 2, 1, 3, Draw(1), MAY_BANISH_ROW),
    _hero("Temple Librarian", ENLIGHTENED, 2, 1, 3, DiscardToDraw(2)),
    _hero("Twofold Askara", ENLIGHTENED, 4, 2, 1, CopyHero()),
    _construct("Tablet of Time's Dawn", ENLIGHTENED, 5, 2, 1, ExtraTurn()),
    _construct("The All-Seeing Eye", ENLIGHTENED, 6, 2, 1, Draw(1)),
    _hero("Cetra, Weaver of Stars", LIFEBOUND, 7, 4, 1, AcquireToDeck()),
    _hero("Druids of the Stone Circle", LIFEBOUND, 4, 3, 2, AcquireToDeck(3)),
    _hero("Flytrap Witch", LIFEBOUND, 5, 2, 2, Gain(honor=2), Draw(1)),
    _hero("Landtalker", LIFEBOUND, 6, 3, 1, Gain(runes=3)),
    _hero("Lifebound Initiate", LIFEBOUND, 1, 1, 3, Gain(runes=1, honor=1)),
    _hero("Runic Lycanthrope", LIFEBOUND, 3, 1, 2, Gain(runes=2), PowerIfLifebound(2)),
    _construct(
        "Snapdragon", LIFEBOUND, 5, 2, 2, Gain(runes=1), passive=Passive.HONOR_FOR_LIFEBOUND
    ),
    _hero("Wolf Shaman", LIFEBOUND, 3, 1, 3, Gain(runes=1), Draw(1)),
    _construct(
        "Yggdrasil Staff", LIFEBOUND, 4, 2, 2, Gain(power=1), exchange=Exchange(runes=4, honor=3)
    ),
    _hero("Avatar Golem", MECHANA, 4, 2, 2, Gain(power=2), HonorPerFaction()),
    _construct("Burrower Mark II", MECHANA, 3, 3, 2, passive=Passive.DRAW_FOR_MECHANA),
    _construct("Hedron Cannon", MECHANA, 8, 8, 1, PowerPerMechana()),
    _construct("Hedron Link Device", MECHANA, 7, 7, 1, passive=Passive.ALL_ARE_MECHANA),
    _hero("Kor, the Ferromancer", MECHANA, 3, 2, 1, Gain(power=2), DrawIfConstructs(2)),
    _hero("Mechana Initiate", MECHANA, 1, 1, 3, RuneOrPower()),
    _hero("Reactor Monk", MECHANA, 4, 2, 2, Gain(runes=2), Discount(1)),
    _construct("Rocket Courier X-99", MECHANA, 4, 4, 2, passive=Passive.ACQUIRED_INTO_PLAY),
    _construct("The Grand Design", MECHANA, 6, 6, 2, Gain(restricted_runes=2)),
    _construct("Watchmaker's Altar", MECHANA, 5, 5, 2, Gain(restricted_runes=1)),
    _hero("Arbiter of the Precipice", VOID, 4, 1, 2, Draw(2), Banish(Zone.HAND, optional=False)),
    _hero("Demon Slayer", VOID, 4, 2, 2, Gain(power=3)),
    _hero("Emri, One with the Void", VOID, 6, 3, 1, Gain(power=4)),
    _construct("Muramasa", VOID, 7, 4, 1, Gain(power=3)),
    _hero("Shade of the Black Watch", VOID, 3, 1, 3, Gain(power=2), MAY_BANISH_OWN),
    _construct("Shadow Star", VOID, 3, 2, 2, Gain(power=1)),
    _hero("Spike Vixen", VOID, 2, 1, 2, Gain(power=1), Draw(1)),
    _hero("Void Initiate", VOID, 1, 1, 3, Gain(runes=1), MAY_BANISH_OWN),
    _construct("Voidthirster", VOID, 5, 3, 2, Gain(power=1), passive=Passive.HONOR_FOR_MONSTER),
    _monster("Avatar of the Fallen", 7, 4, 1, AcquireOrDefeat()),
    _monster("Corrosive Widow", 4, 3, 4, OnOpponent(LoseConstruct())),
    _monster("Earth Tyrant", 6, 5, 2, Draw(2)),
    _monster("Mephit", 3, 2, 3, MAY_BANISH_ROW),
    _monster("Mistake of Creation", 4, 4, 4, MAY_BANISH_ROW, MAY_BANISH_DISCARD),
    _monster("Samael's Trickster", 3, 1, 4, Gain(runes=1)),
    _monster("Sea Tyrant", 5, 5, 3, OnOpponent(KeepConstruct())),
    _monster("Tormented Soul", 3, 1, 3, Draw(1)),
    _monster("Wind Tyrant", 5, 3, 3, Gain(runes=3)),
    _monster("Xeron, Duke of Lies", 6, 3, 1, TakeFromHand()),
)
"""The center deck of a hundred cards."""


CARDS = {card.name: card for card in (*STARTERS, *ALWAYS_AVAILABLE, *CENTER)}
"""Every card by its name."""

MYSTIC, HEAVY_INFANTRY, CULTIST = (card.name for card in ALWAYS_AVAILABLE)
AVATAR = CardName("Avatar of the Fallen")
"""The one card that cannot be banished from the row (RULES.md, 7)."""

CENTER_NAMES = frozenset(card.name for card in CENTER)
"""The cards that a new center deck is made of; all others that are banished are gone (A-Q33)."""

_SPELLINGS = {name.casefold(): name for name in CARDS} | {
    # An older client spells it so (RULES.md, 14).
    "cetra, weaver of the stars": CardName("Cetra, Weaver of Stars"),
}


def card_named(text: str) -> CardName | None:
    """Return the card that `text` names, in small letters or capitals; None if there is none."""
    return _SPELLINGS.get(text.strip().casefold())
