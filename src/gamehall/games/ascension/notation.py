"""Moves, cards and positions as text.

A move is a line of words:

    play Apprentice                     acquire Mystic
    defeat Cultist                      activate Yggdrasil Staff: honor
    choose hand:Militia                 choose nothing
    end turn

Letter case does not matter. `choose` is followed by a card, by a card with the zone it comes from,
by `rune`, `power` or `play`, or by `nothing`. Yggdrasil Staff has two abilities: with `honor` it
exchanges runes for honor, without it (or with `power`) it gives power.
"""

from collections import Counter
from collections.abc import Iterable
from textwrap import wrap

from gamehall.core import SEAT_NAMES, Outcome, Seat, counted, quoted
from gamehall.games.ascension import moves
from gamehall.games.ascension.board import AscensionBoard, Construct, Supply
from gamehall.games.ascension.cards import CARDS, card_named
from gamehall.games.ascension.choices import FROM_DISCARD, FROM_HAND, PLAY, POWER, RUNE
from gamehall.games.ascension.moves import DECLINE, HIDDEN, Ability, CardName, Move, is_move

END_TURN = "end turn"
NOTHING = "nothing"
WORDS = {RUNE, POWER, PLAY}
ABILITIES = {POWER: Ability.ORDINARY, Ability.EXCHANGE.value: Ability.EXCHANGE}


def write(move: Move) -> str:
    """Return the move in notation. Raise ValueError if it is not a move, or of an unknown card."""
    if not is_move(move) or not _is_known(move):
        raise ValueError(f"{quoted(move)} is not a move of Ascension")
    match move:
        case moves.PlayCard(name):
            return f"play {name}"
        case moves.Acquire(name):
            return f"acquire {name}"
        case moves.Defeat(name):
            return f"defeat {name}"
        case moves.Activate(name, Ability.ORDINARY):
            return f"activate {name}"
        case moves.Activate(name, ability):
            return f"activate {name}: {ability.value}"
        case moves.Choose(option):
            return f"choose {option or NOTHING}"
        case moves.EndTurn():
            return END_TURN


def read(text: str) -> Move:
    """Parse a move. Raise ValueError that says what was expected."""
    words = " ".join(text.split())
    verb, _, rest = words.partition(" ")
    match verb.casefold():
        case "play":
            return moves.PlayCard(_read_card(text, rest))
        case "acquire":
            return moves.Acquire(_read_card(text, rest))
        case "defeat":
            return moves.Defeat(_read_card(text, rest))
        case "activate":
            card, _, ability = rest.partition(":")
            if ability and ability.strip().casefold() not in ABILITIES:
                raise ValueError(
                    f"{quoted(text)} is not a move: after the colon comes power or honor"
                )
            chosen = ABILITIES[ability.strip().casefold() or POWER]
            return moves.Activate(_read_card(text, card), chosen)
        case "choose":
            return _read_choice(text, rest)
        case "end" if words.casefold() == END_TURN:
            return moves.EndTurn()
        case _:
            raise ValueError(
                f"{quoted(text)} is not a move: write play, acquire, defeat or activate and a card,"
                f" choose and an option, or {END_TURN}"
            )


def read_option(text: str) -> str | None:
    """Return the option of a choice in canonical spelling, or None if there is no such option."""
    written = text.strip().casefold()
    if written in WORDS:
        return written
    zone = next((zone for zone in (FROM_HAND, FROM_DISCARD) if written.startswith(zone)), "")
    name = card_named(written.removeprefix(zone))
    return None if name is None else zone + name


def _is_known(move: Move) -> bool:
    """Return True if the card or option that the move names exists."""
    match move:
        case moves.EndTurn():
            return True
        case moves.Choose(option):
            return option == DECLINE.option or read_option(option) == option
        case _:
            return move.card in CARDS


def _read_choice(text: str, written: str) -> moves.Choose:
    if written.casefold() == NOTHING:
        return DECLINE
    option = read_option(written)
    if option is None:
        raise ValueError(
            f"{quoted(text)} is not a choice: write a card, hand: or discard: and a card, rune,"
            " power, play or nothing"
        )
    return moves.Choose(option)


def _read_card(text: str, written: str) -> CardName:
    name = card_named(written)
    if name is None:
        raise ValueError(f"{quoted(text)} is not a move: {quoted(written)} is not a card")
    return name


WIDTH = 80
INDENT = " " * 16


def write_diagram(board: AscensionBoard, outcome: Outcome | None, *, is_over: bool = False) -> str:
    """Draw the board as text; `>` marks the player whose turn it is."""
    status = "the game is over" if is_over and not outcome else _status(board, outcome)
    lines = [f"honor pool: {board.honor_pool}; turn {board.turn}; {status}", ""]
    lines += [_row_card(name) for name in board.row]
    lines.append(f"  beside the row: {_piles(board)}, Cultist; deck {len(board.center_deck)}")
    lines += _zone("void", board.void)
    for seat in Seat:
        lines += ["", *_side(board, seat)]
    wrapped = (wrap(line, WIDTH, subsequent_indent=INDENT) or [""] for line in lines)
    return "\n".join(line for parts in wrapped for line in parts) + "\n"


def _status(board: AscensionBoard, outcome: Outcome | None) -> str:
    if outcome:
        winner = f"the {SEAT_NAMES[outcome.winner]} has won" if outcome.winner else "a tie"
        return f"{winner}, {outcome.reason}"
    pending = board.pending
    if pending:
        options = ", ".join(pending.answers)
        kind = pending.kind.value.replace("_", " ")
        return f"the {SEAT_NAMES[pending.seat]} must choose for {pending.card}, {kind}: {options}"
    return f"the {SEAT_NAMES[board.turn_owner]} moves"


def _piles(board: AscensionBoard) -> str:
    if board.supply is Supply.ENDLESS:
        return "any number of Mystic and Heavy Infantry"
    return f"{board.mystics} Mystic, {board.heavies} Heavy Infantry"


def _row_card(name: CardName) -> str:
    if name == HIDDEN:
        return "  a card that has not been shown yet"
    card = CARDS[name]
    cost = f"{card.cost} power" if card.is_monster else counted(card.cost, "rune")
    kind = card.kind.value if card.is_monster else f"{card.faction.value} {card.kind.value}"
    return f"  {name:28} {kind:22} {cost:>8} {card.honor:3} honor"


def _side(board: AscensionBoard, seat: Seat) -> list[str]:
    side, is_turn = board.side(seat), seat is board.turn_owner
    line = f"{'>' if is_turn else ' '} {SEAT_NAMES[seat]}: {side.honor} honor"
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
        *_zone("constructs", map(_construct, side.constructs)),
        *_zone("discard", side.discard),
    ]


def _construct(construct: Construct) -> str:
    return f"{construct.name} (used)" if construct.used else construct.name


def _zone(title: str, names: Iterable[str]) -> list[str]:
    """Return one line with the cards of a zone, or no line if there are none."""
    counts = Counter("face down" if name == HIDDEN else name for name in names)
    cards = ", ".join(f"{count} {name}" if count > 1 else name for name, count in counts.items())
    return [f"    {title + ':':<11} {cards}"] if cards else []
