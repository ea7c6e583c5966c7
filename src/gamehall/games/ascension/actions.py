"""What moves, effects and the end of a turn do to a draft of the board.

Playing, acquiring, defeating or activating a card moves the card at once. Its effects are put onto
the agenda, in their printed order and before those that wait already; `resolve_agenda` then
resolves them up to the next choice, and `answer` does what a choice says. Nothing here checks
whether the rules allow it: see legality.py.
"""

from gamehall.core import Outcome, Seat
from gamehall.games.ascension import choices
from gamehall.games.ascension.board import (
    AscensionBoard,
    Construct,
    Draft,
    SideDraft,
    Step,
    can_use,
    count_of,
    is_mechana,
    price,
    unused_courier,
    without,
)
from gamehall.games.ascension.cards import CARDS, CULTIST, Faction
from gamehall.games.ascension.choices import FROM_DISCARD, FROM_HAND, RUNE
from gamehall.games.ascension.effects import (
    AcquireOrDefeat,
    AcquireToDeck,
    Asking,
    Banish,
    CopyHero,
    DefeatFree,
    DiscardToDraw,
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
    Passive,
    PowerIfLifebound,
    PowerPerMechana,
    PutIntoPlay,
    RuneOrPower,
    TakeFromHand,
    Zone,
)
from gamehall.games.ascension.moves import HIDDEN, Ability, CardName


def play(draft: Draft, name: CardName) -> None:
    """Play a card of the hand.

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
    """Pay for a card, with restricted runes first, and take it."""
    card = CARDS[name]
    runes = price(card, draft.discount)
    if is_mechana(card, draft.mine.constructs):
        restricted = min(runes, draft.restricted_runes)
        draft.restricted_runes -= restricted
        runes -= restricted
    draft.runes -= runes
    take(draft, name)


def take(draft: Draft, name: CardName) -> None:
    """Move a card that is paid for, or free, to the discard pile; a Courier may put it into play.

    The card already lies in the discard pile while the Courier asks (reading 3). Any construct uses
    up the discount, a free one too (RULES.md, 5).
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
    """Move a monster to the void, refill the row, and give the reward (RULES.md, 6).

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
    """Use the ability of the first copy of the construct that can still use it."""
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
    """Return True if there is a Lifebound card among them."""
    return any(CARDS[name].faction is Faction.LIFEBOUND for name in names)


def resolve_agenda(draft: Draft) -> None:
    """Resolve the effects on the agenda, up to its end or to the next choice."""
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
            if any_lifebound(mine.played[:-1]):
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
    """Move a random card of the opponent's hand, if there is one, to the own hand for good."""
    if draft.other.hand:
        taken, draft.chance = draft.chance.pick(draft.other.hand)
        name = CardName(taken)
        draft.other.hand = without(draft.other.hand, name)
        draft.mine.hand += (name,)


def _lose_without_choice(side: SideDraft, loss: Loss) -> None:
    """Apply the loss to a player with at most one construct, so that there is nothing to choose."""
    if isinstance(loss, LoseConstruct):
        for construct in side.constructs:
            side.destroy(construct.name)


def answer(draft: Draft, effect: Asking, option: str) -> None:
    """Do what the effect says with the chosen option; "" declines, and nothing happens.

    Not checked: that it is one of the options.
    """
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
            defeat(draft, name)
        case AcquireToDeck():
            mine.deck = (name, *mine.deck)
            draft.leave_offer(name)
        case AcquireOrDefeat():
            if CARDS[name].is_monster:
                defeat(draft, name)
            else:
                take(draft, name)
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
    """Put a construct into play, which uses up one Courier; declining does not (reading 4)."""
    mine = draft.mine
    index = unused_courier(mine.constructs)
    if index is not None:
        mine.change_construct(index, Construct(mine.constructs[index].name, used=True))
        mine.discard = without(mine.discard, construct)
        draft.enter_play(construct)


HAND_SIZE = 5


def end_turn(draft: Draft, most_turns: int) -> bool:
    """End the turn: clear the table, draw the next hand, begin the next turn.

    Return False if the game is over instead. The round is finished when the pool is empty, so the
    last turn is always the second player's (AR-07), extra turns included (RULES.md, 11); the same
    holds after `most_turns` turns. The last turn ends with a new hand like any other (reading 14).
    """
    mine = draft.mine
    mine.discard += mine.hand + mine.played
    mine.hand = mine.played = ()
    draft.draw(HAND_SIZE)
    draft.runes = draft.power = draft.restricted_runes = draft.discount = 0
    is_last_round = draft.honor_pool == 0 or draft.turn + 1 >= most_turns
    if is_last_round and draft.turn_owner is Seat.SECOND and not draft.extra_turns:
        return False
    if draft.extra_turns:
        draft.extra_turns -= 1
    else:
        draft.turn_owner = draft.turn_owner.other
        draft.mine, draft.other = draft.other, draft.mine
    draft.turn += 1
    _begin_turn(draft)
    return True


def _begin_turn(draft: Draft) -> None:
    """Make the constructs ready, and put the choices that the player owes onto the agenda."""
    mine = draft.mine
    draft.has_defeated = False
    mine.constructs = tuple(Construct(construct.name) for construct in mine.constructs)
    draft.agenda, mine.owed = mine.owed, ()


def scores(board: AscensionBoard) -> tuple[int, int]:
    """Return the players' scores: honor gained and the honor printed on their cards (AR-08).

    Hidden cards are not counted.
    """
    first, second = (
        side.honor + sum(CARDS[name].honor for name in side.cards if name != HIDDEN)
        for side in board.sides
    )
    return first, second


def outcome(board: AscensionBoard, ties: bool) -> Outcome:
    """Return the outcome if the game ends here; unless ties are allowed, the second wins them."""
    first, second = scores(board)
    if first == second:
        if ties:
            return Outcome(None, f"both have {first} honor")
        return Outcome(
            Seat.SECOND, f"both have {first} honor, and the later in turn order wins a tie"
        )
    winner = Seat.FIRST if first > second else Seat.SECOND
    return Outcome(winner, f"{max(first, second)} honor to {min(first, second)}")
