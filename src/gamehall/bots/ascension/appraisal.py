"""What cards are worth to a player, in honor at the end of the game."""

from collections.abc import Mapping

from gamehall.bots.ascension.weights import Weights
from gamehall.bots.ascension.yields import YIELDS
from gamehall.games.ascension import CARDS, CardName
from gamehall.games.ascension.actions import HAND_SIZE
from gamehall.games.ascension.board import Side

LEAST_SHARE = 0.4
"""Of the cards of a deck, how many count at least as drawn by turns and not by other cards."""


class Tally:
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

    def __init__(self, tally: Tally, rounds: float, weights: Weights) -> None:
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
        """What the card gives when it is played now, or in each turn that it is in play."""
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
        """What the construct adds if it is in play at once."""
        return CARDS[name].honor + (self.rounds + 1) * self.now(name)

    def of_acquiring_onto_deck(self, name: CardName) -> float:
        """What the hero adds from the moment it lies on the deck."""
        if self.rounds <= 0:
            return CARDS[name].honor
        later = max(0.0, self.rounds - self.tally.turns_to_cycle)
        return CARDS[name].honor + self.now(name) - self.mean + later * self._each_turn(name)

    def of_banishing(self, name: CardName) -> float:
        """What it adds to own the card no more, its honor deducted."""
        if CARDS[name].is_construct:
            return -self.of_acquiring(name)
        return -CARDS[name].honor - self.rounds * self._each_turn(name)

    def _each_turn(self, name: CardName) -> float:
        """What one hero more in the deck adds to a turn."""
        tally, cards = self.tally, YIELDS[name].cards
        if tally.count <= HAND_SIZE:
            # There is no other card whose place it would take.
            return self.now(name)
        net = max(LEAST_SHARE * tally.count, tally.net + 1 - cards)
        more = self.now(name) - cards * self.mean - (1 - cards) * self._place
        return tally.cards * more / net
