"""The choices that cards ask for, and their options.

A choice without options is not asked; a choice with one option is (RULES.md, 10).
"""

from collections.abc import Iterable

from gamehall.games.ascension import effects
from gamehall.games.ascension.board import AscensionBoard, Choice, ChoiceKind, Draft, Step
from gamehall.games.ascension.cards import AVATAR, CARDS, CULTIST, HEAVY_INFANTRY, MYSTIC
from gamehall.games.ascension.effects import Asking, Zone
from gamehall.games.ascension.moves import HIDDEN, CardName

FROM_HAND, FROM_DISCARD = "hand:", "discard:"
"""The prefix of a card's name where it can come from the hand or from the discard pile."""

RUNE, POWER, PLAY = "rune", "power", "play"
"""Options that are not cards."""

KINDS: dict[type[Asking], ChoiceKind] = {
    effects.Banish: ChoiceKind.BANISH,
    effects.DiscardToDraw: ChoiceKind.DISCARD,
    effects.DefeatFree: ChoiceKind.DEFEAT_FREE,
    effects.AcquireToDeck: ChoiceKind.ACQUIRE_TO_DECK,
    effects.AcquireOrDefeat: ChoiceKind.ACQUIRE_OR_DEFEAT,
    effects.RuneOrPower: ChoiceKind.RESOURCE,
    effects.CopyHero: ChoiceKind.COPY_HERO,
    effects.PutIntoPlay: ChoiceKind.PUT_INTO_PLAY,
    effects.LoseConstruct: ChoiceKind.DESTROY_CONSTRUCT,
    effects.KeepConstruct: ChoiceKind.KEEP_CONSTRUCT,
}


def ask(draft: Draft, card: CardName, effect: Asking) -> None:
    """Make the turn owner choose, unless there are no options."""
    options = tuple(sorted(set(options_for(draft, effect))))
    if options:
        is_optional_banish = isinstance(effect, effects.Banish) and effect.optional
        draft.pending = Choice(
            seat=draft.turn_owner,
            card=card,
            slot=_slot(card, effect),
            kind=KINDS[type(effect)],
            options=options,
            optional=is_optional_banish or isinstance(effect, effects.PutIntoPlay),
        )
        draft.agenda = (Step(card, effect), *draft.agenda)


def zone_asked(board: AscensionBoard) -> Zone | None:
    """Return the zone of the cards that can be banished or discarded now, None for other choices.

    The agenda begins with the effect that asks. A board from a wire that does not send the effect
    has an empty agenda; then the zone is inferred from the options.
    """
    pending = board.pending
    if pending is None:
        return None
    if pending.kind is ChoiceKind.DISCARD:
        return Zone.HAND
    if pending.kind is not ChoiceKind.BANISH:
        return None
    if board.agenda and isinstance(asking := board.agenda[0].effect, effects.Banish):
        return asking.zone
    if any(option != card_of(option) for option in pending.options):
        return Zone.HAND_OR_DISCARD
    discard = board.side(pending.seat).discard
    for zone, cards in ((Zone.ROW, board.row), (Zone.DISCARD, discard)):
        if all(option in cards for option in pending.options):
            return zone
    return Zone.HAND


def card_of(option: str) -> CardName:
    """Return the card that an option names, without the prefix of its zone."""
    return CardName(option.removeprefix(FROM_HAND).removeprefix(FROM_DISCARD))


def _slot(card: CardName, effect: Asking) -> int:
    """Return how many other choices the card asks for before this one."""
    printed = CARDS[card].effects
    before = printed[: printed.index(effect)] if effect in printed else ()
    return sum(isinstance(earlier, Asking) for earlier in before)


def options_for(draft: Draft, effect: Asking) -> Iterable[str]:
    """Return the turn owner's options for the effect, in any order and with repetitions."""
    mine = draft.mine
    match effect:
        case effects.Banish(zone):
            return _banishable(draft, zone)
        case effects.DiscardToDraw():
            return mine.hand
        case effects.DefeatFree(highest_cost):
            monsters = [name for name in _known_row(draft) if CARDS[name].is_monster]
            return [name for name in (*monsters, CULTIST) if CARDS[name].cost <= highest_cost]
        case effects.AcquireToDeck(highest_cost):
            return _heroes_to_acquire(draft, highest_cost)
        case effects.AcquireOrDefeat():
            return [name for name in _known_row(draft) if name != AVATAR]
        case effects.RuneOrPower():
            return (RUNE, POWER)
        case effects.CopyHero():
            # The last hero played is the one that copies; it cannot copy itself.
            return [name for name in mine.played[:-1] if name != mine.played[-1]]
        case effects.PutIntoPlay():
            return (PLAY,)
        case effects.LoseConstruct() | effects.KeepConstruct():
            return [construct.name for construct in mine.constructs]


def _banishable(draft: Draft, zone: Zone) -> Iterable[str]:
    # The card that is being played has already left its zone, so it is not included (RULES.md, 7).
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
    """Return the cards of the row whose names are known. Others can occur in a view."""
    return [name for name in draft.row if name != HIDDEN]
