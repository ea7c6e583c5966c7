"""Cards and their signs as SVG.

Cards in the row are large and have their text; others are small, or show their backs. A card that
can be clicked is covered by a transparent shape with its move. Every sign has its own shape, so
that nothing depends on colours: a rune is a hexagon, power a shield, honor a gem, and a drawn card
a card.
"""

from collections.abc import Callable, Iterator
from html import escape
from textwrap import wrap
from typing import NamedTuple, TypeAlias

from gamehall.games.ascension import effects
from gamehall.games.ascension.cards import CARDS, Card, Faction, explain
from gamehall.games.ascension.effects import Draw, Effect, Gain
from gamehall.games.ascension.moves import HIDDEN, CardName

Sign: TypeAlias = Callable[[float, float, float, int | str], str]
"""Draws a number inside a shape. The arguments are x and y of the centre, size, and number."""

INK = "#1b1712"
TIMES = "\N{MULTIPLICATION SIGN}"

EMBLEMS = {
    Faction.NONE: '<path d="M0-22 19-12V6C19 16 9 22 0 26-9 22-19 16-19 6V-12Z"/>',
    Faction.ENLIGHTENED: (
        '<path fill-rule="evenodd" d="M-30 0C-16-20 16-20 30 0 16 20-16 20-30 0ZM-10 0a10 10 0 1 0'
        ' 20 0a10 10 0 1 0-20 0Z"/><circle r="5"/>'
    ),
    Faction.LIFEBOUND: (
        '<path d="M-2 22C-24 14-22-14-2-26ZM2 22C24 14 22-14 2-26Z"/><path d="M-2 22h4v8h-4z"/>'
    ),
    Faction.MECHANA: (
        '<circle r="21" fill="none" stroke="#fff" stroke-width="9" stroke-dasharray="8.2 8.3"/>'
        '<circle r="13" fill="none" stroke="#fff" stroke-width="9"/>'
    ),
    Faction.VOID: '<path d="M10-24A25 25 0 1 0 10 24 19 19 0 1 1 10-24Z"/>',
    Faction.MONSTER: (
        '<path d="M-24-22C-20 4-16 16-22 28-10 16-10-4-12-22ZM-4-24C-2 4 0 16-4 30 8 16 8-4 6-24Z'
        'M16-22C20 0 20 12 16 24 28 10 28-6 26-22Z"/>'
    ),
}
"""Shapes around the origin, at most 60 wide."""

WORDS: dict[type[Effect], str] = {
    effects.PowerIfLifebound: "power if",
    effects.HonorPerFaction: "honor",
    effects.PowerPerMechana: "power",
    effects.DrawIfConstructs: "card if",
    effects.Discount: "cheaper",
    effects.ExtraTurn: "extra turn",
    effects.TakeFromHand: "steal",
    effects.OnOpponent: "ruin",
    effects.Banish: "banish",
    effects.DiscardToDraw: "redraw",
    effects.DefeatFree: "defeat",
    effects.AcquireToDeck: "acquire",
    effects.AcquireOrDefeat: "take",
    effects.CopyHero: "repeat",
    effects.RuneOrPower: "either",
}
"""Short names, for small cards, of effects that are more than a number."""


def svg_text(
    x: float,
    y: float,
    size: float,
    content: str,
    fill: str = "#fff",
    *,
    anchor: str = "",
    bold: bool = False,
) -> str:
    """Draw a line of text with its baseline at y; `anchor` is "middle", "end", or "" for start."""
    where = f' text-anchor="{anchor}"' if anchor else ""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{where}{weight}>'
        f"{escape(content)}</text>"
    )


def emblem(x: float, y: float, scale: float, faction: Faction, opacity: float) -> str:
    """Draw the sign of a faction."""
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})" fill="#fff"'
        f' opacity="{opacity:g}">{EMBLEMS[faction]}</g>'
    )


def cost_sign(x: float, y: float, size: float, card: Card) -> str:
    """Draw the cost of the card, in power for monsters and in runes for others."""
    return (power_sign if card.is_monster else rune_sign)(x, y, size, card.cost)


def rune_sign(x: float, y: float, size: float, number: int | str) -> str:
    """Draw a number of runes: a hexagon."""
    a, b = size * 0.87, size / 2
    shape = f"M0 {-size:g} {a:g} {-b:g}V{b:g}L0 {size:g} {-a:g} {b:g}V{-b:g}Z"
    return _badge(x, y, size, shape, ("#bfe6ff", "#1d4d78"), number)


def power_sign(x: float, y: float, size: float, number: int | str) -> str:
    """Draw an amount of power: a shield."""
    shape = f"M{-size * 0.92:g} {-size * 0.8:g}H{size * 0.92:g}V{size * 0.2:g}"
    shape += f"Q{size * 0.8:g} {size * 0.8:g} 0 {size:g}Q{-size * 0.8:g} {size * 0.8:g}"
    shape += f" {-size * 0.92:g} {size * 0.2:g}Z"
    return _badge(x, y, size, shape, ("#ffc9bd", "#7c1d14"), number)


def honor_sign(x: float, y: float, size: float, number: int | str) -> str:
    """Draw an amount of honor: a gem."""
    size *= 1.1
    shape = f"M0 {-size:g} {size:g} 0 0 {size:g} {-size:g} 0Z"
    return _badge(x, y, size / 1.1, shape, ("#ffd95e", "#8a6410"), number)


def draw_sign(x: float, y: float, size: float, number: int | str) -> str:
    """Draw a number of cards to draw: a card."""
    w, h = size * 0.78, size * 0.98
    shape = f"M{-w:g} {-h:g}H{w:g}V{h:g}H{-w:g}Z"
    return _badge(x, y, size, shape, ("#f7f0dc", "#3b3560"), f"+{number}")


def summary(x: float, y: float, size: float, card: Card) -> str:
    """Draw a summary of what a card gives, in signs and a word or two, from x to the right."""
    parts, word = [], ""
    for effect in card.effects:
        for sign, number in _signs(effect):
            parts.append(sign(x + size, y, size, number))
            x += 2 * size + 4
        word = word or WORDS.get(type(effect), "")
    if card.exchange:
        word = "or honor"
    elif card.passive:
        word = "always on"
    if word:
        parts.append(svg_text(x + 1, y + size * 0.38, size * 1.12, word))
    return "".join(parts)


def _signs(effect: Effect) -> Iterator[tuple[Sign, int]]:
    match effect:
        case Gain(runes, power_gained, honor_gained, restricted_runes):
            given: tuple[tuple[Sign, int], ...] = (
                (rune_sign, runes + restricted_runes),
                (power_sign, power_gained),
                (honor_sign, honor_gained),
            )
            yield from ((sign, number) for sign, number in given if number)
        case Draw(count):
            yield draw_sign, count
        case effects.RuneOrPower():
            yield rune_sign, 1
            yield power_sign, 1
        case _:
            return


def _badge(
    x: float, y: float, size: float, shape: str, colours: tuple[str, str], number: int | str
) -> str:
    letters = len(str(number))
    height = size * (1.3 if letters == 1 else 1.05 if letters == 2 else 0.8)
    fill, stroke = colours
    return (
        f'<g transform="translate({x:g} {y:g})"><path d="{shape}" fill="{fill}"'
        f' stroke="{stroke}" stroke-width="1.4"/>'
        f"{svg_text(0, height * 0.36, height, str(number), INK, anchor='middle', bold=True)}</g>"
    )


# Width and height of cards.
LARGE = (200, 106)
PILE = (200, 60)
SMALL = (116, 66)

COLOURS = {
    Faction.NONE: ("#8d8471", "#5d5647"),
    Faction.ENLIGHTENED: ("#4a80c4", "#234a82"),
    Faction.LIFEBOUND: ("#58963f", "#2f5a22"),
    Faction.MECHANA: ("#c5832c", "#7f4f15"),
    Faction.VOID: ("#8459ba", "#4a2f78"),
    Faction.MONSTER: ("#b8433a", "#651b1b"),
}
"""The colours at the top and at the bottom of a card."""
PAPER, PRINT = "#f8f1df", "#2d271d"


class Stack(NamedTuple):
    """Small cards of one name in one place."""

    name: CardName
    copies: int
    visible_width: float
    """The width that is not covered by the next stack."""


def definitions() -> str:
    """Return the gradients of the cards for the `defs` of a picture; the same in every picture."""
    parts = [
        f'<linearGradient id="gamehall-ascension-{faction.value}" x2="0" y2="1">'
        f'<stop stop-color="{above}"/><stop offset="1" stop-color="{below}"/></linearGradient>'
        for faction, (above, below) in COLOURS.items()
    ]
    return "".join(parts)


def large(x: float, y: float, name: CardName, target: str | None) -> str:
    """Draw a card of the row with its text."""
    card, (width, height) = CARDS[name], LARGE
    paper = 53
    kind = card.kind.value
    if card.faction not in (Faction.NONE, Faction.MONSTER):
        kind = f"{card.faction.value} {kind}"
    parts = [
        *_head(LARGE, name),
        svg_text(9, paper - 5, 10.5, kind, "#f0e9d8"),
        f'<rect x="5" y="{paper}" width="{width - 10}" height="{height - paper - 5}" rx="5"'
        f' fill="{PAPER}"/>',
        *_printed(card.text, 11, paper),
    ]
    return _group(x, y, name, parts, _cover(LARGE, target))


def pile(x: float, y: float, name: CardName, left: str, target: str | None) -> str:
    """Draw a pile beside the row, and the number of cards left."""
    card, (width, height) = CARDS[name], PILE
    parts = [
        *_head(PILE, name),
        summary(7, height - 16, 10, card),
        svg_text(width - 9, height - 10, 13, left, "#f0e9d8", anchor="end"),
    ]
    return _group(x, y, name, parts, _cover(PILE, target))


def small(
    x: float,
    y: float,
    stack: Stack,
    *,
    is_used: bool = False,
    target: str | None = None,
    exchange: str | None = None,
) -> str:
    """Draw cards without their text, or face down if they are hidden.

    `exchange` is the target of the lower part of the card, where its second ability is written.
    """
    name, (width, height) = stack.name, SMALL
    if name == HIDDEN:
        return _group(x, y, None, [*_back(SMALL), *_count(stack)], "")
    card = CARDS[name]
    parts = [
        _frame(SMALL, card.faction),
        emblem(width - 22, 20, 0.6, card.faction, 0.22),
        *_lines(_wrapped(name, 14), 7, 16, 12, 13.5, bold=True),
        summary(6, height - 14, 9, card),
        *_count(stack),
    ]
    if is_used:
        parts.append(
            f'<rect width="{width}" height="{height}" rx="7" fill="#0e1c1c" opacity=".45"/>'
            + svg_text(width - 7, height - 10, 11, "used", anchor="end")
        )
    covers = _cover(SMALL, target)
    if exchange:
        covers += (
            f'<rect data-target="{escape(exchange)}" y="{height - 27}" width="{width}"'
            ' height="27" rx="7" fill="transparent"/>'
        )
    return _group(x, y, name, parts, covers)


def _head(size: tuple[int, int], name: CardName) -> list[str]:
    """Draw the upper part of a card of the row or of a pile: its name, cost and honor."""
    card, width = CARDS[name], size[0]
    return [
        _frame(size, card.faction),
        emblem(width - 84, 27, 0.8, card.faction, 0.2),
        *_lines(_wrapped(name, 14), 9, 19, 13.5, 15, bold=True),
        honor_sign(width - 46, 20, 10.5, card.honor),
        cost_sign(width - 19, 20, 13, card),
    ]


def _printed(text: str, x: float, paper: float) -> list[str]:
    """Draw the text of a large card, in larger letters if it is short."""
    if len(lines := _wrapped(text, 25)) <= 2:
        return _lines(lines, x, paper + 17, 13.5, 18, fill=PRINT)
    if len(lines := _wrapped(text, 27)) <= 3:
        return _lines(lines, x, paper + 14, 12, 14.5, fill=PRINT)
    return _lines(_wrapped(text, 29), x, paper + 14, 11, 14.5, fill=PRINT)


def _count(stack: Stack) -> list[str]:
    """Draw the number of cards in a stack, unless it is one."""
    if stack.copies == 1:
        return []
    left, top = max(2, stack.visible_width - 37), SMALL[1] - 23
    return [
        f'<rect x="{left:g}" y="{top}" width="34" height="20" rx="10" fill="#14110d"/>',
        svg_text(left + 17, top + 15, 13, f"{TIMES}{stack.copies}", anchor="middle", bold=True),
    ]


def _back(size: tuple[int, int]) -> list[str]:
    width, height = size
    middle, r = f"{width / 2:g} {height / 2:g}", 20
    return [
        f'<rect width="{width}" height="{height}" rx="7" fill="#2b2650" stroke="#14112b"/>',
        f'<g fill="none" stroke="#d8b765" opacity=".75"><rect x="4" y="4" width="{width - 8}"'
        f' height="{height - 8}" rx="5"/><g transform="translate({middle})"><circle r="{r}"/>'
        f'<path d="M0-{r} 17 10H-17ZM0 {r} -17-10H17Z"/></g></g>',
    ]


def _frame(size: tuple[int, int], faction: Faction) -> str:
    width, height = size
    return (
        f'<rect x="1" y="3" width="{width}" height="{height}" rx="7" opacity=".35"/>'
        f'<rect width="{width}" height="{height}" rx="7" stroke="#16120c"'
        f' fill="url(#gamehall-ascension-{faction.value})"/>'
    )


def _cover(size: tuple[int, int], target: str | None) -> str:
    if target is None:
        return ""
    width, height = size
    return (
        f'<rect data-target="{escape(target)}" width="{width}" height="{height}" rx="7"'
        ' fill="transparent"/>'
    )


def _wrapped(text: str, letters: int) -> list[str]:
    # The caller's number of letters fits even in wide fonts.
    return wrap(text, letters, break_on_hyphens=False)


def _lines(
    lines: list[str],
    x: float,
    y: float,
    size: float,
    step: float,
    *,
    fill: str = "#fff",
    bold: bool = False,
) -> list[str]:
    return [
        svg_text(x, y + index * step, size, line, fill, bold=bold)
        for index, line in enumerate(lines)
    ]


def _group(x: float, y: float, name: CardName | None, parts: list[str], covers: str) -> str:
    """Draw the card at its place, with its explanation as tooltip."""
    title = f"<title>{escape(explain(name))}</title>" if name else ""
    return f'<g transform="translate({x:g} {y:g})">{title}{"".join(parts)}{covers}</g>'
