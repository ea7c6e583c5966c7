"""The best way to spend the runes and the power of a turn."""

from collections import Counter
from functools import cached_property
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
    """What can be spent."""

    runes: int
    power: int
    restricted_runes: int = 0
    discount: int = 0


class Plan(NamedTuple):
    """What to do with a purse, in this order."""

    moves: tuple[Move, ...]
    gain: float
    """What it adds, in honor at the end of the game."""
    prospect: float
    """How good it is, as a situation says."""


class CardOffer(NamedTuple):
    """A card of the row, and what it gives."""

    name: CardName
    is_monster: bool
    is_construct: bool
    is_mechana: bool
    cost: int
    worth: float
    worth_in_play: float
    """The same, if a Courier puts it into play."""
    honor: int
    """What it takes from the pool."""
    runes: int


class PileBuys(NamedTuple):
    """What to spend runes on beside the row."""

    gain: float = 0.0
    honor: int = 0
    moves: tuple[Move, ...] = ()


class PileOffer(NamedTuple):
    """Something to spend runes on that is not in the row: a pile, or an exchange for honor."""

    move: Move
    cost: int
    gain: float
    honor: int
    """What it takes from the pool."""
    left: int
    """How often it can be done."""


class Spending:
    """Everything that can be bought and defeated now, with what it is worth."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation
        self._has_courier = unused_courier(situation.mine.constructs) is not None
        self._pile_buys: dict[tuple[int, int], PileBuys] = {}

    def best(self, purse: Purse, without: CardName | None = None) -> Plan:
        """Return the best plan of all; `without`: a card of the row that is there no more.

        What comes into the row on the way is not known, and so it is not planned for.
        """
        offers = list(self._offers)
        for offer in offers:
            if offer.name == without:
                offers.remove(offer)
                break
        return max(self._plans(offers, purse), key=_prospect)

    def first_moves(self, purse: Purse, count: int) -> list[Move]:
        """With which moves up to so many of the best plans begin, the best first.

        A plan to spend nothing begins with the end of the turn.
        """
        plans = self._plans(self._offers, purse)
        ranked = sorted(plans, key=_prospect, reverse=True)
        firsts = dict.fromkeys(plan.moves[0] if plan.moves else EndTurn() for plan in ranked)
        return list(firsts)[:count]

    def _plans(self, offers: list[CardOffer], purse: Purse) -> list[Plan]:
        plans = (self._plan(taken, purse) for taken in _combinations(offers, purse))
        return [plan for plan in plans if plan]

    @cached_property
    def _offers(self) -> list[CardOffer]:
        offers = [self._offer(name) for name in self._situation.board.row]
        return [offer for offer in offers if offer.worth > 0]

    def _offer(self, name: CardName) -> CardOffer:
        situation, card = self._situation, CARDS[name]
        denial = situation.weights.denial * situation.wanted_by_them(name)
        if card.is_monster:
            runes = sum(effect.runes for effect in card.effects if isinstance(effect, Gain))
            worth = situation.of_defeating(name) + denial
            return CardOffer(
                name=name,
                is_monster=True,
                is_construct=False,
                is_mechana=False,
                cost=card.cost,
                worth=worth,
                worth_in_play=worth,
                honor=card.honor,
                runes=runes,
            )
        mechana = is_mechana(card, situation.mine.constructs)
        worth = in_play = situation.appraisal.of_acquiring(name) + denial
        if mechana and self._has_courier:
            in_play = situation.appraisal.of_acquiring_into_play(name) + denial
        return CardOffer(
            name=name,
            is_monster=False,
            is_construct=card.is_construct,
            is_mechana=mechana,
            cost=card.cost,
            worth=worth,
            worth_in_play=in_play,
            honor=0,
            runes=0,
        )

    def _plan(self, taken: tuple[CardOffer, ...], purse: Purse) -> Plan | None:
        """The plan to take these, and what else there is for the rest; None if it costs more."""
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
            gain += offer.worth_in_play if can_put and offer.is_mechana else offer.worth
            can_put = can_put and not offer.is_mechana
        runes -= max(0, for_mechana - purse.restricted_runes)
        if runes < 0 or power < 0:
            return None
        others = self._besides(runes)
        gain += others.gain
        honor += others.honor
        cultists, prospect = self._cultists(power // CULTIST_COST, gain, honor)
        gain += cultists * CULTIST_HONOR
        # Monsters may give runes, and what leaves the row shows a card: so these come first.
        moves = (
            *(Defeat(offer.name) for offer in taken if offer.is_monster),
            *(Acquire(offer.name) for offer in taken if not offer.is_monster),
            *others.moves,
            *(Defeat(CULTIST),) * cultists,
        )
        return Plan(moves, gain, prospect)

    def _cultists(self, most: int, gain: float, honor: int) -> tuple[int, float]:
        """Return how many Cultists to defeat beside all else, and the prospect with them.

        It is as many as there is power for; unless that empties the pool, and it should not be.
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

    def _besides(self, runes: int, skipped: int = 0) -> PileBuys:
        """Return what runes are best spent on beside the row, but for some of the offers there."""
        if skipped == len(self._pile_offers):
            return PileBuys()
        known = self._pile_buys.get((runes, skipped))
        if known is None:
            offer = self._pile_offers[skipped]
            most = min(offer.left, runes // offer.cost) if offer.gain > 0 else 0
            buys = []
            for count in range(most + 1):
                rest = self._besides(runes - count * offer.cost, skipped + 1)
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
                gain=situation.appraisal.of_acquiring(name),
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


def _prospect(plan: Plan) -> float:
    return plan.prospect


def _combinations(offers: list[CardOffer], purse: Purse) -> list[tuple[CardOffer, ...]]:
    """Return all offers that can be taken together, as far as power goes."""
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
