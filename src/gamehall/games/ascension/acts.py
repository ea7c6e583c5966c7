"""What it means to play, acquire, defeat and activate a card.

An act moves the card at once. What the card says is put onto the agenda, in its printed order and
before anything that waits already. Nothing here checks whether the rules allow the act.
"""

from gamehall.games.ascension.board import Construct
from gamehall.games.ascension.card import Faction
from gamehall.games.ascension.cards import CARDS, CULTIST
from gamehall.games.ascension.constructs import (
    can_use,
    count_of,
    is_mechana,
    price,
    unused_courier,
)
from gamehall.games.ascension.draft import Draft, without
from gamehall.games.ascension.effects import Gain, Passive, PutIntoPlay
from gamehall.games.ascension.moves import Ability, CardName


def play(draft: Draft, name: CardName) -> None:
    """A card of the hand is played.

    Snapdragon's honor comes after the hero's own effect (reading 5); whether the hero is the first
    is settled now (reading 6).
    """
    mine, card = draft.mine, CARDS[name]
    mine.hand = without(mine.hand, name)
    if card.is_construct:
        draft.enter_play(name)
        return
    if card.faction is Faction.LIFEBOUND and not any_lifebound(mine.played):
        snapdragons = count_of(Passive.HONOR_FOR_LIFEBOUND, mine.constructs)
        if snapdragons:
            draft.next_on_agenda(name, Gain(honor=snapdragons))
    mine.played += (name,)
    draft.next_on_agenda(name, *card.effects)


def acquire(draft: Draft, name: CardName) -> None:
    """A card is paid for, with restricted runes first, and acquired."""
    card = CARDS[name]
    runes = price(card, draft.discount)
    if is_mechana(card, draft.mine.constructs):
        restricted = min(runes, draft.restricted_runes)
        draft.restricted_runes -= restricted
        runes -= restricted
    draft.runes -= runes
    take(draft, name)


def take(draft: Draft, name: CardName) -> None:
    """A card that is paid for, or free, goes to the discard pile; a Courier may put it into play.

    While that is asked, it already lies in the discard pile (reading 3). Any construct uses up the
    discount, a free one too (RULES.md, 5).
    """
    card, mine = CARDS[name], draft.mine
    mine.discard += (name,)
    draft.leave_offer(name)
    if not card.is_construct:
        return
    draft.discount = 0
    courier = unused_courier(mine.constructs)
    if courier is not None and is_mechana(card, mine.constructs):
        draft.next_on_agenda(mine.constructs[courier].name, PutIntoPlay(name))


def defeat(draft: Draft, name: CardName) -> None:
    """A monster goes to the void, the row is refilled, and the reward follows (RULES.md, 6).

    Voidthirster's honor comes after the reward; whether the monster is the first is settled now
    (reading 6). The Cultist stays, and is not in the row (AR-05).
    """
    card = CARDS[name]
    if name == CULTIST:
        draft.gain_honor(card.honor)
        return
    draft.leave_row(name, to_void=True)
    draft.gain_honor(card.honor)
    if not draft.has_defeated:
        draft.has_defeated = True
        voidthirsters = count_of(Passive.HONOR_FOR_MONSTER, draft.mine.constructs)
        if voidthirsters:
            draft.next_on_agenda(name, Gain(honor=voidthirsters))
    draft.next_on_agenda(name, *card.effects)


def activate(draft: Draft, name: CardName, ability: Ability) -> None:
    """The first copy of the construct that still can uses the ability."""
    mine, card = draft.mine, CARDS[name]
    for index, construct in enumerate(mine.constructs):
        if construct.name == name and can_use(construct, ability):
            if ability is Ability.ORDINARY:
                mine.change_construct(index, Construct(name, True, construct.exchanged))
                draft.next_on_agenda(name, *card.effects)
            elif card.exchange:
                mine.change_construct(index, Construct(name, construct.used, True))
                draft.next_on_agenda(name, card.exchange)
            return


def any_lifebound(names: tuple[CardName, ...]) -> bool:
    """Whether there is a Lifebound card among them."""
    return any(CARDS[name].faction is Faction.LIFEBOUND for name in names)
