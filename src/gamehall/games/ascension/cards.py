"""Every card of the base set: its printed values and text, and the number of copies."""

from enum import Enum
from functools import partial

import msgspec

from gamehall.core import counted
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
    describe,
)
from gamehall.games.ascension.moves import CardName


class Kind(Enum):
    """The type of a card: a hero acts when played, a construct stays in play."""

    HERO = "Hero"
    CONSTRUCT = "Construct"
    MONSTER = "Monster"

    # Members are compared by identity, and hashing by identity is faster than Enum's own method.
    __hash__ = object.__hash__


class Faction(Enum):
    """The faction of a card. Starting cards and those of the piles have none."""

    NONE = "None"
    ENLIGHTENED = "Enlightened"
    LIFEBOUND = "Lifebound"
    MECHANA = "Mechana"
    VOID = "Void"
    MONSTER = "Monster"

    __hash__ = object.__hash__


class Card(msgspec.Struct, frozen=True):
    """A card as printed, of which there may be several copies."""

    name: CardName
    kind: Kind
    faction: Faction
    cost: int
    """In power for a monster, otherwise in runes."""
    honor: int
    """The reward of a monster; of other cards the honor for their owner at the end of the game."""
    copies: int
    """How many copies there are; of starting cards, for each player."""
    effects: tuple[Effect, ...]
    """Applied when a hero is played, when a construct is used, or after a monster's honor."""
    exchange: Exchange | None = None
    """The second ability of a construct."""
    passive: Passive | None = None
    """The permanent effect of a construct."""

    @property
    def is_monster(self) -> bool:
        return self.kind is Kind.MONSTER

    @property
    def is_construct(self) -> bool:
        return self.kind is Kind.CONSTRUCT

    @property
    def is_hero(self) -> bool:
        return self.kind is Kind.HERO

    @property
    def text(self) -> str:
        """What the card does, in sentences, without the honor of a monster."""
        sentences = [describe(effect) for effect in self.effects]
        if self.exchange:
            sentences.append(describe(self.exchange))
        if self.passive:
            sentences.append(self.passive.value)
        return " ".join(sentences)


NONE, ENLIGHTENED, LIFEBOUND = Faction.NONE, Faction.ENLIGHTENED, Faction.LIFEBOUND
MECHANA, VOID = Faction.MECHANA, Faction.VOID

MAY_BANISH_ROW = Banish(Zone.ROW, optional=True)
MAY_BANISH_DISCARD = Banish(Zone.DISCARD, optional=True)
MAY_BANISH_OWN = Banish(Zone.HAND_OR_DISCARD, optional=True)


def _card(
    kind: Kind,
    name: str,
    faction: Faction,
    cost: int,
    honor: int,
    copies: int,
    *effects: Effect,
    exchange: Exchange | None = None,
    passive: Passive | None = None,
) -> Card:
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
    return _card(Kind.MONSTER, name, Faction.MONSTER, cost, honor, copies, *effects)


_hero = partial(_card, Kind.HERO)
_construct = partial(_card, Kind.CONSTRUCT)

# The columns are name, faction (not for monsters), cost, honor, copies and effects.

STARTERS = (
    _hero("Apprentice", NONE, 0, 0, 8, Gain(runes=1)),
    _hero("Militia", NONE, 0, 0, 2, Gain(power=1)),
)
"""The starting deck of each player."""

ALWAYS_AVAILABLE = (
    _hero("Mystic", NONE, 3, 1, 30, Gain(runes=2)),
    _hero("Heavy Infantry", NONE, 2, 1, 29, Gain(power=2)),
    _monster("Cultist", 2, 1, 1),
)
"""The piles beside the row. The Cultist stays when it is defeated."""

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

MYSTIC, HEAVY_INFANTRY, CULTIST = (card.name for card in ALWAYS_AVAILABLE)
AVATAR = CardName("Avatar of the Fallen")
"""The only card that cannot be banished from the row (RULES.md, 7)."""

CENTER_NAMES = frozenset(card.name for card in CENTER)
"""The banished cards that a new center deck is made of; others stay in the void (A-Q33)."""

_SPELLINGS = {name.casefold(): name for name in CARDS} | {
    # The spelling of older clients (RULES.md, 14).
    "cetra, weaver of the stars": CardName("Cetra, Weaver of Stars"),
}


def card_named(text: str) -> CardName | None:
    """Return the card that `text` names in any letter case, or None if there is none."""
    return _SPELLINGS.get(text.strip().casefold())


def explain(text: str) -> str:
    """Return the cost, honor and text of the card of this name, or that there is no such card."""
    name = card_named(text)
    if name is None:
        return f"There is no card {text!r}: write one as the board does, as in card Mystic."
    card = CARDS[name]
    cost = f"{card.cost} power" if card.is_monster else counted(card.cost, "rune")
    return f"{name}, {card.kind.value}: {cost}, {card.honor} honor. {card.text}"
