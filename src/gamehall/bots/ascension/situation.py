"""How a match stands for the player whose turn it is."""

from collections.abc import Mapping
from math import ceil, floor, sqrt
from typing import TypeAlias

from gamehall.bots.ascension.appraisal import Appraisal, Tally
from gamehall.bots.ascension.weights import Weights
from gamehall.core import Seat
from gamehall.games.ascension import CARDS, AscensionPosition, CardName
from gamehall.games.ascension.board import count_of
from gamehall.games.ascension.effects import (
    AcquireOrDefeat,
    Banish,
    Draw,
    KeepConstruct,
    Loss,
    OnOpponent,
    Passive,
    TakeFromHand,
    Zone,
)

Owned: TypeAlias = Mapping[Seat, Mapping[CardName, int]]
"""Which cards each player has, and how many of each."""


class Situation:
    """What things are worth to the player whose turn it is, and where the match leads."""

    def __init__(self, position: AscensionPosition, owned: Owned, weights: Weights) -> None:
        """Of the position nothing is looked at that is hidden from its player."""
        self.board = board = position.board
        self.weights = weights
        self._is_first = board.turn_owner is Seat.FIRST
        other = board.turn_owner.other
        self.mine, self.theirs = board.side(board.turn_owner), board.side(other)
        tally = Tally(owned[board.turn_owner], self.mine, weights)
        their_tally = Tally(owned[other], self.theirs, weights)
        self._pace, self._their_pace = tally.pace, their_tally.pace
        turns = (position.most_turns - board.turn - 1) / 2
        self._most_rounds = max(0, floor(turns) if self._is_first else ceil(turns))
        self.rounds = self.rounds_after(min(self._pace, board.honor_pool))
        self.appraisal = Appraisal(tally, self.rounds, weights)
        self.their_appraisal = Appraisal(their_tally, self.rounds + self._is_first, weights)
        score = self.mine.honor + tally.printed_honor
        their_score = self.theirs.honor + their_tally.printed_honor
        # Unless a game may end in a tie, the second player wins it.
        edge = 0.0 if position.ties else -0.5 if self._is_first else 0.5
        self._margin = score - their_score + edge

    def rounds_after(self, honor: float) -> float:
        """How many more turns the player has after this one, in which so much honor is taken."""
        left = self.board.honor_pool - honor - (self._their_pace if self._is_first else 0.0)
        if left <= 0:
            return 0.0
        # The pool lasts until the sum of what is taken, round by round, is as much.
        pace, growth = self._pace + self._their_pace, self.weights.pace_growth
        rounds = (sqrt(pace * pace + 2 * growth * left) - pace) / growth
        return min(self._most_rounds, 0.5 + rounds)

    def prospect(self, gain: float, honor: float) -> float:
        """How good it is to gain that much in this turn, and take so much honor from the pool.

        It is the margin to be expected at the end, by how far it may stray until then.
        """
        rounds = self.rounds_after(honor)
        their_rounds = rounds + self._is_first
        margin = self._margin + gain + rounds * self.appraisal.per_turn
        margin -= their_rounds * self.their_appraisal.per_turn
        return margin / sqrt(their_rounds + 0.05)

    def of_defeating(self, name: CardName) -> float:
        """What it adds to defeat the monster, but for runes, which can be spent at once."""
        card = CARDS[name]
        worth = float(card.honor)
        if name in self.board.row and not self.board.has_defeated:
            worth += count_of(Passive.HONOR_FOR_MONSTER, self.mine.constructs)
        for effect in card.effects:
            match effect:
                case Draw(count):
                    worth += count * self.appraisal.mean
                case Banish(Zone.DISCARD):
                    banish = self.appraisal.of_banishing
                    worth += max([0.0, *(banish(own) for own in set(self.mine.discard))])
                case TakeFromHand():
                    worth += self.appraisal.mean + self.their_appraisal.mean
                case OnOpponent(loss):
                    worth += self._of_their_loss(loss)
                case AcquireOrDefeat():
                    worth += self._of_best_of_row(name)
                case _:
                    pass
        return worth

    def _of_best_of_row(self, without: CardName) -> float:
        return max(
            (
                CARDS[name].honor if CARDS[name].is_monster else self.appraisal.of_acquiring(name)
                for name in self.board.row
                if name != without
            ),
            default=0.0,
        )

    def _of_their_loss(self, loss: Loss) -> float:
        """What the opponent lacks until the constructs that are lost come back."""
        theirs = self.their_appraisal
        turns = min(theirs.rounds, theirs.tally.turns_to_shuffle + theirs.tally.turns_to_cycle / 2)
        lacking = sorted(turns * theirs.now(construct.name) for construct in self.theirs.constructs)
        if isinstance(loss, KeepConstruct):
            return sum(lacking[:-1])
        return lacking[0] if lacking else 0.0

    def wanted_by_them(self, name: CardName) -> float:
        """What the opponent would gain by a card of the row, beyond what else it would buy."""
        card, theirs = CARDS[name], self.their_appraisal
        usual = theirs.tally.power if card.is_monster else theirs.tally.runes
        if card.cost > usual + 1:
            return 0.0
        worth = card.honor if card.is_monster else theirs.of_acquiring(name)
        # A Cultist and Heavy Infantry bring half as much honor as they cost.
        return max(0.0, worth - card.cost / 2)
