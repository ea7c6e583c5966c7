"""What a player knows of hidden cards, and full positions that are consistent with it."""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from gamehall.core import Chance, Seat
from gamehall.games.ascension import HIDDEN, AscensionPosition, CardName
from gamehall.games.ascension.board import AscensionBoard, Side, Supply
from gamehall.games.ascension.cards import (
    CARDS,
    CENTER,
    CENTER_NAMES,
    HEAVY_INFANTRY,
    MYSTIC,
    STARTERS,
)


class Memory:
    """Which cards each player owns, as far as one player can tell from what it has seen.

    It looks at the positions seen from one seat, each time that player is to move. It misses cards
    that came and went within one turn of the opponent.
    """

    def __init__(self) -> None:
        self._last: AscensionBoard | None = None
        self._owned: dict[Seat, Counter[CardName]] = {}

    def look(self, seen: AscensionPosition) -> None:
        """Update the memory by a position as seen by its player."""
        board, last = seen.board, self._last
        if last is None or not _follows(last, board):
            self._owned = {seat: Counter(_STARTING_DECK) for seat in Seat}
            banished, actor = Counter(board.void), None
        else:
            # Between two calls there is one own move, or a whole turn of the opponent.
            actor = last.turn_owner if board.turn == last.turn else last.turn_owner.other
            banished = Counter(board.void) - Counter(last.void)
            self._note_gains(actor, last, board, banished)
        for seat in Seat:
            is_suspect = actor in (None, seat)
            self._reconcile(seat, board.side(seat), banished if is_suspect else Counter())
        self._last = board

    def owned(self) -> Mapping[Seat, Counter[CardName]]:
        """Return the cards that each player is known to own."""
        return self._owned

    def hidden(self, seat: Seat) -> Counter[CardName]:
        """Return the known cards of a player that lie face down."""
        if self._last is None:
            return Counter()
        return self._owned[seat] - _visible(self._last.side(seat))

    def _note_gains(
        self, actor: Seat, last: AscensionBoard, board: AscensionBoard, banished: Counter[CardName]
    ) -> None:
        """Add the cards that have left the row and the piles, but are not in the void."""
        owned = self._owned[actor]
        before, now = last.side(actor), board.side(actor)
        gained = len(now.cards) - len(before.cards)
        lost_by_other = len(last.side(actor.other).cards) - len(board.side(actor.other).cards)
        if lost_by_other > 0 and board.turn == last.turn:
            # Xeron has taken a card from the opponent's hand. Nothing else was drawn.
            taken = Counter(now.hand) - Counter(before.hand)
            owned.update(taken)
            self._owned[actor.other] -= taken
            return
        left = Counter(last.row) - Counter(board.row) - banished
        for name in left.elements():
            if gained > 0 and not CARDS[name].is_monster:
                owned[name] += 1
                gained -= 1
        if board.supply is Supply.ENDLESS:
            # The piles do not shrink: other new cards that become visible are from them.
            appeared = _visible(now) - _visible(before)
            for name in (MYSTIC, HEAVY_INFANTRY):
                bought = max(0, min(gained, appeared[name]))
                owned[name] += bought
                gained -= bought
            return
        owned[MYSTIC] += max(0, last.mystics - board.mystics)
        owned[HEAVY_INFANTRY] += max(0, last.heavies - board.heavies)

    def _reconcile(self, seat: Seat, side: Side, banished: Counter[CardName]) -> None:
        """Correct the memory by the visible cards and by the number of cards.

        If it has too many cards, the banished ones are removed first, then any hidden ones.
        """
        visible = _visible(side)
        owned = self._owned[seat] | visible
        surplus = owned.total() - len(side.cards)
        for suspects in (banished, Counter(owned)):
            for name, count in suspects.items():
                gone = min(surplus, count, owned[name] - visible[name])
                if gone > 0:
                    owned[name] -= gone
                    surplus -= gone
        self._owned[seat] = +owned


_STARTING_DECK = {card.name: card.copies for card in STARTERS}


def _follows(last: AscensionBoard, board: AscensionBoard) -> bool:
    """Return True if `board` may be a later position of the same match."""
    return board.turn >= last.turn and board.honor_pool <= last.honor_pool


def _visible(side: Side) -> Counter[CardName]:
    visible = Counter(side.cards)
    del visible[HIDDEN]
    return visible


def determinized(
    seen: AscensionPosition, seat: Seat, memory: Memory, seed: int
) -> AscensionPosition:
    """Return a full position that looks the same to the player in that seat.

    Hidden cards are those in the memory, and random ones beyond that. In positions that no match
    leads to, there may be too few cards. They are filled up with Apprentices.
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
    """Deals the hidden cards at random."""

    def __init__(self, unseen: Counter[CardName], seed: int) -> None:
        self._unseen = unseen
        self.chance = Chance(seed)

    def deal(self, remembered: Counter[CardName], count: int) -> tuple[CardName, ...]:
        """Return `count` cards in random order: the remembered ones first, then any others."""
        cards = self._shuffled((remembered & self._unseen).elements())[:count]
        self._unseen = self._unseen - Counter(cards)
        if len(cards) < count:
            others = self._shuffled(self._unseen.elements())
            # Cards that cannot be in the center deck must belong to a player.
            others = tuple(sorted(others, key=CENTER_NAMES.__contains__))[: count - len(cards)]
            self._unseen = self._unseen - Counter(others)
            lacking = (STARTERS[0].name,) * (count - len(cards) - len(others))
            cards = self._shuffled(cards + others + lacking)
        return cards

    def rest(self, count: int) -> tuple[CardName, ...]:
        """Return the center deck."""
        left = (name for name in self._unseen.elements() if name in CENTER_NAMES)
        return self._shuffled(left)[:count]

    def _shuffled(self, cards: Iterable[CardName]) -> tuple[CardName, ...]:
        order, self.chance = self.chance.shuffled(cards)
        return tuple(CardName(name) for name in order)


_ALL = Counter({card.name: card.copies for card in CENTER}) + Counter(
    {card.name: 2 * card.copies for card in STARTERS}
)
"""All cards except those of the piles."""


def _unseen(board: AscensionBoard, memory: Memory) -> Counter[CardName]:
    """Return the cards that the viewer cannot see."""
    unseen = Counter(_ALL)
    if board.supply is Supply.ENDLESS:
        # Only the memory tells how many were acquired.
        for name in (MYSTIC, HEAVY_INFANTRY):
            unseen[name] = sum(owned[name] for owned in memory.owned().values())
    else:
        unseen[MYSTIC] = CARDS[MYSTIC].copies - board.mystics
        unseen[HEAVY_INFANTRY] = CARDS[HEAVY_INFANTRY].copies - board.heavies
    for zone in (board.row, board.void, *(side.cards for side in board.sides)):
        unseen.subtract(zone)
    del unseen[HIDDEN]
    return +unseen
