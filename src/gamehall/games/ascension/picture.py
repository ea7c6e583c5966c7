"""The table as an SVG picture: the second player above, the row in the middle, the first below."""

from collections import Counter
from collections.abc import Sequence
from html import escape

from gamehall.core import Outcome, Seat
from gamehall.games.ascension import card_picture as cards
from gamehall.games.ascension.board import Board
from gamehall.games.ascension.cards import CARDS, CULTIST, HEAVY_INFANTRY, MYSTIC
from gamehall.games.ascension.moves import CardName

WIDTH = 1240
MARGIN = 20
HEAD = 58
SIDE = 248
ROW = 236
HEIGHT = HEAD + 2 * SIDE + ROW + 2
GAP = 12
LEFT = MARGIN + 200
"""Where the cards of a player begin, right of the counters."""

STYLE = (
    "text{font-family:sans-serif}.felt{fill:url(#felt)}.panel{fill:#000;opacity:.22}"
    ".turn{fill:none;stroke:#ffd95e;stroke-width:2.5}"
    ".title{fill:#f3e6c0;font-size:24px;font-weight:bold}.say{fill:#f3e6c0;font-size:17px}"
    ".label{fill:#d9e4dc;font-size:13px;opacity:.85}.player{fill:#fff;font-size:19px;font-weight:bold}"
    ".line{fill:#eef4ee;font-size:14px}.middle{text-anchor:middle}.end{text-anchor:end}"
    ".empty{fill:none;stroke:#d9e4dc;stroke-dasharray:5 5;opacity:.3}.pile{fill:#000;opacity:.3}"
)
FELT = (
    '<radialGradient id="felt" cx=".5" cy=".45" r=".8"><stop stop-color="#2f6a5b"/>'
    '<stop offset="1" stop-color="#12302b"/></radialGradient>'
)
SEATS = {Seat.FIRST: "First player", Seat.SECOND: "Second player"}


def draw(board: Board, outcome: Outcome | None) -> str:
    """Everything on the table; a golden frame is around whose turn it is."""
    row = HEAD + SIDE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        f' width="{WIDTH}" height="{HEIGHT}" role="img">',
        "<title>Ascension</title>",
        f"<style>{STYLE}{cards.STYLE}</style>",
        f"<defs>{FELT}{cards.definitions()}</defs>",
        f'<rect class="felt" width="{WIDTH}" height="{HEIGHT}" rx="14"/>',
        *_head(board, outcome),
        *_side(board, Seat.SECOND, HEAD),
        *_row(board, row + (ROW - cards.LARGE[1]) / 2 - 6),
        *_side(board, Seat.FIRST, row + ROW),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _head(board: Board, outcome: Outcome | None) -> list[str]:
    pool = WIDTH - MARGIN - 24
    return [
        _text(MARGIN, 38, "title", "Ascension"),
        _text(WIDTH / 2, 37, "say middle", _standing(board, outcome)),
        _text(pool - 32, 37, "say end", "Honor pool"),
        cards.honor(pool, 31, 20, board.honor_pool),
    ]


def _standing(board: Board, outcome: Outcome | None) -> str:
    if outcome:
        winner = f"{SEATS[outcome.winner]} has won" if outcome.winner else "A tie"
        return f"{winner}: {outcome.reason}"
    turn = f"Turn {board.turn}"
    if board.pending:
        kind = board.pending.kind.value.replace("_", " ")
        return f"{turn}: {SEATS[board.pending.seat]} chooses for {board.pending.card} ({kind})"
    return f"{turn}: {SEATS[board.turn_owner]} to move"


def _row(board: Board, top: float) -> list[str]:
    step = cards.LARGE[0] + GAP
    parts = [cards.large(MARGIN + step * i, top, name) for i, name in enumerate(board.row)]
    left = MARGIN + 6 * step + 4
    piles = [
        (MYSTIC, f"{cards.TIMES}{board.mystics}"),
        (HEAVY_INFANTRY, f"{cards.TIMES}{board.heavies}"),
        (CULTIST, "always"),
        ("Center deck", str(len(board.center_deck))),
        ("Void", str(len(board.void))),
    ]
    height = cards.LARGE[1] / len(piles)
    for index, (name, count) in enumerate(piles):
        y = top + height * index
        parts += _pile(left, y, WIDTH - MARGIN - left, height - 6, name, count)
    return parts


def _pile(x: float, y: float, width: float, height: float, name: str, count: str) -> list[str]:
    middle, card = y + height / 2, CARDS.get(CardName(name))
    mark = cards.cost(x + 18, middle, 11, card) if card else _stack(x + 18, middle)
    return [
        f'<rect class="pile" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8"/>',
        mark,
        _text(x + 36, middle + 5, "line", name),
        _text(x + width - 10, middle + 5, "line end", count),
    ]


def _stack(x: float, y: float) -> str:
    """A small card, face down."""
    size = 'width="16" height="22" rx="3"'
    return f'<rect class="card back" x="{x - 8:g}" y="{y - 11:g}" {size}/>'


def _side(board: Board, seat: Seat, top: float) -> list[str]:
    side, is_turn = board.side(seat), seat is board.turn_owner
    frame = f'x="{MARGIN / 2:g}" y="{top:g}" width="{WIDTH - MARGIN:g}" height="{SIDE - 8}" rx="12"'
    parts = [f'<rect class="panel" {frame}/>']
    if is_turn:
        parts.append(f'<rect class="turn" {frame}/>')
    parts += _counters(board, seat, top)
    whole = WIDTH - MARGIN - LEFT
    half = (whole - 2 * GAP) / 2
    second = top + 24 + cards.SMALL[1] + 28
    parts += _zone("Hand", side.hand, LEFT, top + 24, whole)
    used = [construct.used for construct in side.constructs]
    names = [construct.name for construct in side.constructs]
    parts += _zone("Constructs", names, LEFT, second, half, used)
    parts += _zone("Played", side.played, LEFT + half + 2 * GAP, second, half)
    return parts


def _counters(board: Board, seat: Seat, top: float) -> list[str]:
    side, left = board.side(seat), MARGIN + 6
    parts = [_text(left, top + 32, "player", SEATS[seat])]
    parts += [cards.honor(left + 18, top + 74, 18, side.honor)]
    parts += [_text(left + 48, top + 79, "line", "honor")]
    if seat is board.turn_owner:
        parts += [
            cards.rune(left + 18, top + 118, 15, board.runes),
            _text(left + 40, top + 123, "line", "runes"),
            cards.power(left + 108, top + 118, 15, board.power),
            _text(left + 130, top + 123, "line", "power"),
        ]
        notes = []
        if board.restricted_runes:
            notes.append(f"+{board.restricted_runes} for Mechana constructs")
        if board.discount:
            notes.append(f"next construct {board.discount} cheaper")
        parts += [_text(left, top + 150 + 17 * i, "label", note) for i, note in enumerate(notes)]
    for y, pile in (
        (top + 188, f"Deck {len(side.deck)}"),
        (top + 217, f"Discard {len(side.discard)}"),
    ):
        parts += [_stack(left + 8, y), _text(left + 26, y + 5, "line", pile)]
    return parts


def _zone(
    title: str,
    names: Sequence[CardName],
    x: float,
    y: float,
    width: float,
    used: Sequence[bool] = (),
) -> list[str]:
    """Cards side by side; equal ones on one place, and the rest closer, if they are too many."""
    shown = [(name, 1, index < len(used) and used[index]) for index, name in enumerate(names)]
    step: float = cards.SMALL[0] + 8
    if step * len(shown) > width:
        shown = [(name, count, False) for name, count in Counter(names).items()]
    if step * len(shown) > width:
        step = (width - cards.SMALL[0]) / (len(shown) - 1)
    parts = [_text(x, y - 6, "label", title)]
    if not shown:
        size = f'width="{cards.SMALL[0]}" height="{cards.SMALL[1]}" rx="9"'
        parts.append(f'<rect class="empty" x="{x:g}" y="{y:g}" {size}/>')
    for index, (name, count, is_used) in enumerate(shown):
        parts.append(cards.small(x + step * index, y, name, count, is_used=is_used))
    return parts


def _text(x: float, y: float, look: str, text: str) -> str:
    return f'<text class="{look}" x="{x:g}" y="{y:g}">{escape(text)}</text>'
