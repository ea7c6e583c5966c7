"""How a choice that a card asks for is made."""

from collections.abc import Callable

from gamehall.bots.ascension.situation import Situation
from gamehall.bots.ascension.spending import Purse, Spending
from gamehall.bots.ascension.yields import YIELDS
from gamehall.games.ascension import CARDS, CardName
from gamehall.games.ascension.board import Choice, ChoiceKind
from gamehall.games.ascension.choices import FROM_HAND, RUNE, card_of, zone_asked
from gamehall.games.ascension.effects import Gain, Zone
from gamehall.games.ascension.moves import DECLINE, Acquire, Choose, Defeat


def ranked_choices(situation: Situation, pending: Choice) -> list[Choose]:
    """All answers to the choice, the one that adds the most first."""
    worth = _worths(situation, pending)
    ranked = [(worth(option), Choose(option)) for option in pending.options]
    if pending.optional:
        ranked.append((0.0, DECLINE))
    return [choice for _, choice in sorted(ranked, key=lambda pair: -pair[0])]


def expected_purse(situation: Situation) -> Purse:
    """What there will be to spend when all that is in hand and in play has been used."""
    board = situation.board
    runes, power, restricted = float(board.runes), float(board.power), board.restricted_runes
    for name in situation.mine.hand:
        if CARDS[name].is_hero:
            runes += YIELDS[name].runes
            power += YIELDS[name].power
    for construct in situation.mine.constructs:
        for effect in CARDS[construct.name].effects:
            if isinstance(effect, Gain) and not construct.used:
                runes += effect.runes
                power += effect.power
                restricted += effect.restricted_runes
    return Purse(int(runes), int(power), restricted, board.discount)


def _worths(situation: Situation, pending: Choice) -> Callable[[str], float]:
    """What each option adds, compared to the others and, if it may be declined, to nothing."""
    appraisal = situation.appraisal
    match pending.kind:
        case ChoiceKind.BANISH:
            return _of_banishing(situation)
        case ChoiceKind.DISCARD:
            return lambda option: -_kept(situation, CardName(option))
        case ChoiceKind.DESTROY_CONSTRUCT:
            return lambda option: -appraisal.now(CardName(option))
        case ChoiceKind.KEEP_CONSTRUCT:
            return lambda option: appraisal.now(CardName(option))
        case ChoiceKind.PUT_INTO_PLAY:
            return lambda _: 1.0
        case ChoiceKind.RESOURCE:
            return _of_resource(situation)
        case ChoiceKind.COPY_HERO:
            return _of_copying(situation)
        case ChoiceKind.DEFEAT_FREE | ChoiceKind.ACQUIRE_TO_DECK | ChoiceKind.ACQUIRE_OR_DEFEAT:
            return _of_taking(situation, onto_deck=pending.kind is ChoiceKind.ACQUIRE_TO_DECK)


def _kept(situation: Situation, name: CardName) -> float:
    """What it is worth to have the card in hand now."""
    appraisal = situation.appraisal
    if CARDS[name].is_construct:
        turns = min(appraisal.rounds, appraisal.tally.turns_to_cycle)
        return (1 + turns) * appraisal.now(name)
    return appraisal.now(name)


def _of_banishing(situation: Situation) -> Callable[[str], float]:
    zone = zone_asked(situation.board)
    if zone is Zone.ROW:
        return _of_clearing_row(situation)

    def worth(option: str) -> float:
        name = card_of(option)
        is_in_hand = zone is Zone.HAND or option.startswith(FROM_HAND)
        lost = _kept(situation, name) if is_in_hand else 0.0
        return situation.appraisal.of_banishing(name) - lost

    return worth


def _of_clearing_row(situation: Situation) -> Callable[[str], float]:
    """What is not planned for may go: another card comes, which may be of use at once."""
    plan = Spending(situation).best(expected_purse(situation))
    planned = {move.card for move in plan.moves if isinstance(move, Acquire | Defeat)}

    def worth(option: str) -> float:
        name = CardName(option)
        if name in planned:
            return -1.0
        return situation.wanted_by_them(name) + 0.1

    return worth


def _of_resource(situation: Situation) -> Callable[[str], float]:
    spending, purse = Spending(situation), expected_purse(situation)

    def worth(option: str) -> float:
        if option == RUNE:
            return spending.best(purse._replace(runes=purse.runes + 1)).gain
        return spending.best(purse._replace(power=purse.power + 1)).gain

    return worth


def _of_copying(situation: Situation) -> Callable[[str], float]:
    spending, purse = Spending(situation), expected_purse(situation)

    def worth(option: str) -> float:
        given = YIELDS[CardName(option)]
        runes, power = int(purse.runes + given.runes), int(purse.power + given.power)
        spent = spending.best(purse._replace(runes=runes, power=power)).gain
        return spent + given.honor + given.cards * situation.appraisal.mean

    return worth


def _of_taking(situation: Situation, *, onto_deck: bool) -> Callable[[str], float]:
    """What the card itself adds, and what is then done with the purse without it."""
    spending, purse = Spending(situation), expected_purse(situation)
    appraisal = situation.appraisal

    def worth(option: str) -> float:
        name = CardName(option)
        card = CARDS[name]
        if card.is_monster:
            runes = sum(effect.runes for effect in card.effects if isinstance(effect, Gain))
            rest = spending.best(purse._replace(runes=purse.runes + runes), without=name)
            return situation.of_defeating(name) + rest.gain
        taken = (
            appraisal.of_acquiring_onto_deck(name) if onto_deck else appraisal.of_acquiring(name)
        )
        return taken + spending.best(purse, without=name).gain

    return worth
