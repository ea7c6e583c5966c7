"""What the hidden cards may be: positions that a player cannot tell from the one that is seen."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from gamehall.bots.ascension.memory import Memory
from gamehall.core import Chance, Seat
from gamehall.games.ascension import HIDDEN, AscensionPosition, CardName
from gamehall.games.ascension.board import Board, Supply
from gamehall.games.ascension.cards import (
    CARDS,
    CENTER,
    CENTER_NAMES,
    HEAVY_INFANTRY,
    MYSTIC,
    STARTERS,
)


def imagined(seen: AscensionPosition, seat: Seat, memory: Memory, seed: int) -> AscensionPosition:
    """A position that the player in that seat cannot tell from the one that is seen.

    Each player's hidden cards are those that are remembered, as far as there are so many, and the
    others are dealt by chance. Only the numbers of cards are certain to be right: where no match
    leads there may be too few cards to deal, and then Apprentices stand for the others.
    """
    board = seen.board
    dealer = _Dealer(_unseen(board, memory), seed)
    mine, theirs = board.side(seat), board.side(seat.other)
    deck = dealer.deal(memory.hidden(seat), mine.deck.count(HIDDEN))
    their_cards = dealer.deal(
        memory.hidden(seat.other), theirs.deck.count(HIDDEN) + theirs.hand.count(HIDDEN)
    )
    hand = their_cards[: len(theirs.hand)]
    sides = {
        seat: msgspec.structs.replace(mine, deck=deck),
        seat.other: msgspec.structs.replace(theirs, hand=hand, deck=their_cards[len(hand) :]),
    }
    return msgspec.structs.replace(
        seen,
        board=msgspec.structs.replace(
            board,
            chance=dealer.chance,
            sides=(sides[Seat.FIRST], sides[Seat.SECOND]),
            center_deck=dealer.rest(len(board.center_deck)),
        ),
    )


class _Dealer:
    """Deals out the cards that are not seen."""

    def __init__(self, unseen: Counter[CardName], seed: int) -> None:
        self._unseen = unseen
        self.chance = Chance(seed)

    def deal(self, remembered: Counter[CardName], count: int) -> tuple[CardName, ...]:
        """So many cards in any order: those that are remembered, and others where these end."""
        cards = self._shuffled((remembered & self._unseen).elements())[:count]
        self._unseen = self._unseen - Counter(cards)
        if len(cards) < count:
            others = self._shuffled(self._unseen.elements())
            # Cards that cannot lie in the center deck must be in one of the players' decks.
            others = tuple(sorted(others, key=CENTER_NAMES.__contains__))[: count - len(cards)]
            self._unseen = self._unseen - Counter(others)
            lacking = (STARTERS[0].name,) * (count - len(cards) - len(others))
            cards = self._shuffled(cards + others + lacking)
        return cards

    def rest(self, count: int) -> tuple[CardName, ...]:
        """The center deck, of what is left."""
        left = (name for name in self._unseen.elements() if name in CENTER_NAMES)
        return self._shuffled(left)[:count]

    def _shuffled(self, cards: Iterable[CardName]) -> tuple[CardName, ...]:
        order, self.chance = self.chance.shuffled(cards)
        return tuple(CardName(name) for name in order)


_ALL = Counter({card.name: card.copies for card in CENTER}) + Counter(
    {card.name: 2 * card.copies for card in STARTERS}
)
"""Every card but those of the piles."""


def _unseen(board: Board, memory: Memory) -> Counter[CardName]:
    """The cards that lie where the viewer cannot see them."""
    unseen = Counter(_ALL)
    if board.supply is Supply.ENDLESS:
        # How many have been acquired, only the memory tells.
        for name in (MYSTIC, HEAVY_INFANTRY):
            unseen[name] = sum(owned[name] for owned in memory.owned().values())
    else:
        unseen[MYSTIC] = CARDS[MYSTIC].copies - board.mystics
        unseen[HEAVY_INFANTRY] = CARDS[HEAVY_INFANTRY].copies - board.heavies
    for zone in (board.row, board.void, *(side.cards for side in board.sides)):
        unseen.subtract(zone)
    del unseen[HIDDEN]
    return +unseen
