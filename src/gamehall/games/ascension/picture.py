"""The table as an SVG picture: the second player at the top, the row, and the first player.

It is in portrait format so that it can be read on phones. A card that can be clicked carries its
move.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial

from gamehall.core import Outcome, Seat
from gamehall.games.ascension import card_picture, moves
from gamehall.games.ascension.board import AscensionBoard, ChoiceKind, Supply
from gamehall.games.ascension.card_picture import Stack
from gamehall.games.ascension.cards import CARDS, CULTIST, HEAVY_INFANTRY, MYSTIC
from gamehall.games.ascension.choices import FROM_DISCARD, FROM_HAND, zone_asked
from gamehall.games.ascension.effects import Zone
from gamehall.games.ascension.moves import HIDDEN, Ability, CardName
from gamehall.games.ascension.notation import write


class CardArea(Enum):
    """The place of a card. All but OFFER belong to the player whose turn it is."""

    OFFER = "offer"
    """The row, and the piles beside it."""
    HAND = "hand"
    DISCARD = "discard"
    PLAYED = "played"
    CONSTRUCTS = "constructs"


PLACES = {
    ChoiceKind.DISCARD: CardArea.HAND,
    ChoiceKind.DEFEAT_FREE: CardArea.OFFER,
    ChoiceKind.ACQUIRE_TO_DECK: CardArea.OFFER,
    ChoiceKind.ACQUIRE_OR_DEFEAT: CardArea.OFFER,
    ChoiceKind.COPY_HERO: CardArea.PLAYED,
    ChoiceKind.DESTROY_CONSTRUCT: CardArea.CONSTRUCTS,
    ChoiceKind.KEEP_CONSTRUCT: CardArea.CONSTRUCTS,
}
"""The place of the options by kind of choice. For BANISH it depends on the zone; see ZONES."""

ZONES = {Zone.ROW: CardArea.OFFER, Zone.HAND: CardArea.HAND, Zone.DISCARD: CardArea.DISCARD}
PREFIXES = {CardArea.HAND: FROM_HAND, CardArea.DISCARD: FROM_DISCARD}


def _move_target(board: AscensionBoard, place: CardArea, name: CardName) -> str | None:
    """Return the move that a click on this card makes, legal or not, or None."""
    if name == HIDDEN:
        return None
    if board.pending:
        option = _option_at(board, place, name)
        return write(moves.Choose(option)) if option in board.pending.options else None
    match place:
        case CardArea.OFFER:
            return write(moves.Defeat(name) if CARDS[name].is_monster else moves.Acquire(name))
        case CardArea.HAND:
            return write(moves.PlayCard(name))
        case CardArea.CONSTRUCTS:
            return write(moves.Activate(name)) if CARDS[name].effects else None
        case CardArea.DISCARD | CardArea.PLAYED:
            return None


def _exchange_target(board: AscensionBoard, name: CardName) -> str | None:
    """Return the move that a click on a construct's second ability makes, or None."""
    if board.pending or not CARDS[name].exchange:
        return None
    return write(moves.Activate(name, Ability.EXCHANGE))


def _asks_for_discard(board: AscensionBoard) -> bool:
    """Return True if a card of the discard pile can be chosen."""
    pending = board.pending
    return pending is not None and any(
        _option_at(board, CardArea.DISCARD, name) in pending.options for name in board.mine.discard
    )


def _option_at(board: AscensionBoard, place: CardArea, name: CardName) -> str | None:
    """Return the option of the pending choice for the card at this place, or None."""
    pending = board.pending
    if pending is None:
        return None
    prefixed = PREFIXES.get(place, "") + name
    if prefixed != name and prefixed in pending.options:
        return prefixed
    asked = PLACES.get(pending.kind)
    if pending.kind is ChoiceKind.BANISH:
        zone = zone_asked(board)
        asked = ZONES.get(zone) if zone else None
    return name if asked is place else None


WIDTH = 640
MARGIN = 12
GAP = 8
HEAD = 58
SIDE = 212
ROW = 22 + 2 * (card_picture.LARGE[1] + GAP) + card_picture.PILE[1]
HEIGHT = HEAD + 2 * SIDE + ROW + 2 * GAP + MARGIN
INNER = WIDTH - 2 * MARGIN

PALE, GOLD = "#cfdcd6", "#ffd95e"
FELT = (
    '<radialGradient id="gamehall-ascension-felt" cx=".5" cy=".45" r=".8">'
    '<stop stop-color="#28594f"/><stop offset="1" stop-color="#0f2826"/></radialGradient>'
)
SEATS = {Seat.FIRST: "First player", Seat.SECOND: "Second player"}
ALWAYS = "always"
"""The label of a pile that does not run out."""


def draw(board: AscensionBoard, outcome: Outcome | None, *, is_over: bool = False) -> str:
    """Draw the table, with a golden frame around the player to move, or the winner.

    A game that `is_over` without an outcome was ended by a player, or by the server.
    """
    row = HEAD + SIDE + GAP
    framed = outcome.winner if outcome else None if is_over else board.turn_owner
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" role="img" font-family="sans-serif">',
        "<title>Ascension</title>",
        f"<defs>{FELT}{card_picture.definitions()}</defs>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="url(#gamehall-ascension-felt)"/>',
        *_head(board, outcome, is_over=is_over),
        *_side(board, Seat.SECOND, HEAD, is_framed=framed is Seat.SECOND),
        *_row(board, row),
        *_side(board, Seat.FIRST, row + ROW + GAP, is_framed=framed is Seat.FIRST),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _head(board: AscensionBoard, outcome: Outcome | None, *, is_over: bool) -> list[str]:
    if is_over and not outcome:
        headline, details = "The game is over", f"turn {board.turn + 1}"
    else:
        headline, details = _status(board, outcome)
    pool = WIDTH - MARGIN - 22
    return [
        card_picture.svg_text(MARGIN + 4, 26, 17, headline, "#fff6dc", bold=True),
        card_picture.svg_text(MARGIN + 4, 46, 13, details, PALE),
        card_picture.svg_text(pool - 28, 36, 13, "honor pool", PALE, anchor="end"),
        card_picture.honor_sign(pool, 30, 19, board.honor_pool),
    ]


def _status(board: AscensionBoard, outcome: Outcome | None) -> tuple[str, str]:
    """Return a headline with the player to move or the winner, and a line with details."""
    if outcome:
        winner = f"{SEATS[outcome.winner]} has won" if outcome.winner else "A tie"
        return winner, f"{outcome.reason}, after {board.turn} turns"
    turn = f"turn {board.turn + 1}"
    if board.pending:
        kind = board.pending.kind.value.replace("_", " ")
        return f"{SEATS[board.pending.seat]} chooses", f"{turn}, {board.pending.card}: {kind}"
    return f"{SEATS[board.turn_owner]} to move", turn


def _row(board: AscensionBoard, top: float) -> list[str]:
    """Draw the row in two lines of three, and the piles below it."""
    step, line = card_picture.LARGE[0] + GAP, card_picture.LARGE[1] + GAP
    first = top + 22
    rest = f"deck {len(board.center_deck)}, void {len(board.void)}"
    parts = [
        card_picture.svg_text(MARGIN + 4, top + 14, 13, "Center row", PALE),
        card_picture.svg_text(WIDTH - MARGIN - 4, top + 14, 13, rest, PALE, anchor="end"),
    ]
    for index, name in enumerate(board.row):
        x, y = MARGIN + index % 3 * step, first + index // 3 * line
        parts.append(card_picture.large(x, y, name, _move_target(board, CardArea.OFFER, name)))
    is_endless = board.supply is Supply.ENDLESS
    piles = (
        (MYSTIC, ALWAYS if is_endless else f"{card_picture.TIMES}{board.mystics}"),
        (HEAVY_INFANTRY, ALWAYS if is_endless else f"{card_picture.TIMES}{board.heavies}"),
        (CULTIST, ALWAYS),
    )
    for index, (name, left) in enumerate(piles):
        target = _move_target(board, CardArea.OFFER, name)
        parts.append(card_picture.pile(MARGIN + index * step, first + 2 * line, name, left, target))
    return parts


def _side(board: AscensionBoard, seat: Seat, top: float, *, is_framed: bool) -> list[str]:
    """Draw the counters, hand and cards in play of one player."""
    side, is_turn = board.side(seat), seat is board.turn_owner
    frame = f' stroke="{GOLD}" stroke-width="2.5"' if is_framed else ""
    parts = [
        f'<rect x="{MARGIN / 2:g}" y="{top:g}" width="{WIDTH - MARGIN}" height="{SIDE}" rx="12"'
        f' fill="#000" fill-opacity=".24"{frame}/>',
        *_counters(board, seat, top),
    ]

    def target(place: CardArea, name: CardName) -> str | None:
        return _move_target(board, place, name) if is_turn else None

    def card(place: CardArea, x: float, y: float, stack: Stack) -> str:
        return card_picture.small(x, y, stack, target=target(place, stack.name))

    unused = Counter(construct.name for construct in side.constructs if not construct.used)

    def construct(x: float, y: float, stack: Stack) -> str:
        # Copies that can still be used are drawn first.
        name, is_used = stack.name, unused[stack.name] <= 0
        unused[name] -= stack.copies
        exchange = _exchange_target(board, name) if is_turn else None
        whole = target(CardArea.CONSTRUCTS, name)
        return card_picture.small(x, y, stack, is_used=is_used, target=whole, exchange=exchange)

    first = top + 54
    second = first + card_picture.SMALL[1] + 22
    share = _share(len(side.hand), len(side.played))
    parts += _zone("Hand", side.hand, MARGIN, first, share, partial(card, CardArea.HAND))
    if side.played:
        left = MARGIN + share + GAP
        played = partial(card, CardArea.PLAYED)
        parts += _zone("Played", side.played, left, first, INNER - share - GAP, played)
    if is_turn and _asks_for_discard(board):
        discarded = partial(card, CardArea.DISCARD)
        parts += _zone("Discard pile", side.discard, MARGIN, second, INNER, discarded)
    else:
        names = [construct.name for construct in side.constructs]
        parts += _zone("Constructs", names, MARGIN, second, INNER, construct)
    return parts


def _share(hand: int, played: int) -> float:
    """Return the width of the hand beside the heroes played."""
    step = card_picture.SMALL[0] + GAP
    if not played:
        return INNER
    if (hand + played) * step <= INNER + GAP:
        return max(hand, 1) * step - GAP
    least, most = min(max(hand, 1), 2) * step, INNER + GAP - min(played, 2) * step
    return max(least, min(most, INNER * hand / (hand + played))) - GAP


def _counters(board: AscensionBoard, seat: Seat, top: float) -> list[str]:
    side, y = board.side(seat), top + 21
    parts = [
        card_picture.svg_text(MARGIN + 4, y + 6, 16, SEATS[seat], bold=True),
        card_picture.honor_sign(MARGIN + 154, y, 14, side.honor),
        card_picture.svg_text(MARGIN + 174, y + 5, 12, "honor", PALE),
        card_picture.svg_text(
            WIDTH - MARGIN - 4,
            y + 5,
            13,
            f"deck {len(side.deck)}, discard {len(side.discard)}",
            PALE,
            anchor="end",
        ),
    ]
    if seat is board.turn_owner:
        parts += [
            card_picture.rune_sign(MARGIN + 230, y, 13, board.runes),
            card_picture.svg_text(MARGIN + 247, y + 5, 12, "runes", PALE),
            card_picture.power_sign(MARGIN + 299, y, 13, board.power),
            card_picture.svg_text(MARGIN + 317, y + 5, 12, "power", PALE),
        ]
        notes = []
        if board.restricted_runes:
            notes.append(f"+{board.restricted_runes} for Mechana constructs")
        if board.discount:
            notes.append(f"next construct {board.discount} cheaper")
        if notes:
            x, note = WIDTH - MARGIN - 4, "; ".join(notes)
            parts.append(card_picture.svg_text(x, y + 115, 12, note, GOLD, anchor="end"))
    return parts


def _zone(
    title: str,
    names: Sequence[CardName],
    x: float,
    y: float,
    width: float,
    draw_stack: Callable[[float, float, Stack], str],
) -> list[str]:
    """Draw cards side by side. If they are too many, stack equal ones, then overlap the stacks."""
    counts = [(name, 1) for name in names]
    step: float = card_picture.SMALL[0] + GAP
    if step * len(counts) - GAP > width:
        counts = list(Counter(names).items())
    if step * len(counts) - GAP > width and len(counts) > 1:
        step = (width - card_picture.SMALL[0]) / (len(counts) - 1)
    parts = [card_picture.svg_text(x + 4, y - 6, 12, title, PALE)]
    if not counts:
        size = f'width="{card_picture.SMALL[0]}" height="{card_picture.SMALL[1]}" rx="7"'
        look = f'fill="none" stroke="{PALE}" stroke-dasharray="5 5" opacity=".3"'
        parts.append(f'<rect x="{x:g}" y="{y:g}" {size} {look}/>')
    for index, (name, count) in enumerate(counts):
        is_last = index == len(counts) - 1
        visible = card_picture.SMALL[0] if is_last else min(step, card_picture.SMALL[0])
        parts.append(draw_stack(x + step * index, y, Stack(name, count, visible)))
    return parts
