"""The small signs on cards and counters: runes, power, honor, factions, and what a card gives.

Each has a shape of its own, so that nothing depends on colours: a rune is a hexagon, power a
shield, honor a gem, a drawn card a card.
"""

from collections.abc import Callable, Iterator
from html import escape
from typing import TypeAlias

from gamehall.games.ascension.card import Card, Faction
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
    ExtraTurn,
    Gain,
    HonorPerFaction,
    OnOpponent,
    PowerIfLifebound,
    PowerPerMechana,
    RuneOrPower,
    TakeFromHand,
)

Sign: TypeAlias = Callable[[float, float, float, int | str], str]
"""Draws a number in its shape around a point, so large."""

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
"""Drawn around a point, 60 wide at most."""

WORDS: dict[type[Effect], str] = {
    PowerIfLifebound: "power if",
    HonorPerFaction: "honor",
    PowerPerMechana: "power",
    DrawIfConstructs: "card if",
    Discount: "cheaper",
    ExtraTurn: "extra turn",
    TakeFromHand: "steal",
    OnOpponent: "ruin",
    Banish: "banish",
    DiscardToDraw: "redraw",
    DefeatFree: "defeat",
    AcquireToDeck: "acquire",
    AcquireOrDefeat: "take",
    CopyHero: "repeat",
    RuneOrPower: "either",
}
"""What an effect that is more than a number is called where there is room for a word only."""


def text(
    x: float,
    y: float,
    size: float,
    content: str,
    fill: str = "#fff",
    *,
    anchor: str = "",
    bold: bool = False,
) -> str:
    """A line of text whose feet stand on y; `anchor` is middle or end, otherwise the start."""
    where = f' text-anchor="{anchor}"' if anchor else ""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{where}{weight}>'
        f"{escape(content)}</text>"
    )


def emblem(x: float, y: float, scale: float, faction: Faction, opacity: float) -> str:
    """The sign of a faction."""
    return (
        f'<g transform="translate({x:g} {y:g}) scale({scale:g})" fill="#fff"'
        f' opacity="{opacity:g}">{EMBLEMS[faction]}</g>'
    )


def cost(x: float, y: float, size: float, card: Card) -> str:
    """What it takes to get the card, or to defeat it."""
    return (power if card.is_monster else rune)(x, y, size, card.cost)


def rune(x: float, y: float, size: float, number: int | str) -> str:
    """So many runes: a hexagon."""
    a, b = size * 0.87, size / 2
    shape = f"M0 {-size:g} {a:g} {-b:g}V{b:g}L0 {size:g} {-a:g} {b:g}V{-b:g}Z"
    return _badge(x, y, size, shape, ("#bfe6ff", "#1d4d78"), number)


def power(x: float, y: float, size: float, number: int | str) -> str:
    """So much power: a shield."""
    shape = f"M{-size * 0.92:g} {-size * 0.8:g}H{size * 0.92:g}V{size * 0.2:g}"
    shape += f"Q{size * 0.8:g} {size * 0.8:g} 0 {size:g}Q{-size * 0.8:g} {size * 0.8:g}"
    shape += f" {-size * 0.92:g} {size * 0.2:g}Z"
    return _badge(x, y, size, shape, ("#ffc9bd", "#7c1d14"), number)


def honor(x: float, y: float, size: float, number: int | str) -> str:
    """So much honor: a gem."""
    size *= 1.1
    shape = f"M0 {-size:g} {size:g} 0 0 {size:g} {-size:g} 0Z"
    return _badge(x, y, size / 1.1, shape, ("#ffd95e", "#8a6410"), number)


def drawn(x: float, y: float, size: float, number: int | str) -> str:
    """So many cards to draw: a card."""
    w, h = size * 0.78, size * 0.98
    shape = f"M{-w:g} {-h:g}H{w:g}V{h:g}H{-w:g}Z"
    return _badge(x, y, size, shape, ("#f7f0dc", "#3b3560"), f"+{number}")


def gist(x: float, y: float, size: float, card: Card) -> str:
    """What a hero or construct gives, in signs and a word or two, from x to the right."""
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
        parts.append(text(x + 1, y + size * 0.38, size * 1.12, word))
    return "".join(parts)


def _signs(effect: Effect) -> Iterator[tuple[Sign, int]]:
    match effect:
        case Gain(runes, power_gained, honor_gained, restricted_runes):
            given: tuple[tuple[Sign, int], ...] = (
                (rune, runes + restricted_runes),
                (power, power_gained),
                (honor, honor_gained),
            )
            yield from ((sign, number) for sign, number in given if number)
        case Draw(count):
            yield drawn, count
        case RuneOrPower():
            yield rune, 1
            yield power, 1
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
        f"{text(0, height * 0.36, height, str(number), INK, anchor='middle', bold=True)}</g>"
    )
