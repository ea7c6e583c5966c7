"""Everything on the table: zones, counters, and the effects that wait to be resolved.

A Board is a value. A move is made on a Draft, which is changed in place and then becomes the next
Board. The zones of a draft are tuples too, so both boards share what the move does not touch.
Nothing here checks whether the rules allow a move: see legality.py.
"""

from collections.abc import Iterable
from enum import Enum

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


class AscensionBoard(msgspec.Struct, frozen=True):
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
        """Return the side of that player."""
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
    """Return the price of the card in runes of any kind; the discount is for constructs only."""
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


class SideDraft:
    """What belongs to one player, while a move is being made."""

    __slots__ = ("constructs", "deck", "discard", "hand", "honor", "owed", "played")

    def __init__(self, side: Side) -> None:
        self.honor = side.honor
        self.deck = side.deck
        self.hand = side.hand
        self.played = side.played
        self.constructs = side.constructs
        self.discard = side.discard
        self.owed = side.owed

    def finished(self) -> Side:
        """Return the side as a value."""
        return Side(
            honor=self.honor,
            deck=self.deck,
            hand=self.hand,
            played=self.played,
            constructs=self.constructs,
            discard=self.discard,
            owed=self.owed,
        )

    def change_construct(self, index: int, changed: Construct) -> None:
        """Replace a construct by itself in another state."""
        self.constructs = (*self.constructs[:index], changed, *self.constructs[index + 1 :])

    def destroy(self, name: CardName) -> None:
        """Move a construct from play to the discard pile."""
        self.remove_construct(name)
        self.discard += (name,)

    def remove_construct(self, name: CardName) -> None:
        """Take a construct out of play."""
        index = [construct.name for construct in self.constructs].index(name)
        self.constructs = self.constructs[:index] + self.constructs[index + 1 :]


class Draft:
    """A board while a move is being made. `mine` is the side of the turn owner."""

    def __init__(self, board: AscensionBoard) -> None:
        first, second = SideDraft(board.sides[0]), SideDraft(board.sides[1])
        is_first = board.turn_owner is Seat.FIRST
        self.mine, self.other = (first, second) if is_first else (second, first)
        self.chance = board.chance
        self.center_deck = board.center_deck
        self.row = board.row
        self.void = board.void
        self.mystics = board.mystics
        self.heavies = board.heavies
        self.honor_pool = board.honor_pool
        self.turn = board.turn
        self.turn_owner = board.turn_owner
        self.runes = board.runes
        self.power = board.power
        self.restricted_runes = board.restricted_runes
        self.discount = board.discount
        self.has_defeated = board.has_defeated
        self.extra_turns = board.extra_turns
        self.agenda = board.agenda
        self.pending: Choice | None = board.pending
        self.supply = board.supply

    def finished(self) -> AscensionBoard:
        """Return the board that the move leads to."""
        mine, other = self.mine.finished(), self.other.finished()
        return AscensionBoard(
            chance=self.chance,
            sides=(mine, other) if self.turn_owner is Seat.FIRST else (other, mine),
            center_deck=self.center_deck,
            row=self.row,
            void=self.void,
            mystics=self.mystics,
            heavies=self.heavies,
            honor_pool=self.honor_pool,
            turn=self.turn,
            turn_owner=self.turn_owner,
            runes=self.runes,
            power=self.power,
            restricted_runes=self.restricted_runes,
            discount=self.discount,
            has_defeated=self.has_defeated,
            extra_turns=self.extra_turns,
            agenda=self.agenda,
            pending=self.pending,
            supply=self.supply,
        )

    def next_on_agenda(self, card: CardName, *effects: Effect) -> None:
        """Put these effects onto the agenda, in this order and before those that wait already."""
        self.agenda = (*(Step(card, effect) for effect in effects), *self.agenda)

    def gain_honor(self, amount: int) -> None:
        """Gain honor from the pool, or from a reserve when the pool is empty (RULES.md, 11)."""
        self.mine.honor += amount
        self.honor_pool = max(0, self.honor_pool - amount)

    def draw(self, count: int) -> None:
        """Draw cards; shuffle the discard pile only when the deck is empty and a card is needed."""
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
        """Take a card out of the row and fill the gap at once.

        The card reaches the void before the row is refilled (reading 7), so it is among the cards
        that are shuffled if the center deck is empty.
        """
        gap = self.row.index(name)
        self.row = self.row[:gap] + self.row[gap + 1 :]
        if to_void:
            self.void += (name,)
        self.refill_row(gap)

    def refill_row(self, gap: int) -> None:
        """Fill the row up to six cards, the gap first, if need be from the void (AR-09)."""
        while len(self.row) < ROW_SIZE:
            if not self.center_deck:
                again = tuple(name for name in self.void if name in CENTER_NAMES)
                if not again:
                    return
                self.void = tuple(name for name in self.void if name not in CENTER_NAMES)
                self.center_deck = self.shuffled(again)
            self.row = (*self.row[:gap], self.center_deck[0], *self.row[gap:])
            self.center_deck = self.center_deck[1:]
            gap = len(self.row)

    def leave_offer(self, name: CardName) -> None:
        """Take an acquired card from its pile or from the row."""
        taken = 0 if self.supply is Supply.ENDLESS else 1
        if name == MYSTIC:
            self.mystics -= taken
        elif name == HEAVY_INFANTRY:
            self.heavies -= taken
        else:
            self.leave_row(name, to_void=False)

    def enter_play(self, name: CardName) -> None:
        """Put a construct into play. Each unused Burrower draws for it, itself included."""
        mine = self.mine
        mine.constructs += (Construct(name),)
        if not is_mechana(CARDS[name], mine.constructs):
            return
        for index, construct in enumerate(mine.constructs):
            if CARDS[construct.name].passive is Passive.DRAW_FOR_MECHANA and not construct.used:
                mine.change_construct(index, Construct(construct.name, used=True))
                self.draw(1)


def without(cards: tuple[CardName, ...], name: CardName) -> tuple[CardName, ...]:
    """Return these cards without the first of that name. Not checked: that there is one."""
    index = cards.index(name)
    return cards[:index] + cards[index + 1 :]
