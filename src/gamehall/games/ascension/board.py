"""Everything that lies on the table, as values: zones, counters, and what is still to do."""

from enum import Enum

import msgspec

from gamehall.core import Chance, Seat
from gamehall.games.ascension.effects import Effect
from gamehall.games.ascension.moves import CardName


class Step(msgspec.Struct, frozen=True):
    """An effect that is still to be resolved, and the card in whose name."""

    card: CardName
    effect: Effect


class Supply(Enum):
    """How many Mystics and Heavy Infantry there are to acquire."""

    COUNTED = "counted"
    """As many as there are cards."""
    ENDLESS = "endless"
    """They never run out: their numbers stay as they are."""


class ChoiceKind(Enum):
    """What a choice is about, in the words of the wire (A-Q15)."""

    BANISH = "banish"
    DISCARD = "discard"
    DEFEAT_FREE = "defeat_monster_free"
    ACQUIRE_TO_DECK = "acquire_hero_to_deck_top"
    ACQUIRE_OR_DEFEAT = "acquire_or_defeat"
    RESOURCE = "choose_resource"
    COPY_HERO = "copy_hero"
    PUT_INTO_PLAY = "put_into_play"
    DESTROY_CONSTRUCT = "destroy_construct"
    KEEP_CONSTRUCT = "keep_construct"


class Choice(msgspec.Struct, frozen=True):
    """What a player must choose before anything else can be done."""

    seat: Seat
    """Who must choose."""
    card: CardName
    """The card that asks."""
    slot: int
    """Which of the choices of that card it is, from 0."""
    kind: ChoiceKind
    options: tuple[str, ...]
    """As in Choose, in alphabetical order; there is at least one."""
    optional: bool
    """Whether it may be declined."""

    @property
    def in_words(self) -> str:
        """What can be answered."""
        return "choose " + " or ".join([*self.options, *(["nothing"] if self.optional else [])])


class Construct(msgspec.Struct, frozen=True):
    """A construct in play: one physical copy."""

    name: CardName
    used: bool = False
    """Whether it has given this turn what it gives once a turn."""
    exchanged: bool = False
    """Whether its second ability has been used this turn."""


class Side(msgspec.Struct, frozen=True):
    """What belongs to one player."""

    honor: int = 0
    """Gained so far, without what is printed on cards."""
    deck: tuple[CardName, ...] = ()
    """The next card to draw comes first."""
    hand: tuple[CardName, ...] = ()
    played: tuple[CardName, ...] = ()
    """The heroes of this turn, in the order in which they were played."""
    constructs: tuple[Construct, ...] = ()
    """Those in play, in the order in which they came."""
    discard: tuple[CardName, ...] = ()
    owed: tuple[Step, ...] = ()
    """What the player must choose at the start of the next own turn."""

    @property
    def cards(self) -> tuple[CardName, ...]:
        """All cards that the player owns, wherever they are."""
        in_play = tuple(construct.name for construct in self.constructs)
        return self.deck + self.hand + self.played + in_play + self.discard


class Board(msgspec.Struct, frozen=True):
    """Everything that lies on the table, and the chance that decides what comes."""

    chance: Chance
    sides: tuple[Side, Side]
    """That of the first and that of the second player."""
    center_deck: tuple[CardName, ...]
    """The next card to come into the row is the first."""
    row: tuple[CardName, ...]
    """Six face-up cards, as long as there are so many."""
    void: tuple[CardName, ...]
    """The banished cards and the defeated monsters."""
    mystics: int
    heavies: int
    """How many are left on the two piles beside the row. An endless supply does not fall."""
    honor_pool: int
    """What is left of it. Further honor comes from a reserve."""
    turn: int = 0
    """How many turns have ended."""
    turn_owner: Seat = Seat.FIRST
    """Whose turn it is. After the end, whose turn was the last."""
    runes: int = 0
    power: int = 0
    restricted_runes: int = 0
    """Runes that can only pay for Mechana constructs."""
    discount: int = 0
    """By how much the next construct is cheaper."""
    has_defeated: bool = False
    """Whether a monster of the row has been defeated this turn."""
    extra_turns: int = 0
    """How many turns the same player has before the other."""
    agenda: tuple[Step, ...] = ()
    """What is still to be resolved, the next first. While a choice is pending, it is that one."""
    pending: Choice | None = None
    supply: Supply = Supply.COUNTED

    def side(self, seat: Seat) -> Side:
        """What belongs to that player."""
        return self.sides[0] if seat is Seat.FIRST else self.sides[1]

    @property
    def mine(self) -> Side:
        """What belongs to the player whose turn it is."""
        return self.side(self.turn_owner)
