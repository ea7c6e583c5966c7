"""The options of the choices that cards ask for.

A choice without options is not asked; one with a single option is (RULES.md, 10).
"""

from collections.abc import Iterable

from gamehall.games.ascension.board import AscensionBoard, Choice, ChoiceKind, Draft, Step
from gamehall.games.ascension.cards import AVATAR, CARDS, CULTIST, HEAVY_INFANTRY, MYSTIC
from gamehall.games.ascension.effects import (
    AcquireOrDefeat,
    AcquireToDeck,
    Asking,
    Banish,
    CopyHero,
    DefeatFree,
    DiscardToDraw,
    Effect,
    KeepConstruct,
    LoseConstruct,
    PutIntoPlay,
    RuneOrPower,
    Zone,
)
from gamehall.games.ascension.moves import HIDDEN, CardName

FROM_HAND, FROM_DISCARD = "hand:", "discard:"
"""What stands before a name where a card may come from the hand or from the discard pile."""

RUNE, POWER, PLAY = "rune", "power", "play"
"""The options that are not cards."""

KINDS: dict[type[Asking], ChoiceKind] = {
    Banish: ChoiceKind.BANISH,
    DiscardToDraw: ChoiceKind.DISCARD,
    DefeatFree: ChoiceKind.DEFEAT_FREE,
    AcquireToDeck: ChoiceKind.ACQUIRE_TO_DECK,
    AcquireOrDefeat: ChoiceKind.ACQUIRE_OR_DEFEAT,
    RuneOrPower: ChoiceKind.RESOURCE,
    CopyHero: ChoiceKind.COPY_HERO,
    PutIntoPlay: ChoiceKind.PUT_INTO_PLAY,
    LoseConstruct: ChoiceKind.DESTROY_CONSTRUCT,
    KeepConstruct: ChoiceKind.KEEP_CONSTRUCT,
}


def ask(draft: Draft, card: CardName, effect: Asking) -> None:
    """Ask the turn owner to choose, unless there is nothing to choose from."""
    options = tuple(sorted(set(options_for(draft, effect))))
    if options:
        optional = effect.optional if isinstance(effect, Banish) else type(effect) is PutIntoPlay
        kind = KINDS[type(effect)]
        draft.pending = Choice(
            seat=draft.turn_owner,
            card=card,
            slot=_slot(card, effect),
            kind=kind,
            options=options,
            optional=optional,
        )
        draft.agenda = (Step(card, effect), *draft.agenda)


def zone_of(effect: Effect) -> Zone | None:
    """Return the zone of the cards that the effect asks for, None if it asks for something else."""
    match effect:
        case Banish(zone):
            return zone
        case DiscardToDraw():
            return Zone.HAND
        case _:
            return None


def zone_asked(board: AscensionBoard) -> Zone | None:
    """Return the zone of the cards that the pending choice is about, None if it is about others.

    It follows from the effect that asks. A client that was not told which effect that is has an
    empty agenda; then it is inferred from the options.
    """
    pending = board.pending
    if pending is None:
        return None
    if board.agenda:
        return zone_of(board.agenda[0].effect)
    if pending.kind is ChoiceKind.DISCARD:
        return Zone.HAND
    if pending.kind is not ChoiceKind.BANISH:
        return None
    if any(option != card_of(option) for option in pending.options):
        return Zone.HAND_OR_DISCARD
    discard = board.side(pending.seat).discard
    for zone, cards in ((Zone.ROW, board.row), (Zone.DISCARD, discard)):
        if all(option in cards for option in pending.options):
            return zone
    return Zone.HAND


def card_of(option: str) -> CardName:
    """Return the card that an option names, without the zone before it."""
    return CardName(option.removeprefix(FROM_HAND).removeprefix(FROM_DISCARD))


def _slot(card: CardName, effect: Asking) -> int:
    """Return how many choices of the card come before this one."""
    effects = CARDS[card].effects
    before = effects[: effects.index(effect)] if effect in effects else ()
    return sum(isinstance(earlier, Asking) for earlier in before)


def options_for(draft: Draft, effect: Asking) -> Iterable[str]:
    """Return what the effect offers to the turn owner, in any order and with repetitions."""
    mine = draft.mine
    match effect:
        case Banish(zone):
            return _banishable(draft, zone)
        case DiscardToDraw():
            return mine.hand
        case DefeatFree(highest_cost):
            monsters = [name for name in _known_row(draft) if CARDS[name].is_monster]
            return [name for name in (*monsters, CULTIST) if CARDS[name].cost <= highest_cost]
        case AcquireToDeck(highest_cost):
            return _heroes_to_acquire(draft, highest_cost)
        case AcquireOrDefeat():
            return [name for name in _known_row(draft) if name != AVATAR]
        case RuneOrPower():
            return (RUNE, POWER)
        case CopyHero():
            # The last one played is the hero that copies; it cannot copy itself.
            return [name for name in mine.played[:-1] if name != mine.played[-1]]
        case PutIntoPlay():
            return (PLAY,)
        case LoseConstruct() | KeepConstruct():
            return [construct.name for construct in mine.constructs]


def _banishable(draft: Draft, zone: Zone) -> Iterable[str]:
    """Only cards that are still there: not the card that is being played (RULES.md, 7)."""
    mine = draft.mine
    match zone:
        case Zone.ROW:
            return [name for name in _known_row(draft) if name != AVATAR]
        case Zone.HAND:
            return mine.hand
        case Zone.DISCARD:
            return mine.discard
        case Zone.HAND_OR_DISCARD:
            in_hand = [FROM_HAND + name for name in mine.hand]
            return in_hand + [FROM_DISCARD + name for name in mine.discard]


def _heroes_to_acquire(draft: Draft, highest_cost: int | None) -> Iterable[str]:
    offered = _known_row(draft)
    if draft.mystics:
        offered.append(MYSTIC)
    if draft.heavies:
        offered.append(HEAVY_INFANTRY)
    return [
        name
        for name in offered
        if CARDS[name].is_hero and (highest_cost is None or CARDS[name].cost <= highest_cost)
    ]


def _known_row(draft: Draft) -> list[CardName]:
    """Return the cards of the row, but for those that a client could not see come."""
    return [name for name in draft.row if name != HIDDEN]
