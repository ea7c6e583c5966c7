"""What a choice does once it is made. Nothing here checks that it is one of the options."""

from gamehall.games.ascension import acts
from gamehall.games.ascension.board import Construct
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.choices import FROM_DISCARD, FROM_HAND, RUNE
from gamehall.games.ascension.constructs import unused_courier
from gamehall.games.ascension.draft import Draft, without
from gamehall.games.ascension.effects import (
    AcquireOrDefeat,
    AcquireToDeck,
    Asking,
    Banish,
    CopyHero,
    DefeatFree,
    DiscardToDraw,
    KeepConstruct,
    LoseConstruct,
    PutIntoPlay,
    RuneOrPower,
    Zone,
)
from gamehall.games.ascension.moves import CardName


def answer(draft: Draft, effect: Asking, option: str) -> None:
    """Does what the effect says with the option; "" declines, and nothing happens."""
    if not option:
        return
    name, mine = CardName(option), draft.mine
    match effect:
        case Banish(zone):
            _banish(draft, zone, option)
        case DiscardToDraw(count):
            mine.hand = without(mine.hand, name)
            mine.discard += (name,)
            draft.draw(count)
        case DefeatFree():
            acts.defeat(draft, name)
        case AcquireToDeck():
            mine.deck = (name, *mine.deck)
            draft.leave_offer(name)
        case AcquireOrDefeat():
            if CARDS[name].is_monster:
                acts.defeat(draft, name)
            else:
                acts.take(draft, name)
        case RuneOrPower():
            if option == RUNE:
                draft.runes += 1
            else:
                draft.power += 1
        case CopyHero():
            # The effect only: it is not played again (RULES.md, 9).
            draft.next_on_agenda(name, *CARDS[name].effects)
        case PutIntoPlay(construct):
            _put_into_play(draft, construct)
        case LoseConstruct():
            mine.destroy(name)
        case KeepConstruct():
            kept = [construct.name for construct in mine.constructs].index(name)
            for index, other in enumerate(mine.constructs):
                if index != kept:
                    mine.destroy(other.name)


def _banish(draft: Draft, zone: Zone, option: str) -> None:
    mine = draft.mine
    if zone is Zone.ROW:
        draft.leave_row(CardName(option), to_void=True)
        return
    name = CardName(option.removeprefix(FROM_HAND).removeprefix(FROM_DISCARD))
    if zone is Zone.HAND or option.startswith(FROM_HAND):
        mine.hand = without(mine.hand, name)
    else:
        mine.discard = without(mine.discard, name)
    draft.void += (name,)


def _put_into_play(draft: Draft, construct: CardName) -> None:
    """Uses up one Courier, which declining does not (reading 4)."""
    mine = draft.mine
    index = unused_courier(mine.constructs)
    if index is not None:
        mine.change_construct(index, Construct(mine.constructs[index].name, used=True))
        mine.discard = without(mine.discard, construct)
        draft.enter_play(construct)
