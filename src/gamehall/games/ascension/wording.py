"""The text of a card in words, as short as a card wants it."""

from gamehall.games.ascension.card import Card
from gamehall.games.ascension.cards import CARDS, card_named
from gamehall.games.ascension.effects import (
    AcquireOrDefeat,
    AcquireToDeck,
    Banish,
    CopyHero,
    DefeatFree,
    DiscardToDraw,
    Discount,
    Draw,
    DrawIfConstructs,
    Effect,
    Exchange,
    ExtraTurn,
    Gain,
    HonorPerFaction,
    KeepConstruct,
    LoseConstruct,
    OnOpponent,
    PowerIfLifebound,
    PowerPerMechana,
    PutIntoPlay,
    RuneOrPower,
    TakeFromHand,
    Zone,
)

ZONES = {
    Zone.ROW: "a card of the row",
    Zone.HAND: "a card of your hand",
    Zone.DISCARD: "a card of your discard pile",
    Zone.HAND_OR_DISCARD: "a card of your hand or discard pile",
}


def explain(text: str) -> str:
    """What the card of this name costs, gives and does."""
    name = card_named(text)
    if name is None:
        return f"There is no card {text!r}: write one as the board does, as in card Mystic."
    card = CARDS[name]
    cost = f"{card.cost} power" if card.is_monster else counted(card.cost, "rune")
    return f"{name}, {card.kind.value}: {cost}, {card.honor} honor. {text_of(card)}"


def text_of(card: Card) -> str:
    """What the card does, in sentences. The honor of a monster is not repeated."""
    sentences = [_sentence(effect) for effect in card.effects]
    if card.exchange:
        sentences.append(_sentence(card.exchange))
    if card.passive:
        sentences.append(card.passive.value)
    return " ".join(sentences)


def counted(number: int, thing: str) -> str:
    """So many of a thing: `1 rune`, `2 runes`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _sentence(effect: Effect) -> str:
    match effect:
        case Gain(runes, power, honor, restricted_runes):
            parts = [counted(runes, "rune")] if runes else []
            parts += [f"{power} power"] if power else []
            parts += [f"{honor} honor"] if honor else []
            if restricted_runes:
                parts.append(f"{counted(restricted_runes, 'rune')} for Mechana constructs")
            return " and ".join(parts) + "."
        case Draw(count):
            return f"Draw {counted(count, 'card')}."
        case PowerIfLifebound(power):
            return f"{power} power if you have played another Lifebound hero this turn."
        case HonorPerFaction():
            return "1 honor for each faction among your constructs."
        case PowerPerMechana():
            return "1 power for each of your Mechana constructs."
        case DrawIfConstructs(constructs):
            return f"Draw a card if you have {constructs} constructs or more."
        case Discount(runes):
            return f"Your next construct this turn costs {counted(runes, 'rune')} less."
        case Exchange(runes, honor):
            return f"Once a turn, {counted(runes, 'rune')} for {honor} honor."
        case ExtraTurn():
            return "Banish it for one more turn after this one."
        case TakeFromHand():
            return "Take a random card from the opponent's hand."
        case OnOpponent(loss):
            what = "loses a" if isinstance(loss, LoseConstruct) else "keeps only one"
            return f"The opponent {what} construct."
        case Banish(zone, optional):
            return f"{'You may banish' if optional else 'Banish'} {ZONES[zone]}."
        case DiscardToDraw(count):
            return f"Discard a card. If you do, draw {counted(count, 'card')}."
        case DefeatFree(highest_cost):
            return f"Defeat a monster of {highest_cost} power or less for free."
        case AcquireToDeck(highest_cost):
            which = "any hero" if highest_cost is None else f"a hero of {highest_cost} or less"
            return f"Acquire {which} for free, onto your deck."
        case AcquireOrDefeat():
            return "Acquire or defeat another card of the row for free."
        case RuneOrPower():
            return "1 rune or 1 power."
        case CopyHero():
            return "Repeat the effect of a hero that you have played this turn."
        case PutIntoPlay() | LoseConstruct() | KeepConstruct():
            # No card says this by itself: Couriers and monsters lead to it.
            return ""
