"""The value of cards, in honor at the end of the game, and the prospects of the match.

The planner converts runes, power and cards to honor by weights. They were found by matches: a
planner with some of them changed played hundreds of games against the greedy bot, or against a
planner without the change, from the same starting positions.

    gamehall arena ascension mine.py:Changed greedy --games 600

`Changed` is a class that plays as a PlannerBot with other weights.

Near these numbers the strength hardly changes: a dozen changes were tried in 600 to 1,000 games
each, and none moved the share of wins by more than 2 %. Yields are what a card gives each time it
is drawn, or in each turn that it stays in play. They were corrected where a regression of the final
margin on the cards of both players, over 1,200 matches of planners with random weights, showed a
large error.
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
    """Values in honor at the end of the game."""

    rune: float = 0.45
    """The value of a rune in the last turn."""
    rune_per_round: float = 0.03
    """The additional value for each round that is left."""
    power: float = 0.7
    """The value of 1 power."""
    banished: float = 0.2
    """The value of the option to banish a card, besides the value of banishing it now."""
    growth: float = 0.01
    """How much better an average card of the deck becomes with each round that is left."""
    slot: float = 0.95
    """The share of an average card that each additional card in the deck displaces."""
    pace_growth: float = 0.35
    """How much the honor taken from the pool per round grows from round to round."""
    honor_per_power: float = 0.7
    """The honor that a player takes from the pool per power."""
    denial: float = 0.1
    """The share of a card's value to the opponent that it is worth to take it away."""


WEIGHTS = Weights()


class Yield(NamedTuple):
    """What a card gives when it is played, or in each turn that it is in play."""

    runes: float = 0.0
    power: float = 0.0
    honor: float = 0.0
    cards: float = 0.0
    banished: float = 0.0
    """The number of own cards that may be banished."""

    def plus(self, other: "Yield") -> "Yield":
        return Yield(*(one + more for one, more in zip(self, other, strict=True)))


PASSIVES = {
    Passive.HONOR_FOR_LIFEBOUND: Yield(honor=0.4),
    Passive.HONOR_FOR_MONSTER: Yield(honor=0.7),
    Passive.DRAW_FOR_MECHANA: Yield(cards=0.15),
    Passive.ACQUIRED_INTO_PLAY: Yield(runes=0.3),
    Passive.ALL_ARE_MECHANA: Yield(runes=0.2),
}
"""The average yield of passive constructs in a turn."""


SURE = Yield(honor=0.3)
"""The additional yield of a construct that gives the same in every turn; Mechana ones rarely do."""


def _of_effect(effect: Effect) -> Yield:
    """Return the average yield of an effect in a turn."""
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
            # The card can no longer be played in this turn.
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
            # Effects of monsters depend on the situation, and an extra turn is taken only once.
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
"""The yield of each card. For a monster, it excludes the honor."""


MIN_SHARE = 0.4
"""`DeckTally.net` is at least this share of the number of cards."""


class DeckTally:
    """The average yield of all cards of a player.

    A card that draws another takes no place of its own. So the effective size of a deck (`net`) is
    the number of its cards less the number of cards that they draw, and a hand is five of these.
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
        self.net = max(MIN_SHARE * self.count, self.count - drawn)
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
        """The cards of a turn, without those drawn by other cards."""
        self.runes = cards * self.runes_per_card + self.runes_in_play
        self.power = cards * self.power_per_card + self.power_in_play
        self.honor = cards * self.honor_per_card + self.honor_in_play
        self.pace = max(0.0, weights.honor_per_power * self.power + self.honor)
        """The honor that the player takes from the pool in a turn."""
        per_turn = cards * self.count / self.net
        self.turns_to_shuffle = len(side.deck) / per_turn
        self.turns_to_cycle = self.count / per_turn


class Appraisal:
    """The value of cards to one player if `rounds` rounds are left after this one."""

    def __init__(self, tally: DeckTally, rounds: float, weights: Weights) -> None:
        self._weights = weights
        self.tally = tally
        self.rounds = rounds
        self._rune = rune = weights.rune + weights.rune_per_round * rounds
        self._power = power = weights.power
        self.mean = (
            tally.runes_per_card * rune + tally.power_per_card * power + tally.honor_per_card
        )
        """The average value of a drawn card, including the cards that it draws."""
        self.per_turn = tally.runes * rune + tally.power * power + tally.honor
        """The value of a turn."""
        self._place = weights.slot * (self.mean + weights.growth * rounds)

    def now(self, name: CardName) -> float:
        """Return the value of playing the card now, or of having it in play for a turn."""
        given = YIELDS[name]
        return (
            given.runes * self._rune
            + given.power * self._power
            + given.honor
            + given.banished * self._weights.banished
            + given.cards * self.mean
        )

    def value_of_acquiring(self, name: CardName) -> float:
        """Return the value of a card that is put into the discard pile, including its honor."""
        honor, turns = CARDS[name].honor, self.rounds - self.tally.turns_to_shuffle
        if CARDS[name].is_construct:
            turns -= self.tally.turns_to_cycle / 2
            # It displaces another card once, when it is drawn.
            return honor + max(0.0, turns * self.now(name) - self.mean)
        return honor + max(0.0, turns) * self._each_turn(name)

    def value_of_acquiring_into_play(self, name: CardName) -> float:
        """Return the value of a construct that is put into play at once."""
        return CARDS[name].honor + (self.rounds + 1) * self.now(name)

    def value_of_acquiring_onto_deck(self, name: CardName) -> float:
        """Return the value of a hero that is put onto the deck."""
        if self.rounds <= 0:
            return CARDS[name].honor
        later = max(0.0, self.rounds - self.tally.turns_to_cycle)
        return CARDS[name].honor + self.now(name) - self.mean + later * self._each_turn(name)

    def value_of_banishing(self, name: CardName) -> float:
        """Return the value of losing the card, which includes its honor."""
        if CARDS[name].is_construct:
            return -self.value_of_acquiring(name)
        return -CARDS[name].honor - self.rounds * self._each_turn(name)

    def _each_turn(self, name: CardName) -> float:
        """Return how much an additional hero in the deck adds to each turn."""
        tally, cards = self.tally, YIELDS[name].cards
        if tally.count <= HAND_SIZE:
            # The whole deck is drawn in each turn, so it displaces no other card.
            return self.now(name)
        net = max(MIN_SHARE * tally.count, tally.net + 1 - cards)
        more = self.now(name) - cards * self.mean - (1 - cards) * self._place
        return tally.cards * more / net


Owned: TypeAlias = Mapping[Seat, Mapping[CardName, int]]
"""The number of each card that each player owns."""


class Situation:
    """The value of moves to the player whose turn it is, and the prospects of the match."""

    def __init__(self, position: AscensionPosition, owned: Owned, weights: Weights) -> None:
        """Only use what the player sees of the position."""
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
        # Unless ties are possible, the second player wins with equal scores.
        edge = 0.0 if position.ties else -0.5 if self._is_first else 0.5
        self._margin = score - their_score + edge

    def rounds_after(self, honor: float) -> float:
        """Return how many turns the player has after this one, if it takes that much honor now."""
        left = self.board.honor_pool - honor - (self._their_pace if self._is_first else 0.0)
        if left <= 0:
            return 0.0
        # The pool lasts until the sum over the rounds, which grows quadratically, is as much.
        pace, growth = self._pace + self._their_pace, self.weights.pace_growth
        rounds = (sqrt(pace * pace + 2 * growth * left) - pace) / growth
        return min(self._most_rounds, 0.5 + rounds)

    def prospect(self, gain: float, honor: float) -> float:
        """Return how good it is to gain that much, of it `honor` from the pool, in this turn.

        It is the expected margin at the end, divided by its uncertainty.
        """
        rounds = self.rounds_after(honor)
        their_rounds = rounds + self._is_first
        margin = self._margin + gain + rounds * self.appraisal.per_turn
        margin -= their_rounds * self.their_appraisal.per_turn
        return margin / sqrt(their_rounds + 0.05)

    def value_of_defeating(self, name: CardName) -> float:
        """Return the value of defeating the monster, except for its runes, which can be spent."""
        card = CARDS[name]
        value = float(card.honor)
        if name in self.board.row and not self.board.has_defeated:
            value += count_of(Passive.HONOR_FOR_MONSTER, self.mine.constructs)
        for effect in card.effects:
            match effect:
                case Draw(count):
                    value += count * self.appraisal.mean
                case Banish(Zone.DISCARD):
                    banish = self.appraisal.value_of_banishing
                    value += max([0.0, *(banish(own) for own in set(self.mine.discard))])
                case TakeFromHand():
                    value += self.appraisal.mean + self.their_appraisal.mean
                case OnOpponent(loss):
                    value += self._value_of_opponent_loss(loss)
                case AcquireOrDefeat():
                    value += self._value_of_best_in_row(name)
                case _:
                    pass
        return value

    def _value_of_best_in_row(self, without: CardName) -> float:
        return max(
            (
                CARDS[name].honor
                if CARDS[name].is_monster
                else self.appraisal.value_of_acquiring(name)
                for name in self.board.row
                if name != without
            ),
            default=0.0,
        )

    def _value_of_opponent_loss(self, loss: Loss) -> float:
        """Return the value of the lost constructs to the opponent, until they come back."""
        theirs = self.their_appraisal
        turns = min(theirs.rounds, theirs.tally.turns_to_shuffle + theirs.tally.turns_to_cycle / 2)
        lacking = sorted(turns * theirs.now(construct.name) for construct in self.theirs.constructs)
        if isinstance(loss, KeepConstruct):
            return sum(lacking[:-1])
        return lacking[0] if lacking else 0.0

    def value_to_opponent(self, name: CardName) -> float:
        """Return how much better a card is for the opponent than its usual purchases."""
        card, theirs = CARDS[name], self.their_appraisal
        usual = theirs.tally.power if card.is_monster else theirs.tally.runes
        if card.cost > usual + 1:
            return 0.0
        value = card.honor if card.is_monster else theirs.value_of_acquiring(name)
        # Cultists and Heavy Infantry are worth half their cost in honor.
        return max(0.0, value - card.cost / 2)
