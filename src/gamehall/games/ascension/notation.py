"""Moves, cards and positions as text.

A move is a line of words:

    play Apprentice                     acquire Mystic
    defeat Cultist                      activate Yggdrasil Staff: honor
    choose hand:Militia                 choose nothing
    end turn

Capitals and small letters are the same. `choose` is followed by a card, by a card with the zone it
comes from, by `rune`, `power` or `play`, or by `nothing`. Yggdrasil Staff has two abilities:
`honor` is for runes, without it (or with `power`) it gives power.
"""

from collections import Counter
from collections.abc import Iterable
from textwrap import wrap

from gamehall.core import Outcome, Seat, quoted
from gamehall.games.ascension.board import AscensionBoard, Construct, Side, Supply
from gamehall.games.ascension.cards import CARDS, Card, card_named
from gamehall.games.ascension.choices import FROM_DISCARD, FROM_HAND, PLAY, POWER, RUNE
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
from gamehall.games.ascension.moves import (
    DECLINE,
    HIDDEN,
    Ability,
    Acquire,
    Activate,
    CardName,
    Choose,
    Defeat,
    EndTurn,
    Move,
    PlayCard,
    is_move,
)

END_TURN = "end turn"
NOTHING = "nothing"
WORDS = {RUNE, POWER, PLAY}
ABILITIES = {POWER: Ability.ORDINARY, Ability.EXCHANGE.value: Ability.EXCHANGE}


def write(move: Move) -> str:
    """Return the move in notation. Raise ValueError if it is none, or names an unknown card."""
    if not is_move(move) or not _is_known(move):
        raise ValueError(f"{quoted(move)} is not a move of Ascension")
    match move:
        case PlayCard(name):
            return f"play {name}"
        case Acquire(name):
            return f"acquire {name}"
        case Defeat(name):
            return f"defeat {name}"
        case Activate(name, Ability.ORDINARY):
            return f"activate {name}"
        case Activate(name, ability):
            return f"activate {name}: {ability.value}"
        case Choose(option):
            return f"choose {option or NOTHING}"
        case EndTurn():
            return END_TURN


def read(text: str) -> Move:
    """Parse a move. Raise ValueError that says what was expected."""
    words = " ".join(text.split())
    verb, _, rest = words.partition(" ")
    match verb.casefold():
        case "play":
            return PlayCard(_read_card(text, rest))
        case "acquire":
            return Acquire(_read_card(text, rest))
        case "defeat":
            return Defeat(_read_card(text, rest))
        case "activate":
            card, _, ability = rest.partition(":")
            if ability and ability.strip().casefold() not in ABILITIES:
                raise ValueError(
                    f"{_short(text)} is not a move: after the colon comes power or honor"
                )
            chosen = ABILITIES[ability.strip().casefold() or POWER]
            return Activate(_read_card(text, card), chosen)
        case "choose":
            return _read_choice(text, rest)
        case "end" if words.casefold() == END_TURN:
            return EndTurn()
        case _:
            raise ValueError(
                f"{_short(text)} is not a move: write play, acquire, defeat or activate and a card,"
                f" choose and an option, or {END_TURN}"
            )


def read_option(text: str) -> str | None:
    """Return the option of a choice in its canonical spelling, or None if the text names none."""
    written = text.strip().casefold()
    if written in WORDS:
        return written
    zone = next((zone for zone in (FROM_HAND, FROM_DISCARD) if written.startswith(zone)), "")
    name = card_named(written.removeprefix(zone))
    return None if name is None else zone + name


def _is_known(move: Move) -> bool:
    """Return True if the card or option that the move names exists."""
    match move:
        case EndTurn():
            return True
        case Choose(option):
            return option == DECLINE.option or read_option(option) == option
        case _:
            return move.card in CARDS


def _read_choice(text: str, written: str) -> Choose:
    if written.casefold() == NOTHING:
        return DECLINE
    option = read_option(written)
    if option is None:
        raise ValueError(
            f"{_short(text)} is not a choice: write a card, hand: or discard: and a card, rune,"
            " power, play or nothing"
        )
    return Choose(option)


def _read_card(text: str, written: str) -> CardName:
    name = card_named(written)
    if name is None:
        raise ValueError(f"{_short(text)} is not a move: {_short(written)} is not a card")
    return name


def _short(text: str) -> str:
    """Return the text in quotes, shortened if it is long."""
    return repr(text) if len(text) <= 60 else repr(text[:60]) + "..."


ZONE_WORDS = {
    Zone.ROW: "a card of the row",
    Zone.HAND: "a card of your hand",
    Zone.DISCARD: "a card of your discard pile",
    Zone.HAND_OR_DISCARD: "a card of your hand or discard pile",
}


def explain(text: str) -> str:
    """Return the text of the card of this name: its cost, its honor, and what it does."""
    name = card_named(text)
    if name is None:
        return f"There is no card {text!r}: write one as the board does, as in card Mystic."
    card = CARDS[name]
    cost = f"{card.cost} power" if card.is_monster else counted(card.cost, "rune")
    return f"{name}, {card.kind.value}: {cost}, {card.honor} honor. {text_of(card)}"


def text_of(card: Card) -> str:
    """Return what the card does, in sentences, without the honor of a monster."""
    sentences = [_sentence(effect) for effect in card.effects]
    if card.exchange:
        sentences.append(_sentence(card.exchange))
    if card.passive:
        sentences.append(card.passive.value)
    return " ".join(sentences)


def counted(number: int, thing: str) -> str:
    """Return a number and its noun: `1 rune`, `2 runes`."""
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
            return f"{'You may banish' if optional else 'Banish'} {ZONE_WORDS[zone]}."
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


WIDTH = 80
INDENT = " " * 16
SEATS = {Seat.FIRST: "first player", Seat.SECOND: "second player"}


def write_diagram(board: AscensionBoard, outcome: Outcome | None) -> str:
    """Write the board as text; `>` marks the player whose turn it is."""
    lines = [f"honor pool: {board.honor_pool}; turn {board.turn}; {_standing(board, outcome)}", ""]
    lines += [_offer(name) for name in board.row]
    lines.append(f"  beside the row: {_piles(board)}, Cultist; deck {len(board.center_deck)}")
    lines += _zone("void", board.void)
    for seat in Seat:
        lines += ["", *_side(board, seat)]
    return "\n".join(line for long in lines for line in _fitted(long)) + "\n"


def _standing(board: AscensionBoard, outcome: Outcome | None) -> str:
    if outcome:
        winner = f"the {SEATS[outcome.winner]} has won" if outcome.winner else "a tie"
        return f"{winner}, {outcome.reason}"
    pending = board.pending
    if pending:
        nothing = ["nothing"] if pending.optional else []
        options = ", ".join([*pending.options, *nothing])
        kind = pending.kind.value.replace("_", " ")
        return f"the {SEATS[pending.seat]} must choose for {pending.card}, {kind}: {options}"
    return f"the {SEATS[board.turn_owner]} moves"


def _piles(board: AscensionBoard) -> str:
    if board.supply is Supply.ENDLESS:
        return "any number of Mystic and Heavy Infantry"
    return f"{board.mystics} Mystic, {board.heavies} Heavy Infantry"


def _offer(name: CardName) -> str:
    if name == HIDDEN:
        return "  a card that has not been shown yet"
    card = CARDS[name]
    cost = f"{card.cost} power" if card.is_monster else counted(card.cost, "rune")
    kind = card.kind.value if card.is_monster else f"{card.faction.value} {card.kind.value}"
    return f"  {name:28} {kind:22} {cost:>8} {card.honor:3} honor"


def _side(board: AscensionBoard, seat: Seat) -> list[str]:
    side, is_turn = board.side(seat), seat is board.turn_owner
    line = f"{'>' if is_turn else ' '} {SEATS[seat]}: {side.honor} honor"
    if is_turn:
        line += f", {counted(board.runes, 'rune')}, {board.power} power"
        if board.restricted_runes:
            line += f", {counted(board.restricted_runes, 'rune')} for Mechana constructs"
        if board.discount:
            line += f", next construct {board.discount} cheaper"
    return [
        f"{line}; deck {len(side.deck)}",
        *_zone("hand", side.hand),
        *_zone("played", side.played),
        *_zone("constructs", _constructs(side)),
        *_zone("discard", side.discard),
    ]


def _constructs(side: Side) -> list[str]:
    return [_construct(construct) for construct in side.constructs]


def _construct(construct: Construct) -> str:
    return f"{construct.name} (used)" if construct.used else construct.name


def _zone(title: str, names: Iterable[str]) -> list[str]:
    """Return the cards of a zone on one line, equal ones counted; no line if there are none."""
    counts = Counter("face down" if name == HIDDEN else name for name in names)
    cards = ", ".join(f"{count} {name}" if count > 1 else name for name, count in counts.items())
    return [f"    {title + ':':<11} {cards}"] if cards else []


def _fitted(line: str) -> list[str]:
    return wrap(line, WIDTH, subsequent_indent=INDENT, drop_whitespace=True) or [""]
