"""What cards are worth to a player, in honor at the end of the game, and how the match stands.

Weights are the numbers by which the planner converts runes, power and cards to honor. They were
found by matches: a planner with some of them changed met the greedy bot, or a planner without the
change, in hundreds of games at the same tables.

    gamehall arena ascension mine.py:Changed greedy --games 600

where `Changed` is a class of one's own that plays as a PlannerBot with other weights.

Near these numbers the play is about equally strong: of a dozen changes that were tried so, in 600
to 1,000 games each, none moved the share of wins by more than 2 of 100. Yields, which are what a
card gives each time it is drawn or in each turn that it stays in play, were corrected where a
regression of the final margin on the cards of both players, over 1,200 matches of planners with
random weights, said that one is worth far more or less.
"""

from collections.abc import Mapping
from math import ceil, floor, sqrt
from typing import NamedTuple, TypeAlias

from gamehall.core import Seat
from gamehall.games.ascension import CARDS, AscensionPosition, CardName
from gamehall.games.ascension.actions import HAND_SIZE
from gamehall.games.ascension.board import Side, count_of
from gamehall.games.ascension.cards import Card, Faction
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
    Gain,
    HonorPerFaction,
    KeepConstruct,
    Loss,
    OnOpponent,
    Passive,
    PowerIfLifebound,
    PowerPerMechana,
    RuneOrPower,
    TakeFromHand,
    Zone,
)


class Weights(NamedTuple):
    """What things are worth, in honor at the end of the game."""

    rune: float = 0.45
    """What a rune of the last turn is worth."""
    rune_per_round: float = 0.03
    """How much more it is worth for each round that is left."""
    power: float = 0.7
    """What 1 power is worth."""
    banished: float = 0.2
    """What it is worth to be able to banish a card, beyond what that adds now."""
    growth: float = 0.01
    """By how much an average card of the deck gets better for each round that is left."""
    slot: float = 0.95
    """How much of an average card each further card of the deck takes the place of."""
    pace_growth: float = 0.35
    """How much more honor both together take from the pool, round by round."""
    honor_per_power: float = 0.7
    """How much honor a player takes from the pool with 1 power."""
    denial: float = 0.1
    """What it is worth to take away what is worth 1 to the opponent."""


WEIGHTS = Weights()
"""What the planner goes by."""


class Yield(NamedTuple):
    """Runes, power and honor, cards drawn, and own cards that may be banished."""

    runes: float = 0.0
    power: float = 0.0
    honor: float = 0.0
    cards: float = 0.0
    banished: float = 0.0

    def plus(self, other: "Yield") -> "Yield":
        """Both together."""
        return Yield(*(one + more for one, more in zip(self, other, strict=True)))


PASSIVES = {
    Passive.HONOR_FOR_LIFEBOUND: Yield(honor=0.4),
    Passive.HONOR_FOR_MONSTER: Yield(honor=0.7),
    Passive.DRAW_FOR_MECHANA: Yield(cards=0.15),
    Passive.ACQUIRED_INTO_PLAY: Yield(runes=0.3),
    Passive.ALL_ARE_MECHANA: Yield(runes=0.2),
}
"""What constructs that act by themselves come to in a usual turn."""


SURE = Yield(honor=0.3)
"""What it is worth that a construct gives the same in every turn; Mechana ones do so seldom."""


def _of_effect(effect: Effect) -> Yield:
    """Return what an effect comes to in a usual turn, where that depends on others."""
    match effect:
        case Gain(runes, power, honor, restricted_runes):
            return Yield(runes + 0.4 * restricted_runes, power, honor)
        case Draw(count):
            return Yield(cards=count)
        case PowerIfLifebound(power):
            return Yield(power=0.3 * power)
        case HonorPerFaction():
            return Yield(honor=0.8)
        case PowerPerMechana():
            return Yield(power=2.0)
        case DrawIfConstructs():
            return Yield(cards=0.4)
        case Discount(runes):
            return Yield(runes=0.3 * runes)
        case Exchange(_, honor):
            return Yield(honor=0.2 * honor)
        case DiscardToDraw(count):
            return Yield(cards=count - 0.6)
        case Banish(Zone.ROW):
            return Yield(honor=0.2)
        case Banish(Zone.HAND):
            # What is banished from the hand cannot be played any more.
            return Yield(cards=-0.7, banished=1.0)
        case Banish():
            return Yield(banished=1.0)
        case DefeatFree(highest_cost):
            return Yield(honor=1.05 * (highest_cost - 2))
        case AcquireToDeck(None):
            return Yield(runes=5.0, cards=0.5)
        case AcquireToDeck():
            return Yield(runes=2.5, cards=0.3)
        case RuneOrPower():
            return Yield(runes=0.6, power=0.6)
        case CopyHero():
            return Yield(runes=1.0, power=0.8, cards=0.2)
        case _:
            # What only monsters do is worth what the table offers then; an extra turn comes once.
            return Yield()


def _of_card(card: Card) -> Yield:
    total = Yield()
    for effect in card.effects:
        total = total.plus(_of_effect(effect))
    if card.exchange:
        total = total.plus(_of_effect(card.exchange))
    if card.passive:
        total = total.plus(PASSIVES[card.passive])
    if card.is_construct and card.faction is not Faction.MECHANA:
        total = total.plus(SURE)
    return total


YIELDS: dict[CardName, Yield] = {name: _of_card(card) for name, card in CARDS.items()}
"""By the name of the card. Of a monster: what follows its honor."""


LEAST_SHARE = 0.4
"""Of the cards of a deck, how many count at least as drawn by turns and not by other cards."""


class DeckTally:
    """What the cards of one player give, all together.

    A card that draws another takes no place of its own: so a deck is as large as its cards are many
    less those that they draw (`net`), and a hand is five of these.
    """

    def __init__(self, owned: Mapping[CardName, int], side: Side, weights: Weights) -> None:
        self.count = 0
        self.printed_honor = 0
        runes = power = honor = drawn = banished = 0.0
        for name, count in owned.items():
            card = CARDS[name]
            self.printed_honor += count * card.honor
            if card.is_hero:
                given = YIELDS[name]
                self.count += count
                runes += count * given.runes
                power += count * given.power
                honor += count * given.honor
                drawn += count * given.cards
                banished += count * given.banished
        self.count = max(1, self.count)
        self.net = max(LEAST_SHARE * self.count, self.count - drawn)
        per_card = 1 / self.net
        self.runes_per_card = runes * per_card
        self.power_per_card = power * per_card
        self.honor_per_card = (honor + banished * weights.banished) * per_card
        self.runes_in_play = self.power_in_play = self.honor_in_play = 0.0
        cards = float(HAND_SIZE)
        for construct in side.constructs:
            given = YIELDS[construct.name]
            self.runes_in_play += given.runes
            self.power_in_play += given.power
            self.honor_in_play += given.honor
            cards += given.cards
        self.cards = cards
        """How many cards a turn brings, but for those that other cards draw."""
        self.runes = cards * self.runes_per_card + self.runes_in_play
        self.power = cards * self.power_per_card + self.power_in_play
        self.honor = cards * self.honor_per_card + self.honor_in_play
        """What a turn gives."""
        self.pace = max(0.0, weights.honor_per_power * self.power + self.honor)
        """How much honor the player takes from the pool in a turn."""
        per_turn = cards * self.count / self.net
        self.turns_to_shuffle = len(side.deck) / per_turn
        self.turns_to_cycle = self.count / per_turn


class Appraisal:
    """What one player's cards come to if so many rounds are left after this one."""

    def __init__(self, tally: DeckTally, rounds: float, weights: Weights) -> None:
        self._weights = weights
        self.tally = tally
        self.rounds = rounds
        self._rune = rune = weights.rune + weights.rune_per_round * rounds
        self._power = power = weights.power
        self.mean = (
            tally.runes_per_card * rune + tally.power_per_card * power + tally.honor_per_card
        )
        """What a drawn card gives on average, what it draws included."""
        self.per_turn = tally.runes * rune + tally.power * power + tally.honor
        """What a turn gives."""
        self._place = weights.slot * (self.mean + weights.growth * rounds)

    def now(self, name: CardName) -> float:
        """Return what the card gives when it is played now, or in each turn that it is in play."""
        given = YIELDS[name]
        return (
            given.runes * self._rune
            + given.power * self._power
            + given.honor
            + given.banished * self._weights.banished
            + given.cards * self.mean
        )

    def of_acquiring(self, name: CardName) -> float:
        """What the card adds from the moment it is in the discard pile, its honor included."""
        honor, turns = CARDS[name].honor, self.rounds - self.tally.turns_to_shuffle
        if CARDS[name].is_construct:
            turns -= self.tally.turns_to_cycle / 2
            # To draw it takes the place of another card, once.
            return honor + max(0.0, turns * self.now(name) - self.mean)
        return honor + max(0.0, turns) * self._each_turn(name)

    def of_acquiring_into_play(self, name: CardName) -> float:
        """Return what the construct adds if it is in play at once."""
        return CARDS[name].honor + (self.rounds + 1) * self.now(name)

    def of_acquiring_onto_deck(self, name: CardName) -> float:
        """Return what the hero adds from the moment it lies on the deck."""
        if self.rounds <= 0:
            return CARDS[name].honor
        later = max(0.0, self.rounds - self.tally.turns_to_cycle)
        return CARDS[name].honor + self.now(name) - self.mean + later * self._each_turn(name)

    def of_banishing(self, name: CardName) -> float:
        """Return what it adds to own the card no more, its honor deducted."""
        if CARDS[name].is_construct:
            return -self.of_acquiring(name)
        return -CARDS[name].honor - self.rounds * self._each_turn(name)

    def _each_turn(self, name: CardName) -> float:
        """Return what one hero more in the deck adds to a turn."""
        tally, cards = self.tally, YIELDS[name].cards
        if tally.count <= HAND_SIZE:
            # There is no other card whose place it would take.
            return self.now(name)
        net = max(LEAST_SHARE * tally.count, tally.net + 1 - cards)
        more = self.now(name) - cards * self.mean - (1 - cards) * self._place
        return tally.cards * more / net


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
        tally = DeckTally(owned[board.turn_owner], self.mine, weights)
        their_tally = DeckTally(owned[other], self.theirs, weights)
        self._pace, self._their_pace = tally.pace, their_tally.pace
        turns = (position.max_turns - board.turn - 1) / 2
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
        """Return what it adds to defeat the monster, but for runes, which can be spent at once."""
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
        """Return what the opponent lacks until the constructs that are lost come back."""
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
