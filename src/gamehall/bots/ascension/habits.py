"""The planner's moves without looking ahead: a whole turn, including choices."""

from collections.abc import Callable, Sequence

from gamehall.bots.ascension.appraisal import YIELDS, Owned, Situation, Weights
from gamehall.bots.ascension.spending import Purse, Spending
from gamehall.games.ascension import CARDS, AscensionPosition, CardName
from gamehall.games.ascension.board import AscensionBoard, Choice, ChoiceKind
from gamehall.games.ascension.cards import Card
from gamehall.games.ascension.choices import FROM_HAND, RUNE, card_of, zone_asked
from gamehall.games.ascension.effects import (
    AcquireToDeck,
    Banish,
    CopyHero,
    DefeatFree,
    DiscardToDraw,
    Draw,
    DrawIfConstructs,
    ExtraTurn,
    Gain,
    HonorPerFaction,
    PowerIfLifebound,
    RuneOrPower,
    Zone,
)
from gamehall.games.ascension.moves import (
    DECLINE,
    Acquire,
    Activate,
    Choose,
    Defeat,
    Move,
    PlayCard,
)


def ranked_choices(situation: Situation, pending: Choice) -> list[Choose]:
    """Return all options of the choice, the most valuable first."""
    value = _option_values(situation, pending)
    ranked = [(value(option), Choose(option)) for option in pending.options]
    if pending.optional:
        ranked.append((0.0, DECLINE))
    return [choice for _, choice in sorted(ranked, key=lambda pair: -pair[0])]


def expected_purse(situation: Situation) -> Purse:
    """Return the purse after all cards in hand and in play have been used."""
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
    return Purse(
        runes=int(runes), power=int(power), restricted_runes=restricted, discount=board.discount
    )


def _option_values(situation: Situation, pending: Choice) -> Callable[[str], float]:
    """Return a function that values the options, on one scale with declining, which is 0."""
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
    """Return the value of having the card in hand now."""
    appraisal = situation.appraisal
    if CARDS[name].is_construct:
        turns = min(appraisal.rounds, appraisal.tally.turns_to_cycle)
        return (1 + turns) * appraisal.now(name)
    return appraisal.now(name)


def _of_banishing(situation: Situation) -> Callable[[str], float]:
    zone = zone_asked(situation.board)
    if zone is Zone.ROW:
        return _of_clearing_row(situation)

    def value(option: str) -> float:
        name = card_of(option)
        is_in_hand = zone is Zone.HAND or option.startswith(FROM_HAND)
        lost = _kept(situation, name) if is_in_hand else 0.0
        return situation.appraisal.value_of_banishing(name) - lost

    return value


def _of_clearing_row(situation: Situation) -> Callable[[str], float]:
    """Prefer cards that are not planned for, as the new card may be useful at once."""
    plan = Spending(situation).best(expected_purse(situation))
    planned = {move.card for move in plan.moves if isinstance(move, Acquire | Defeat)}

    def value(option: str) -> float:
        name = CardName(option)
        if name in planned:
            return -1.0
        return situation.value_to_opponent(name) + 0.1

    return value


def _of_resource(situation: Situation) -> Callable[[str], float]:
    spending, purse = Spending(situation), expected_purse(situation)

    def value(option: str) -> float:
        if option == RUNE:
            return spending.best(purse._replace(runes=purse.runes + 1)).gain
        return spending.best(purse._replace(power=purse.power + 1)).gain

    return value


def _of_copying(situation: Situation) -> Callable[[str], float]:
    spending, purse = Spending(situation), expected_purse(situation)

    def value(option: str) -> float:
        given = YIELDS[CardName(option)]
        runes, power = int(purse.runes + given.runes), int(purse.power + given.power)
        spent = spending.best(purse._replace(runes=runes, power=power)).gain
        return spent + given.honor + given.cards * situation.appraisal.mean

    return value


def _of_taking(situation: Situation, *, onto_deck: bool) -> Callable[[str], float]:
    """Return the value of the card, plus that of spending the purse without it."""
    spending, purse = Spending(situation), expected_purse(situation)
    appraisal = situation.appraisal

    def value(option: str) -> float:
        name = CardName(option)
        card = CARDS[name]
        if card.is_monster:
            runes = sum(effect.runes for effect in card.effects if isinstance(effect, Gain))
            rest = spending.best(purse._replace(runes=purse.runes + runes), without=name)
            return situation.value_of_defeating(name) + rest.gain
        taken = (
            appraisal.value_of_acquiring_onto_deck(name)
            if onto_deck
            else appraisal.value_of_acquiring(name)
        )
        return taken + spending.best(purse, without=name).gain

    return value


ROUNDS_TO_KEEP = 1.5
"""An extra turn is not used before fewer rounds than this are left."""


def _rank(card: Card) -> int:
    """Return the order in which cards are played, the lowest rank first.

    Cards put onto the deck can be drawn, and drawn cards can be played, banished and discarded.
    Cards with a choice come late, when more is known.
    """
    if card.is_construct:
        return 0
    kinds = {type(effect) for effect in card.effects}
    own = any(isinstance(effect, Banish) and effect.zone is not Zone.ROW for effect in card.effects)
    for rank, is_it in enumerate(
        (
            AcquireToDeck in kinds,
            Draw in kinds and not own,
            DiscardToDraw in kinds,
            Draw in kinds,
            own,
            not kinds & {*_LATE, CopyHero, DefeatFree, RuneOrPower},
            bool(kinds & _LATE),
            DefeatFree in kinds,
            CopyHero in kinds,
        ),
        start=1,
    ):
        if is_it:
            return rank
    return 10


_LATE = {PowerIfLifebound, HonorPerFaction, DrawIfConstructs}
"""Effects that depend on the cards played before."""

RANKS = {name: _rank(card) for name, card in CARDS.items()}


def use_of_cards(board: AscensionBoard) -> Move | None:
    """Return the next card to play or construct to use, None if there is none left."""
    mine = board.mine
    if mine.hand:
        return PlayCard(min(mine.hand, key=RANKS.__getitem__))
    for construct in mine.constructs:
        effects = CARDS[construct.name].effects
        if effects and not construct.used and not isinstance(effects[0], ExtraTurn):
            return Activate(construct.name)
    return None


def extra_turn(situation: Situation) -> Move | None:
    """Return the activation of a construct that gives an extra turn, if it is time for it."""
    if situation.rounds >= ROUNDS_TO_KEEP:
        return None
    for construct in situation.mine.constructs:
        if any(isinstance(effect, ExtraTurn) for effect in CARDS[construct.name].effects):
            return Activate(construct.name)
    return None


def ranked_moves(situation: Situation, count: int) -> Sequence[Move]:
    """Return the best moves by the appraisal of cards, at most `count`, the best first.

    Only for a pending choice, or when all cards have been used.
    """
    board = situation.board
    if board.pending:
        return ranked_choices(situation, board.pending)[:count]
    extra = extra_turn(situation)
    if extra:
        return [extra]
    purse = Purse(
        runes=board.runes,
        power=board.power,
        restricted_runes=board.restricted_runes,
        discount=board.discount,
    )
    return Spending(situation).first_moves(purse, count)


def habitual_move(
    position: AscensionPosition, owned: Callable[[], Owned], weights: Weights
) -> Move:
    """Return the move without looking ahead.

    `owned` returns the cards of each player, and is called only if needed. Other hidden information
    is not used.
    """
    used = None if position.board.pending else use_of_cards(position.board)
    return used or ranked_moves(Situation(position, owned(), weights), 1)[0]
