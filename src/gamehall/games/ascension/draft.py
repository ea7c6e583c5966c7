"""A board on which one move is being made.

A draft is changed in place by what a move does, and then becomes the next board. The zones stay
tuples, so that whatever the move does not touch is shared between both boards. Nothing here checks
whether the rules allow it: see legality.py.
"""

from gamehall.core import Seat
from gamehall.games.ascension.board import Board, Choice, Construct, Side, Step, Supply
from gamehall.games.ascension.cards import CARDS, CENTER_NAMES, HEAVY_INFANTRY, MYSTIC
from gamehall.games.ascension.constructs import is_mechana
from gamehall.games.ascension.effects import Effect, Passive
from gamehall.games.ascension.moves import CardName

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
        """The side as a value."""
        return Side(
            self.honor,
            self.deck,
            self.hand,
            self.played,
            self.constructs,
            self.discard,
            self.owed,
        )

    def change_construct(self, index: int, changed: Construct) -> None:
        """Puts the same construct there in another state."""
        self.constructs = (*self.constructs[:index], changed, *self.constructs[index + 1 :])

    def destroy(self, name: CardName) -> None:
        """Puts a construct from play into the discard pile."""
        self.remove_construct(name)
        self.discard += (name,)

    def remove_construct(self, name: CardName) -> None:
        """Takes a construct out of play."""
        index = [construct.name for construct in self.constructs].index(name)
        self.constructs = self.constructs[:index] + self.constructs[index + 1 :]


class Draft:
    """A board while a move is being made. `mine` is the side of the turn owner."""

    def __init__(self, board: Board) -> None:
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

    def finished(self) -> Board:
        """The board that the move leads to."""
        mine, other = self.mine.finished(), self.other.finished()
        return Board(
            self.chance,
            (mine, other) if self.turn_owner is Seat.FIRST else (other, mine),
            self.center_deck,
            self.row,
            self.void,
            self.mystics,
            self.heavies,
            self.honor_pool,
            self.turn,
            self.turn_owner,
            self.runes,
            self.power,
            self.restricted_runes,
            self.discount,
            self.has_defeated,
            self.extra_turns,
            self.agenda,
            self.pending,
            self.supply,
        )

    def next_on_agenda(self, card: CardName, *effects: Effect) -> None:
        """Has these resolved in this order, before anything that waits already."""
        self.agenda = (*(Step(card, effect) for effect in effects), *self.agenda)

    def gain_honor(self, amount: int) -> None:
        """Honor from the pool, and from a reserve when that is empty (RULES.md, 11)."""
        self.mine.honor += amount
        self.honor_pool = max(0, self.honor_pool - amount)

    def draw(self, count: int) -> None:
        """Draws cards; the discard pile is shuffled only when a card is needed and none is left."""
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
        """These cards in an order that chance gives."""
        order, self.chance = self.chance.shuffled(cards)
        return tuple(CardName(name) for name in order)

    def leave_row(self, name: CardName, *, to_void: bool) -> None:
        """Takes a card out of the row and fills the gap at once.

        Where the card goes comes first (reading 7): a card that goes to the void is among those
        that are shuffled if the center deck is empty.
        """
        gap = self.row.index(name)
        self.row = self.row[:gap] + self.row[gap + 1 :]
        if to_void:
            self.void += (name,)
        self.refill_row(gap)

    def refill_row(self, gap: int) -> None:
        """Fills the row up to six, the gap first, if need be from the void (AR-09)."""
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
        """Takes a card that is acquired from its pile or from the row."""
        taken = 0 if self.supply is Supply.ENDLESS else 1
        if name == MYSTIC:
            self.mystics -= taken
        elif name == HEAVY_INFANTRY:
            self.heavies -= taken
        else:
            self.leave_row(name, to_void=False)

    def enter_play(self, name: CardName) -> None:
        """Puts a construct into play. Each Burrower may see it, itself included."""
        mine = self.mine
        mine.constructs += (Construct(name),)
        if not is_mechana(CARDS[name], mine.constructs):
            return
        for index, construct in enumerate(mine.constructs):
            if CARDS[construct.name].passive is Passive.DRAW_FOR_MECHANA and not construct.used:
                mine.change_construct(index, Construct(construct.name, used=True))
                self.draw(1)


def without(cards: tuple[CardName, ...], name: CardName) -> tuple[CardName, ...]:
    """These cards without the first of that name. Not checked: that there is one."""
    index = cards.index(name)
    return cards[:index] + cards[index + 1 :]
