"""The best way to spend the runes and the power of a turn."""

from collections import Counter
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from gamehall.bots.ascension.appraisal import Situation
from gamehall.games.ascension import CARDS, CardName
from gamehall.games.ascension.board import is_mechana, unused_courier
from gamehall.games.ascension.cards import CULTIST, HEAVY_INFANTRY, MYSTIC
from gamehall.games.ascension.effects import Gain
from gamehall.games.ascension.moves import Ability, Acquire, Activate, Defeat, EndTurn, Move

CULTIST_COST = CARDS[CULTIST].cost
CULTIST_HONOR = CARDS[CULTIST].honor


class Purse(NamedTuple):
    """What the player can spend in this turn."""

    runes: int
    power: int
    restricted_runes: int = 0
    discount: int = 0


class Plan(NamedTuple):
    """Moves that spend a purse, in their order."""

    moves: tuple[Move, ...]
    gain: float
    """In honor at the end of the game."""
    prospect: float
    """See `Situation.prospect`."""


class CardOffer(NamedTuple):
    """A card in the row."""

    name: CardName
    is_monster: bool
    is_construct: bool
    is_mechana: bool
    cost: int
    value: float
    value_in_play: float
    """The value if a Courier puts it into play."""
    honor: int
    """What it takes from the pool."""
    runes: int


class PileBuys(NamedTuple):
    """Purchases outside the row."""

    gain: float = 0.0
    honor: int = 0
    moves: tuple[Move, ...] = ()


class PileOffer(NamedTuple):
    """A purchase outside the row: a card from a pile, or an exchange of runes for honor."""

    move: Move
    cost: int
    gain: float
    honor: int
    """What it takes from the pool."""
    left: int
    """How often the move is possible."""


class Spending:
    """All purchases and defeats that are possible now."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._has_courier = unused_courier(situation.mine.constructs) is not None
        self._pile_buys: dict[tuple[int, int], PileBuys] = {}

    def best(self, purse: Purse, without: CardName | None = None) -> Plan:
        """Return the best plan, as if the card `without` were not in the row.

        Cards that come into the row during the turn are unknown, and not planned for.
        """
        offers = list(self._offers)
        for offer in offers:
            if offer.name == without:
                offers.remove(offer)
                break
        return max(self._plans(offers, purse), key=attrgetter("prospect"))

    def first_moves(self, purse: Purse, count: int) -> list[Move]:
        """Return the first moves of the best plans, at most `count`, the best first.

        A plan that spends nothing begins with the end of the turn.
        """
        plans = self._plans(self._offers, purse)
        ranked = sorted(plans, key=attrgetter("prospect"), reverse=True)
        firsts = dict.fromkeys(plan.moves[0] if plan.moves else EndTurn() for plan in ranked)
        return list(firsts)[:count]

    def _plans(self, offers: list[CardOffer], purse: Purse) -> list[Plan]:
        plans = (self._plan(taken, purse) for taken in _combinations(offers, purse))
        return [plan for plan in plans if plan]

    @cached_property
    def _offers(self) -> list[CardOffer]:
        offers = [self._offer(name) for name in self._situation.board.row]
        return [offer for offer in offers if offer.value > 0]

    def _offer(self, name: CardName) -> CardOffer:
        situation, card = self._situation, CARDS[name]
        denial = situation.weights.denial * situation.value_to_opponent(name)
        if card.is_monster:
            runes = sum(effect.runes for effect in card.effects if isinstance(effect, Gain))
            value = situation.value_of_defeating(name) + denial
            return CardOffer(
                name=name,
                is_monster=True,
                is_construct=False,
                is_mechana=False,
                cost=card.cost,
                value=value,
                value_in_play=value,
                honor=card.honor,
                runes=runes,
            )
        mechana = is_mechana(card, situation.mine.constructs)
        value = in_play = situation.appraisal.value_of_acquiring(name) + denial
        if mechana and self._has_courier:
            in_play = situation.appraisal.value_of_acquiring_into_play(name) + denial
        return CardOffer(
            name=name,
            is_monster=False,
            is_construct=card.is_construct,
            is_mechana=mechana,
            cost=card.cost,
            value=value,
            value_in_play=in_play,
            honor=0,
            runes=0,
        )

    def _plan(self, taken: tuple[CardOffer, ...], purse: Purse) -> Plan | None:
        """Return the best plan that takes these offers, None if it costs too much."""
        runes, power = purse.runes, purse.power
        for_mechana, honor, gain = 0, 0, 0.0
        can_put, discount = self._has_courier, purse.discount
        for offer in taken:
            cost = offer.cost
            if offer.is_construct:
                cost, discount = max(0, cost - discount), 0
            if offer.is_monster:
                power -= cost
                runes += offer.runes
                honor += offer.honor
            elif offer.is_mechana:
                for_mechana += cost
            else:
                runes -= cost
            gain += offer.value_in_play if can_put and offer.is_mechana else offer.value
            can_put = can_put and not offer.is_mechana
        runes -= max(0, for_mechana - purse.restricted_runes)
        if runes < 0 or power < 0:
            return None
        others = self._best_pile_buys(runes)
        gain += others.gain
        honor += others.honor
        cultists, prospect = self._cultists(power // CULTIST_COST, gain, honor)
        gain += cultists * CULTIST_HONOR
        # Monsters come first, since they may give runes. Cards of the row come before those of the
        # piles, since a new card is revealed in their place.
        moves = (
            *(Defeat(offer.name) for offer in taken if offer.is_monster),
            *(Acquire(offer.name) for offer in taken if not offer.is_monster),
            *others.moves,
            *(Defeat(CULTIST),) * cultists,
        )
        return Plan(moves, gain, prospect)

    def _cultists(self, most: int, gain: float, honor: int) -> tuple[int, float]:
        """Return how many Cultists to defeat, and the prospect with them.

        It is as many as possible, or one too few to empty the pool if that is better.
        """
        situation, pool = self._situation, self._situation.board.honor_pool
        counts = [most]
        if honor < pool <= honor + most * CULTIST_HONOR:
            counts.append((pool - honor - 1) // CULTIST_HONOR)
        prospects = []
        for count in counts:
            more = count * CULTIST_HONOR
            prospects.append((situation.prospect(gain + more, honor + more), count))
        prospect, cultists = max(prospects)
        return cultists, prospect

    def _best_pile_buys(self, runes: int, skipped: int = 0) -> PileBuys:
        """Return the best purchases outside the row, without the first `skipped` offers."""
        if skipped == len(self._pile_offers):
            return PileBuys()
        known = self._pile_buys.get((runes, skipped))
        if known is None:
            offer = self._pile_offers[skipped]
            most = min(offer.left, runes // offer.cost) if offer.gain > 0 else 0
            buys = []
            for count in range(most + 1):
                rest = self._best_pile_buys(runes - count * offer.cost, skipped + 1)
                gain = rest.gain + count * offer.gain
                honor = rest.honor + count * offer.honor
                buys.append(PileBuys(gain, honor, (offer.move,) * count + rest.moves))
            known = self._pile_buys[runes, skipped] = max(buys, key=lambda bought: bought.gain)
        return known

    @cached_property
    def _pile_offers(self) -> list[PileOffer]:
        situation = self._situation
        offers = [
            PileOffer(
                move=Acquire(name),
                cost=CARDS[name].cost,
                gain=situation.appraisal.value_of_acquiring(name),
                honor=0,
                left=left,
            )
            for name, left in (
                (MYSTIC, situation.board.mystics),
                (HEAVY_INFANTRY, situation.board.heavies),
            )
        ]
        ready = Counter(each.name for each in situation.mine.constructs if not each.exchanged)
        for name, count in ready.items():
            exchange = CARDS[name].exchange
            if exchange:
                move, honor = Activate(name, Ability.EXCHANGE), exchange.honor
                offers.append(
                    PileOffer(move=move, cost=exchange.runes, gain=honor, honor=honor, left=count)
                )
        return offers


def _combinations(offers: list[CardOffer], purse: Purse) -> list[tuple[CardOffer, ...]]:
    """Return all combinations of offers for which the power suffices."""
    taken: list[tuple[int, tuple[CardOffer, ...]]] = [(0, ())]
    most_runes = sum(purse) - purse.power + sum(offer.runes for offer in offers)
    for offer in offers:
        if offer.cost > (purse.power if offer.is_monster else most_runes):
            continue
        cost = offer.cost if offer.is_monster else 0
        taken += [
            (power + cost, (*others, offer))
            for power, others in taken
            if power + cost <= purse.power
        ]
    return [others for _, others in taken]
