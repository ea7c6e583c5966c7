"""The board in words, for terminals and logs."""

from collections import Counter
from collections.abc import Iterable
from textwrap import wrap

from gamehall.core import Outcome, Seat
from gamehall.games.ascension.board import Board, Construct, Side, Supply
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.moves import HIDDEN, CardName
from gamehall.games.ascension.wording import counted

WIDTH = 80
INDENT = " " * 16
SEATS = {Seat.FIRST: "first player", Seat.SECOND: "second player"}


def write(board: Board, outcome: Outcome | None) -> str:
    """The row, both sides, and what is to be done now; `>` stands before whose turn it is."""
    lines = [f"honor pool: {board.honor_pool}; turn {board.turn}; {_standing(board, outcome)}", ""]
    lines += [_offer(name) for name in board.row]
    lines.append(f"  beside the row: {_piles(board)}, Cultist; deck {len(board.center_deck)}")
    lines += _zone("void", board.void)
    for seat in Seat:
        lines += ["", *_side(board, seat)]
    return "\n".join(line for long in lines for line in _fitted(long)) + "\n"


def _standing(board: Board, outcome: Outcome | None) -> str:
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


def _piles(board: Board) -> str:
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


def _side(board: Board, seat: Seat) -> list[str]:
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
    """The cards of a zone on one line, equal ones counted; no line if there are none."""
    counts = Counter("face down" if name == HIDDEN else name for name in names)
    cards = ", ".join(f"{count} {name}" if count > 1 else name for name, count in counts.items())
    return [f"    {title + ':':<11} {cards}"] if cards else []


def _fitted(line: str) -> list[str]:
    return wrap(line, WIDTH, subsequent_indent=INDENT, drop_whitespace=True) or [""]
