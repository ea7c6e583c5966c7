"""What the effects of the cards do, one after the other as the agenda has them."""

from gamehall.games.ascension import acts, choices
from gamehall.games.ascension.board import Step
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.constructs import is_mechana
from gamehall.games.ascension.draft import Draft, SideDraft, without
from gamehall.games.ascension.effects import (
    Discount,
    Draw,
    DrawIfConstructs,
    Exchange,
    ExtraTurn,
    Gain,
    HonorPerFaction,
    KeepConstruct,
    LoseConstruct,
    Loss,
    OnOpponent,
    PowerIfLifebound,
    PowerPerMechana,
    TakeFromHand,
)
from gamehall.games.ascension.moves import CardName


def resolve_agenda(draft: Draft) -> None:
    """Resolves what is on the agenda, up to its end or to the next choice."""
    while draft.agenda and draft.pending is None:
        step, draft.agenda = draft.agenda[0], draft.agenda[1:]
        _resolve(draft, step)


def _resolve(draft: Draft, step: Step) -> None:
    card, effect, mine = step.card, step.effect, draft.mine
    match effect:
        case Gain(runes, power, honor, restricted_runes):
            draft.runes += runes
            draft.power += power
            draft.restricted_runes += restricted_runes
            draft.gain_honor(honor)
        case Draw(count):
            draft.draw(count)
        case PowerIfLifebound(power):
            # The last one played is this hero, or the one that copies it (reading 11).
            if acts.any_lifebound(mine.played[:-1]):
                draft.power += power
        case HonorPerFaction():
            draft.gain_honor(len({CARDS[construct.name].faction for construct in mine.constructs}))
        case PowerPerMechana():
            for construct in mine.constructs:
                draft.power += is_mechana(CARDS[construct.name], mine.constructs)
        case DrawIfConstructs(constructs):
            if len(mine.constructs) >= constructs:
                draft.draw(1)
        case Discount(runes):
            draft.discount += runes
        case Exchange(runes, honor):
            draft.runes -= runes
            draft.gain_honor(honor)
        case ExtraTurn():
            mine.remove_construct(card)
            draft.void += (card,)
            draft.extra_turns += 1
        case TakeFromHand():
            _take_from_hand(draft)
        case OnOpponent(loss):
            if len(draft.other.constructs) > 1:
                draft.other.owed += (Step(card, loss),)
            else:
                _lose_without_choice(draft.other, loss)
        case LoseConstruct() | KeepConstruct():
            if len(mine.constructs) > 1:
                choices.ask(draft, card, effect)
            else:
                _lose_without_choice(mine, effect)
        case _:
            choices.ask(draft, card, effect)


def _take_from_hand(draft: Draft) -> None:
    """A random card changes its owner for good; an empty hand has none to give."""
    if draft.other.hand:
        taken, draft.chance = draft.chance.pick(draft.other.hand)
        name = CardName(taken)
        draft.other.hand = without(draft.other.hand, name)
        draft.mine.hand += (name,)


def _lose_without_choice(side: SideDraft, loss: Loss) -> None:
    """The loss of a player who has one construct or none; one may be kept by who must keep one."""
    if isinstance(loss, LoseConstruct):
        for construct in side.constructs:
            side.destroy(construct.name)
