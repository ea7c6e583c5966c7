"""What the planner does without looking ahead: a whole turn, move by move, choices included."""

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
    """Return all answers to the choice, the one that adds the most first."""
    worth = _worths(situation, pending)
    ranked = [(worth(option), Choose(option)) for option in pending.options]
    if pending.optional:
        ranked.append((0.0, DECLINE))
    return [choice for _, choice in sorted(ranked, key=lambda pair: -pair[0])]


def expected_purse(situation: Situation) -> Purse:
    """Return what there will be to spend when all that is in hand and in play has been used."""
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
    """Return what it is worth to have the card in hand now."""
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
    """Prefer to clear cards that are not planned for: the next card may be of use at once."""
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
    """Return what the card itself adds, and what is then done with the purse without it."""
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


ROUNDS_TO_KEEP = 1.5
"""How many rounds must be left for an extra turn to be worth waiting with."""


def _rank(card: Card) -> int:
    """When the card is played, the lowest first.

    What is put onto the deck can be drawn; what is drawn can be played, banished and discarded; and
    what asks for something does so best when the rest is known.
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
"""Effects that depend on what was played before."""

RANKS = {name: _rank(card) for name, card in CARDS.items()}


def use_of_cards(board: AscensionBoard) -> Move | None:
    """Return what is played or used next, None if all has been. Not while a choice is pending."""
    mine = board.mine
    if mine.hand:
        return PlayCard(min(mine.hand, key=RANKS.__getitem__))
    for construct in mine.constructs:
        effects = CARDS[construct.name].effects
        if effects and not construct.used and not isinstance(effects[0], ExtraTurn):
            return Activate(construct.name)
    return None


def extra_turn(situation: Situation) -> Move | None:
    """Return the use of a construct that gives an extra turn, if it is time for that."""
    if situation.rounds >= ROUNDS_TO_KEEP:
        return None
    for construct in situation.mine.constructs:
        if any(isinstance(effect, ExtraTurn) for effect in CARDS[construct.name].effects):
            return Activate(construct.name)
    return None


def ranked_moves(situation: Situation, count: int) -> Sequence[Move]:
    """Up to so many moves that look best by the appraisal of cards, the best first.

    They are for when all cards have been used, or while a choice is pending.
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
    """Return the move that is made without looking ahead.

    `owned` says which cards each player has, and is asked only if that matters; beside that nothing
    is looked at that is hidden.
    """
    used = None if position.board.pending else use_of_cards(position.board)
    return used or ranked_moves(Situation(position, owned(), weights), 1)[0]
