"""What a player remembers of cards that are hidden now, and positions that fit it."""

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
    """Whose each card is, as far as one player can tell from what that player has seen.

    It is shown positions as they are seen from one seat, each time that player is to move. What it
    cannot have seen, such as a card that came and went within one turn of the opponent, it does not
    know; nothing here is ever more than what the views tell.
    """

    def __init__(self) -> None:
        self._last: AscensionBoard | None = None
        self._owned: dict[Seat, Counter[CardName]] = {}

    def look(self, seen: AscensionPosition) -> None:
        """Take note of the position, as it is seen from the seat of the one who remembers."""
        board, last = seen.board, self._last
        if last is None or not _follows(last, board):
            self._owned = {seat: Counter(_STARTING_DECK) for seat in Seat}
            banished, actor = Counter(board.void), None
        else:
            # Between two looks there is one move of one's own, or a whole turn of the opponent.
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
        """Those of them that lie where they cannot be seen."""
        if self._last is None:
            return Counter()
        return self._owned[seat] - _visible(self._last.side(seat))

    def _note_gains(
        self, actor: Seat, last: AscensionBoard, board: AscensionBoard, banished: Counter[CardName]
    ) -> None:
        """What has left the row or the piles, and is not in the void, has been acquired."""
        owned = self._owned[actor]
        before, now = last.side(actor), board.side(actor)
        gained = len(now.cards) - len(before.cards)
        lost_by_other = len(last.side(actor.other).cards) - len(board.side(actor.other).cards)
        if lost_by_other > 0 and board.turn == last.turn:
            # Xeron has taken a card from the opponent's hand, and nothing else was drawn.
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
            # The piles do not tell: what else was gained and has come to light is from them.
            appeared = _visible(now) - _visible(before)
            for name in (MYSTIC, HEAVY_INFANTRY):
                bought = max(0, min(gained, appeared[name]))
                owned[name] += bought
                gained -= bought
            return
        owned[MYSTIC] += max(0, last.mystics - board.mystics)
        owned[HEAVY_INFANTRY] += max(0, last.heavies - board.heavies)

    def _reconcile(self, seat: Seat, side: Side, banished: Counter[CardName]) -> None:
        """Make what is remembered agree with what is seen, and with the number of cards.

        If more is remembered than there is, the banished cards go first, then any that are hidden.
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
    """Return True if it can be a later moment of the same match."""
    return board.turn >= last.turn and board.honor_pool <= last.honor_pool


def _visible(side: Side) -> Counter[CardName]:
    visible = Counter(side.cards)
    del visible[HIDDEN]
    return visible


def determinized(
    seen: AscensionPosition, seat: Seat, memory: Memory, seed: int
) -> AscensionPosition:
    """Return a position that the player in that seat cannot tell from the one that is seen.

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
        """Return the center deck, of what is left."""
        left = (name for name in self._unseen.elements() if name in CENTER_NAMES)
        return self._shuffled(left)[:count]

    def _shuffled(self, cards: Iterable[CardName]) -> tuple[CardName, ...]:
        order, self.chance = self.chance.shuffled(cards)
        return tuple(CardName(name) for name in order)


_ALL = Counter({card.name: card.copies for card in CENTER}) + Counter(
    {card.name: 2 * card.copies for card in STARTERS}
)
"""Every card but those of the piles."""


def _unseen(board: AscensionBoard, memory: Memory) -> Counter[CardName]:
    """Return the cards that lie where the viewer cannot see them."""
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
