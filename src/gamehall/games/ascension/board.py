"""The cards and counters on the table, and the effects that are still to be resolved.

An AscensionBoard is immutable. A move is made on a Draft, a mutable copy, which becomes the next
board. Zones are tuples in both, so the boards share what the move does not change. Nothing here
checks whether a move is legal: see position.py.
"""

from collections.abc import Iterable
from enum import Enum
from typing import Generic, Self, TypeVar

import msgspec

from gamehall.core import Chance, Seat
from gamehall.games.ascension.cards import (
    CARDS,
    CENTER_NAMES,
    HEAVY_INFANTRY,
    MYSTIC,
    Card,
    Faction,
)
from gamehall.games.ascension.effects import Effect, Passive
from gamehall.games.ascension.moves import Ability, CardName


class Step(msgspec.Struct, frozen=True):
    """An effect that is still to be resolved, and its card."""

    card: CardName
    effect: Effect


class Supply(Enum):
    """How many Mystics and Heavy Infantry can be acquired."""

    COUNTED = "counted"
    """As many as there are cards."""
    ENDLESS = "endless"
    """Any number: the piles stay as they are."""


class ChoiceKind(Enum):
    """The kind of a choice, in the words of the protocol (A-Q15)."""

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
    """A choice that a player must make before any other move."""

    seat: Seat
    """The player who must choose."""
    card: CardName
    """The card that asks."""
    slot: int
    """The index of this choice among those of the card."""
    kind: ChoiceKind
    options: tuple[str, ...]
    """At least one option as in Choose, in alphabetical order."""
    optional: bool
    """Whether the player may decline."""

    @property
    def answers(self) -> list[str]:
        """The possible answers, in words."""
        return [*self.options, *(["nothing"] if self.optional else [])]

    @property
    def as_instruction(self) -> str:
        """The possible answers, for error messages."""
        return f"choose {' or '.join(self.answers)}"


class Construct(msgspec.Struct, frozen=True):
    """One copy of a construct in play."""

    name: CardName
    used: bool = False
    """Whether its ability that works once a turn has been used this turn."""
    exchanged: bool = False
    """Whether its second ability has been used this turn."""


class _SideFields(msgspec.Struct):
    """The honor and cards of one player."""

    honor: int = 0
    """Honor gained so far, without the honor printed on cards."""
    deck: tuple[CardName, ...] = ()
    """The next card to draw is the first."""
    hand: tuple[CardName, ...] = ()
    played: tuple[CardName, ...] = ()
    """The heroes of this turn, in the order in which they were played."""
    constructs: tuple[Construct, ...] = ()
    """The constructs in play, in the order in which they entered."""
    discard: tuple[CardName, ...] = ()
    owed: tuple[Step, ...] = ()
    """The choices that the player must make at the start of its next turn."""


# Mypy has no frozen subclasses of mutable classes; msgspec has, and so the fields are listed once.
class Side(_SideFields, frozen=True):  # type: ignore[misc]
    """The honor and cards of one player."""

    @property
    def cards(self) -> tuple[CardName, ...]:
        """All cards that the player owns, in all zones."""
        in_play = tuple(construct.name for construct in self.constructs)
        return self.deck + self.hand + self.played + in_play + self.discard


class SideDraft(_SideFields):
    """The honor and cards of one player while a move is being made."""

    def change_construct(self, index: int, changed: Construct) -> None:
        """Replace the construct at this index by its new state."""
        self.constructs = (*self.constructs[:index], changed, *self.constructs[index + 1 :])

    def destroy(self, name: CardName) -> None:
        """Move a construct from play to the discard pile."""
        self.remove_construct(name)
        self.discard += (name,)

    def remove_construct(self, name: CardName) -> None:
        """Take a construct out of play."""
        index = [construct.name for construct in self.constructs].index(name)
        self.constructs = self.constructs[:index] + self.constructs[index + 1 :]


SideT = TypeVar("SideT", Side, SideDraft)


class _BoardFields(msgspec.Struct, Generic[SideT]):
    """The state of the whole table."""

    chance: Chance
    sides: tuple[SideT, SideT]
    """The sides of the first and of the second player."""
    center_deck: tuple[CardName, ...]
    """The next card to come into the row is the first."""
    row: tuple[CardName, ...]
    """Six face-up cards, or fewer when the center deck and the void have run out."""
    void: tuple[CardName, ...]
    """The banished cards and the defeated monsters."""
    mystics: int
    heavies: int
    """How many cards are left on the two piles beside the row."""
    honor_pool: int
    """How much honor is left. More honor comes from a reserve."""
    turn: int = 0
    """How many turns have ended."""
    turn_owner: Seat = Seat.FIRST
    """The player whose turn it is or, after the end, had the last turn."""
    runes: int = 0
    power: int = 0
    restricted_runes: int = 0
    """Runes that can only pay for Mechana constructs."""
    discount: int = 0
    """By how much the next construct is cheaper."""
    has_defeated: bool = False
    """Whether a monster of the row has been defeated this turn."""
    extra_turns: int = 0
    """How many more turns the same player has before the other."""
    agenda: tuple[Step, ...] = ()
    """The effects still to be resolved, in order, beginning with that of the pending choice."""
    pending: Choice | None = None
    supply: Supply = Supply.COUNTED


class AscensionBoard(_BoardFields[Side], frozen=True):  # type: ignore[misc]
    """The state of the whole table, and the random source for what comes."""

    def side(self, seat: Seat) -> Side:
        return self.sides[0] if seat is Seat.FIRST else self.sides[1]

    @property
    def mine(self) -> Side:
        """The side of the player whose turn it is."""
        return self.side(self.turn_owner)


def count_of(passive: Passive, constructs: Iterable[Construct]) -> int:
    """Return how many of these constructs have this passive ability."""
    return sum(CARDS[construct.name].passive is passive for construct in constructs)


def is_mechana(card: Card, constructs: Iterable[Construct]) -> bool:
    """Return True if the card is a Mechana construct for the owner of these constructs.

    Hedron Link Device makes every construct one, those in the row included (RULES.md, 8).
    """
    return card.is_construct and (
        card.faction is Faction.MECHANA or count_of(Passive.ALL_ARE_MECHANA, constructs) > 0
    )


def price(card: Card, discount: int) -> int:
    """Return the price of the card in runes. The discount applies only to constructs."""
    return max(0, card.cost - discount) if card.is_construct else card.cost


def can_use(construct: Construct, ability: Ability) -> bool:
    """Return True if this copy has the ability and has not used it this turn."""
    card = CARDS[construct.name]
    if ability is Ability.ORDINARY:
        return bool(card.effects) and not construct.used
    return card.exchange is not None and not construct.exchanged


def unused_courier(constructs: tuple[Construct, ...]) -> int | None:
    """Return the index of the first Rocket Courier that has not been used this turn, or None."""
    for index, construct in enumerate(constructs):
        if CARDS[construct.name].passive is Passive.ACQUIRED_INTO_PLAY and not construct.used:
            return index
    return None


ROW_SIZE = 6


class Draft(_BoardFields[SideDraft]):
    """A board while a move is being made."""

    @classmethod
    def of(cls, board: AscensionBoard) -> Self:
        first, second = board.sides
        chance, _, *fields = msgspec.structs.astuple(board)
        sides = (
            SideDraft(*msgspec.structs.astuple(first)),
            SideDraft(*msgspec.structs.astuple(second)),
        )
        return cls(chance, sides, *fields)

    def finished(self) -> AscensionBoard:
        """Return the board after the move."""
        first, second = self.sides
        chance, _, *fields = msgspec.structs.astuple(self)
        sides = Side(*msgspec.structs.astuple(first)), Side(*msgspec.structs.astuple(second))
        return AscensionBoard(chance, sides, *fields)

    @property
    def mine(self) -> SideDraft:
        """The side of the player whose turn it is."""
        return self.sides[0] if self.turn_owner is Seat.FIRST else self.sides[1]

    @property
    def other(self) -> SideDraft:
        """The side of the opponent of the player whose turn it is."""
        return self.sides[1] if self.turn_owner is Seat.FIRST else self.sides[0]

    def next_on_agenda(self, card: CardName, *effects: Effect) -> None:
        """Insert these effects at the front of the agenda, in this order."""
        self.agenda = (*(Step(card, effect) for effect in effects), *self.agenda)

    def gain_honor(self, amount: int) -> None:
        """Gain honor from the pool, or from a reserve when the pool is empty (RULES.md, 11)."""
        self.mine.honor += amount
        self.honor_pool = max(0, self.honor_pool - amount)

    def draw(self, count: int) -> None:
        """Draw cards. Shuffle the discard pile only if a card is needed and the deck is empty."""
        mine = self.mine
        while count > 0:
            if not mine.deck:
                if not mine.discard:
                    return
                mine.deck, mine.discard = self.shuffled(mine.discard), ()
            drawn = mine.deck[:count]
            mine.hand += drawn
            mine.deck = mine.deck[count:]
            count -= len(drawn)

    def shuffled(self, cards: tuple[CardName, ...]) -> tuple[CardName, ...]:
        """Return these cards in random order."""
        order, self.chance = self.chance.shuffled(cards)
        return tuple(CardName(name) for name in order)

    def leave_row(self, name: CardName, *, to_void: bool) -> None:
        """Remove a card from the row and refill the row at once.

        The card goes to the void before the refill (reading 7), so it is one of the cards that are
        shuffled if the center deck is empty.
        """
        gap = self.row.index(name)
        self.row = self.row[:gap] + self.row[gap + 1 :]
        if to_void:
            self.void += (name,)
        self.refill_row(gap)

    def refill_row(self, gap: int) -> None:
        """Fill the row up to six cards, the gap first, if necessary from the void (AR-09)."""
        while len(self.row) < ROW_SIZE:
            if not self.center_deck:
                reshuffled = tuple(name for name in self.void if name in CENTER_NAMES)
                if not reshuffled:
                    return
                self.void = tuple(name for name in self.void if name not in CENTER_NAMES)
                self.center_deck = self.shuffled(reshuffled)
            self.row = (*self.row[:gap], self.center_deck[0], *self.row[gap:])
            self.center_deck = self.center_deck[1:]
            gap = len(self.row)

    def leave_offer(self, name: CardName) -> None:
        """Remove an acquired card from its pile or from the row."""
        taken = 0 if self.supply is Supply.ENDLESS else 1
        if name == MYSTIC:
            self.mystics -= taken
        elif name == HEAVY_INFANTRY:
            self.heavies -= taken
        else:
            self.leave_row(name, to_void=False)

    def enter_play(self, name: CardName) -> None:
        """Put a construct into play. Each unused Burrower, itself included, draws a card for it."""
        mine = self.mine
        mine.constructs += (Construct(name),)
        if not is_mechana(CARDS[name], mine.constructs):
            return
        for index, construct in enumerate(mine.constructs):
            if CARDS[construct.name].passive is Passive.DRAW_FOR_MECHANA and not construct.used:
                mine.change_construct(index, Construct(construct.name, used=True))
                self.draw(1)


def without(cards: tuple[CardName, ...], name: CardName) -> tuple[CardName, ...]:
    """Return the cards without the first of this name. Not checked: that there is one."""
    index = cards.index(name)
    return cards[:index] + cards[index + 1 :]
