"""What a player remembers of cards that lie hidden now."""

from collections import Counter
from collections.abc import Mapping

from gamehall.core import Seat
from gamehall.games.ascension import HIDDEN, AscensionPosition, CardName
from gamehall.games.ascension.board import Board, Side, Supply
from gamehall.games.ascension.cards import CARDS, HEAVY_INFANTRY, MYSTIC, STARTERS


class Memory:
    """Whose each card is, as far as one player can tell from what that player has seen.

    It is shown positions as they are seen from one seat, each time that player is to move. What it
    cannot have seen, such as a card that came and went within one turn of the opponent, it does not
    know; nothing here is ever more than what the views tell.
    """

    def __init__(self) -> None:
        self._last: Board | None = None
        self._owned: dict[Seat, Counter[CardName]] = {}

    def look(self, seen: AscensionPosition) -> None:
        """Takes note of the position, as it is seen from the seat of the one who remembers."""
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
        """The cards that each player is known to own."""
        return self._owned

    def hidden(self, seat: Seat) -> Counter[CardName]:
        """Those of them that lie where they cannot be seen."""
        if self._last is None:
            return Counter()
        return self._owned[seat] - _visible(self._last.side(seat))

    def _note_gains(
        self, actor: Seat, last: Board, board: Board, banished: Counter[CardName]
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
        """Makes what is remembered agree with what is seen, and with the number of cards.

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


def _follows(last: Board, board: Board) -> bool:
    """Whether it can be a later moment of the same match."""
    return board.turn >= last.turn and board.honor_pool <= last.honor_pool


def _visible(side: Side) -> Counter[CardName]:
    visible = Counter(side.cards)
    del visible[HIDDEN]
    return visible
