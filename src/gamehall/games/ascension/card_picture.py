"""Cards as SVG: large ones with their text for the row, small ones for the rest, and backs."""

from html import escape
from textwrap import wrap

from gamehall.games.ascension.card import Card, Faction
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.moves import HIDDEN, CardName
from gamehall.games.ascension.wording import text_of

LARGE = (152, 212)
SMALL = (104, 86)
"""Width and height."""

TIMES = "\N{MULTIPLICATION SIGN}"

COLOURS = {
    Faction.NONE: ("#8d8471", "#5d5647"),
    Faction.ENLIGHTENED: ("#4f86c6", "#28518a"),
    Faction.LIFEBOUND: ("#63a04a", "#376428"),
    Faction.MECHANA: ("#cf8f3c", "#8d5a1b"),
    Faction.VOID: ("#8a63bd", "#523680"),
    Faction.MONSTER: ("#b8483f", "#6e2020"),
}
"""Above and below."""

EMBLEMS = {
    Faction.NONE: '<path d="M0-22 19-12V6C19 16 9 22 0 26-9 22-19 16-19 6V-12Z"/>',
    Faction.ENLIGHTENED: (
        '<path d="M-30 0C-16-20 16-20 30 0 16 20-16 20-30 0Z"/><circle class="hole" r="10"/>'
        '<circle r="5"/>'
    ),
    Faction.LIFEBOUND: (
        '<path d="M0-26C24-14 22 14 0 20-22 14-24-14 0-26Z"/>'
        '<path class="vein" d="M0-16V28M0-2 9-10M0-2-9-10M0 9 10 1M0 9-10 1"/>'
    ),
    Faction.MECHANA: ('<circle class="gear" r="19"/><circle r="17"/><circle class="hole" r="7"/>'),
    Faction.VOID: '<path d="M10-24A25 25 0 1 0 10 24 19 19 0 1 1 10-24Z"/>',
    Faction.MONSTER: (
        '<path d="M-24-22C-20 4-16 16-22 28-10 16-10-4-12-22ZM-4-24C-2 4 0 16-4 30 8 16 8-4 6-24Z'
        'M16-22C20 0 20 12 16 24 28 10 28-6 26-22Z"/>'
    ),
}
"""Drawn around the middle of a card."""

STYLE = (
    ".card{stroke:#1b1712;stroke-width:1.5}.shade{fill:#000;opacity:.28}"
    ".emblem{fill:#fff;opacity:.2}.emblem .hole{fill:#000;opacity:.45}"
    ".emblem .gear{fill:none;stroke:#fff;stroke-width:11;stroke-dasharray:8.2 6.7}"
    ".emblem .vein{fill:none;stroke:#000;stroke-width:2;opacity:.5}"
    ".paper{fill:#f6eedb}.text{fill:#2d271d}"
    ".name{fill:#fff;font-weight:bold}.kind{fill:#fff;opacity:.85;font-size:10.5px}"
    ".rune{fill:#bfe6ff;stroke:#1d4d78}.power{fill:#ffcfc4;stroke:#7c1d14}"
    ".honor{fill:#ffd95e;stroke:#8a6410}.badge{stroke-width:1.5}"
    ".number{fill:#1b1712;font-weight:bold;text-anchor:middle}"
    ".back{fill:url(#back)}.back-line{fill:none;stroke:#d8b765;stroke-width:1.5;opacity:.75}"
    ".count{fill:#14110d}.count-text{fill:#fff;font-weight:bold;text-anchor:middle;font-size:12px}"
    ".used{opacity:.5}"
)


def definitions() -> str:
    """The colours of the cards, to be put into `defs` once."""
    parts = [
        f'<linearGradient id="{faction.value}" x2="0" y2="1"><stop stop-color="{above}"/>'
        f'<stop offset="1" stop-color="{below}"/></linearGradient>'
        for faction, (above, below) in COLOURS.items()
    ]
    back = '<linearGradient id="back" x2="1" y2="1"><stop stop-color="#3b3560"/>'
    return "".join(parts) + back + '<stop offset="1" stop-color="#1d1a35"/></linearGradient>'


def large(x: float, y: float, name: CardName) -> str:
    """A card of the row with its text."""
    card, (width, height) = CARDS[name], LARGE
    parts = [_frame(LARGE, f"url(#{card.faction.value})")]
    parts.append(
        f'<g class="emblem" transform="translate({width / 2:g} 68)">{EMBLEMS[card.faction]}</g>'
    )
    parts += _lines(_wrapped(name, 12), "name", 10, 22, 13.5, 16)
    parts.append(cost(width - 18, 19, 12, card))
    paper = 108
    parts.append(
        f'<rect class="paper" x="8" y="{paper}" width="{width - 16}" height="{height - paper - 8}"'
        ' rx="6"/>'
    )
    kind = card.kind.value if card.is_monster else f"{card.faction.value} {card.kind.value}"
    parts.append(f'<text class="kind" x="10" y="{paper - 5}">{kind.removeprefix("None ")}</text>')
    parts += _lines(_wrapped(text_of(card), 21), "text", 14, paper + 17, 11, 13.5)
    parts.append(honor(width - 20, height - 20, 12, card.honor))
    return _group(x, y, parts)


def small(x: float, y: float, name: CardName, count: int = 1, *, is_used: bool = False) -> str:
    """A card without its text, face down if it is hidden; several of a name have their number."""
    width, height = SMALL
    if name == HIDDEN:
        parts = _back(SMALL)
    else:
        card = CARDS[name]
        parts = [_frame(SMALL, f"url(#{card.faction.value})")]
        emblem = EMBLEMS[card.faction]
        place = f"translate({width / 2:g} 52) scale(.8)"
        parts.append(f'<g class="emblem" transform="{place}">{emblem}</g>')
        parts += _lines(_wrapped(name, 13), "name", 7, 16, 11, 13)
        parts.append(cost(15, height - 14, 9, card))
        parts.append(honor(width - 15, height - 14, 9, card.honor))
    if count > 1:
        left, top = width / 2 - 16, height - 23
        parts.append(f'<rect class="count" x="{left:g}" y="{top}" width="32" height="18" rx="9"/>')
        place = f'x="{width / 2:g}" y="{height - 10}"'
        parts.append(f'<text class="count-text" {place}>{TIMES}{count}</text>')
    return _group(x, y, parts, "used" if is_used else "")


def cost(x: float, y: float, size: float, card: Card) -> str:
    """What it takes to get the card, or to defeat it."""
    return (power if card.is_monster else rune)(x, y, size, card.cost)


def rune(x: float, y: float, size: float, number: int) -> str:
    """So many runes: a hexagon."""
    a, b = size * 0.87, size / 2
    points = f"0,{-size:g} {a:g},{-b:g} {a:g},{b:g} 0,{size:g} {-a:g},{b:g} {-a:g},{-b:g}"
    return _badge(x, y, size, f'<polygon class="badge rune" points="{points}"/>', number)


def power(x: float, y: float, size: float, number: int) -> str:
    """So much power: a shield."""
    shape = f"M{-size:g} {-size * 0.8:g}H{size:g}V{size * 0.2:g}"
    shape += f"Q{size * 0.8:g} {size * 0.8:g} 0 {size:g}Q{-size * 0.8:g} {size * 0.8:g}"
    shape += f" {-size:g} {size * 0.2:g}Z"
    return _badge(x, y, size, f'<path class="badge power" d="{shape}"/>', number)


def honor(x: float, y: float, size: float, number: int) -> str:
    """So much honor: a gem."""
    points = f"0,{-size:g} {size:g},0 0,{size:g} {-size:g},0"
    shape = f'<polygon class="badge honor" points="{points}" transform="scale(1.12)"/>'
    return _badge(x, y, size, shape, number)


def _badge(x: float, y: float, size: float, shape: str, number: int) -> str:
    digits = size * (1.2 if number < 10 else 1.0 if number < 100 else 0.75)
    return (
        f'<g transform="translate({x:g} {y:g})">{shape}<text class="number"'
        f' style="font-size:{digits:g}px" y="{digits * 0.36:g}">{number}</text></g>'
    )


def _back(size: tuple[int, int]) -> list[str]:
    width, height = size
    middle, half = f"{width / 2:g},{height / 2:g}", min(width, height) / 3.4
    return [
        f'<rect class="shade" x="2" y="3" width="{width}" height="{height}" rx="9"/>',
        f'<rect class="card back" width="{width}" height="{height}" rx="9"/>',
        f'<rect class="back-line" x="5" y="5" width="{width - 10}" height="{height - 10}" rx="6"/>',
        f'<g class="back-line" transform="translate({middle})"><circle r="{half:g}"/>'
        f'<path d="M0{-half:g} {half * 0.87:g} {half / 2:g}H{-half * 0.87:g}Z'
        f'M0 {half:g} {-half * 0.87:g} {-half / 2:g}H{half * 0.87:g}Z"/></g>',
    ]


def _frame(size: tuple[int, int], fill: str) -> str:
    width, height = size
    return (
        f'<rect class="shade" x="2" y="3" width="{width}" height="{height}" rx="9"/>'
        f'<rect class="card" width="{width}" height="{height}" rx="9" fill="{fill}"/>'
    )


def _wrapped(text: str, letters: int) -> list[str]:
    """The text in lines of so many letters, which is as many as fit in a wide font."""
    return wrap(text, letters, break_on_hyphens=False)


def _lines(lines: list[str], look: str, x: float, y: float, size: float, step: float) -> list[str]:
    return [
        f'<text class="{look}" x="{x:g}" y="{y + index * step:g}" style="font-size:{size:g}px">'
        f"{escape(line)}</text>"
        for index, line in enumerate(lines)
    ]


def _group(x: float, y: float, parts: list[str], look: str = "") -> str:
    of_class = f' class="{look}"' if look else ""
    return f'<g{of_class} transform="translate({x:g} {y:g})">{"".join(parts)}</g>'
