"""Apply moves, effects and the end of a turn to a draft of the board.

Playing, acquiring, defeating or activating a card moves the card at once and inserts its effects at
the front of the agenda, in their printed order. `resolve_agenda` then resolves them up to the next
choice, and `answer` applies the chosen option. Nothing here checks whether a move is legal: see
position.py.
"""

from gamehall.core import Outcome, Seat
from gamehall.games.ascension import choices, effects
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
from gamehall.games.ascension.choices import FROM_HAND, RUNE
from gamehall.games.ascension.effects import Asking, Loss, Passive, Zone
from gamehall.games.ascension.moves import HIDDEN, Ability, CardName


def play(draft: Draft, name: CardName) -> None:
    """Play a card of the hand.

    Snapdragon gives its honor after the hero's own effect (reading 5). Whether the hero is the
    first of the turn is decided here (reading 6).
    """
    mine, card = draft.mine, CARDS[name]
    mine.hand = without(mine.hand, name)
    if card.is_construct:
        draft.enter_play(name)
        return
    if card.faction is Faction.LIFEBOUND and not _any_lifebound(mine.played):
        snapdragons = count_of(Passive.HONOR_FOR_LIFEBOUND, mine.constructs)
        if snapdragons:
            draft.next_on_agenda(name, effects.Gain(honor=snapdragons))
    mine.played += (name,)
    draft.next_on_agenda(name, *card.effects)


def acquire(draft: Draft, name: CardName) -> None:
    """Pay for a card, first with restricted runes, and take it."""
    card = CARDS[name]
    runes = price(card, draft.discount)
    if is_mechana(card, draft.mine.constructs):
        restricted = min(runes, draft.restricted_runes)
        draft.restricted_runes -= restricted
        runes -= restricted
    draft.runes -= runes
    take(draft, name)


def take(draft: Draft, name: CardName) -> None:
    """Move an acquired card to the discard pile. A Courier may then put it into play.

    The card is already in the discard pile while the Courier asks (reading 3). Every construct
    uses up the discount, even one that was free (RULES.md, 5).
    """
    card, mine = CARDS[name], draft.mine
    mine.discard += (name,)
    draft.leave_offer(name)
    if not card.is_construct:
        return
    draft.discount = 0
    courier = unused_courier(mine.constructs)
    if courier is not None and is_mechana(card, mine.constructs):
        draft.next_on_agenda(mine.constructs[courier].name, effects.PutIntoPlay(name))


def defeat(draft: Draft, name: CardName) -> None:
    """Move a monster to the void, refill the row, and give the reward (RULES.md, 6).

    Voidthirster gives its honor after the reward. Whether the monster is the first of the turn is
    decided here (reading 6). The Cultist is not in the row, and stays (AR-05).
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
            draft.next_on_agenda(name, effects.Gain(honor=voidthirsters))
    draft.next_on_agenda(name, *card.effects)


def activate(draft: Draft, name: CardName, ability: Ability) -> None:
    """Use the ability of the first copy of the construct that still can."""
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


def _any_lifebound(names: tuple[CardName, ...]) -> bool:
    return any(CARDS[name].faction is Faction.LIFEBOUND for name in names)


def resolve_agenda(draft: Draft) -> None:
    """Resolve the effects on the agenda up to the next choice."""
    while draft.agenda and draft.pending is None:
        step, draft.agenda = draft.agenda[0], draft.agenda[1:]
        _resolve(draft, step)


def _resolve(draft: Draft, step: Step) -> None:
    card, effect, mine = step.card, step.effect, draft.mine
    match effect:
        case effects.Gain(runes, power, honor, restricted_runes):
            draft.runes += runes
            draft.power += power
            draft.restricted_runes += restricted_runes
            draft.gain_honor(honor)
        case effects.Draw(count):
            draft.draw(count)
        case effects.PowerIfLifebound(power):
            # The last hero played is this one, or the one that copies it (reading 11).
            if _any_lifebound(mine.played[:-1]):
                draft.power += power
        case effects.HonorPerFaction():
            draft.gain_honor(len({CARDS[construct.name].faction for construct in mine.constructs}))
        case effects.PowerPerMechana():
            for construct in mine.constructs:
                draft.power += is_mechana(CARDS[construct.name], mine.constructs)
        case effects.DrawIfConstructs(constructs):
            if len(mine.constructs) >= constructs:
                draft.draw(1)
        case effects.Discount(runes):
            draft.discount += runes
        case effects.Exchange(runes, honor):
            draft.runes -= runes
            draft.gain_honor(honor)
        case effects.ExtraTurn():
            mine.remove_construct(card)
            draft.void += (card,)
            draft.extra_turns += 1
        case effects.TakeFromHand():
            _take_from_hand(draft)
        case effects.OnOpponent(loss):
            if len(draft.other.constructs) > 1:
                draft.other.owed += (Step(card, loss),)
            else:
                _lose_without_choice(draft.other, loss)
        case effects.LoseConstruct() | effects.KeepConstruct():
            if len(mine.constructs) > 1:
                choices.ask(draft, card, effect)
            else:
                _lose_without_choice(mine, effect)
        case _:
            choices.ask(draft, card, effect)


def _take_from_hand(draft: Draft) -> None:
    if draft.other.hand:
        taken, draft.chance = draft.chance.pick(draft.other.hand)
        name = CardName(taken)
        draft.other.hand = without(draft.other.hand, name)
        draft.mine.hand += (name,)


def _lose_without_choice(side: SideDraft, loss: Loss) -> None:
    """Apply the loss to a player with at most one construct, who has no choice."""
    if isinstance(loss, effects.LoseConstruct):
        for construct in side.constructs:
            side.destroy(construct.name)


def answer(draft: Draft, effect: Asking, option: str) -> None:
    """Apply the effect with the chosen option. Do nothing if the option is "", which declines.

    Not checked: that it is one of the options.
    """
    if not option:
        return
    name, mine = CardName(option), draft.mine
    match effect:
        case effects.Banish(zone):
            _banish(draft, zone, option)
        case effects.DiscardToDraw(count):
            mine.hand = without(mine.hand, name)
            mine.discard += (name,)
            draft.draw(count)
        case effects.DefeatFree():
            defeat(draft, name)
        case effects.AcquireToDeck():
            mine.deck = (name, *mine.deck)
            draft.leave_offer(name)
        case effects.AcquireOrDefeat():
            if CARDS[name].is_monster:
                defeat(draft, name)
            else:
                take(draft, name)
        case effects.RuneOrPower():
            if option == RUNE:
                draft.runes += 1
            else:
                draft.power += 1
        case effects.CopyHero():
            # Only the effect is repeated, the hero is not played again (RULES.md, 9).
            draft.next_on_agenda(name, *CARDS[name].effects)
        case effects.PutIntoPlay(construct):
            _put_into_play(draft, construct)
        case effects.LoseConstruct():
            mine.destroy(name)
        case effects.KeepConstruct():
            kept = [construct.name for construct in mine.constructs].index(name)
            for index, other in enumerate(mine.constructs):
                if index != kept:
                    mine.destroy(other.name)


def _banish(draft: Draft, zone: Zone, option: str) -> None:
    mine = draft.mine
    if zone is Zone.ROW:
        draft.leave_row(CardName(option), to_void=True)
        return
    name = choices.card_of(option)
    if zone is Zone.HAND or option.startswith(FROM_HAND):
        mine.hand = without(mine.hand, name)
    else:
        mine.discard = without(mine.discard, name)
    draft.void += (name,)


def _put_into_play(draft: Draft, construct: CardName) -> None:
    """Put a construct into play and mark one Courier as used. Declining does not (reading 4)."""
    mine = draft.mine
    index = unused_courier(mine.constructs)
    if index is not None:
        mine.change_construct(index, Construct(mine.constructs[index].name, used=True))
        mine.discard = without(mine.discard, construct)
        draft.enter_play(construct)


HAND_SIZE = 5


def end_turn(draft: Draft, max_turns: int) -> bool:
    """Discard, draw the next hand and begin the next turn. Return False if the game is over.

    The round is finished when the pool is empty, or after `max_turns` turns. So the last turn is
    the second player's (AR-07), including extra turns (RULES.md, 11). After it a new hand is drawn
    as after any other (reading 14).
    """
    mine = draft.mine
    mine.discard += mine.hand + mine.played
    mine.hand = mine.played = ()
    draft.draw(HAND_SIZE)
    draft.runes = draft.power = draft.restricted_runes = draft.discount = 0
    is_last_round = draft.honor_pool == 0 or draft.turn + 1 >= max_turns
    if is_last_round and draft.turn_owner is Seat.SECOND and not draft.extra_turns:
        return False
    if draft.extra_turns:
        draft.extra_turns -= 1
    else:
        draft.turn_owner = draft.turn_owner.other
    draft.turn += 1
    _begin_turn(draft)
    return True


def _begin_turn(draft: Draft) -> None:
    """Make all constructs usable again, and put the choices that the player owes on the agenda."""
    mine = draft.mine
    draft.has_defeated = False
    mine.constructs = tuple(Construct(construct.name) for construct in mine.constructs)
    draft.agenda, mine.owed = mine.owed, ()


def scores(board: AscensionBoard) -> tuple[int, int]:
    """Return the honor of both players, including that printed on their cards (AR-08).

    Hidden cards do not count.
    """
    first, second = (
        side.honor + sum(CARDS[name].honor for name in side.cards if name != HIDDEN)
        for side in board.sides
    )
    return first, second


def outcome(board: AscensionBoard, ties: bool) -> Outcome:
    """Return the outcome if the game ends here. Unless ties are allowed, the second player wins."""
    first, second = scores(board)
    if first == second:
        if ties:
            return Outcome(None, f"both have {first} honor")
        return Outcome(
            Seat.SECOND, f"both have {first} honor, and the later in turn order wins a tie"
        )
    winner = Seat.FIRST if first > second else Seat.SECOND
    return Outcome(winner, f"{max(first, second)} honor to {min(first, second)}")
