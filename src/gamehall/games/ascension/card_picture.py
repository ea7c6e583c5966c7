"""Cards as SVG: large ones with their text for the row, small ones for the rest, and backs.

A card that can be pointed at is covered by a transparent shape that bears the name of the move.
"""

from html import escape
from textwrap import wrap
from typing import NamedTuple

from gamehall.games.ascension import picture_marks as marks
from gamehall.games.ascension.card import Faction
from gamehall.games.ascension.cards import CARDS
from gamehall.games.ascension.moves import HIDDEN, CardName
from gamehall.games.ascension.wording import explain, text_of

LARGE = (200, 106)
PILE = (200, 60)
SMALL = (116, 66)
"""Width and height."""

COLOURS = {
    Faction.NONE: ("#8d8471", "#5d5647"),
    Faction.ENLIGHTENED: ("#4a80c4", "#234a82"),
    Faction.LIFEBOUND: ("#58963f", "#2f5a22"),
    Faction.MECHANA: ("#c5832c", "#7f4f15"),
    Faction.VOID: ("#8459ba", "#4a2f78"),
    Faction.MONSTER: ("#b8433a", "#651b1b"),
}
"""Above and below."""
PAPER, PRINT = "#f8f1df", "#2d271d"


class Stack(NamedTuple):
    """Equal small cards on one place."""

    name: CardName
    copies: int
    seen: float
    """How much of the width is not covered by the next stack."""


def definitions() -> str:
    """The colours of the cards, to be put into `defs` once; the same in every picture."""
    parts = [
        f'<linearGradient id="gamehall-ascension-{faction.value}" x2="0" y2="1">'
        f'<stop stop-color="{above}"/><stop offset="1" stop-color="{below}"/></linearGradient>'
        for faction, (above, below) in COLOURS.items()
    ]
    return "".join(parts)


def large(x: float, y: float, name: CardName, target: str | None) -> str:
    """A card of the row with its text."""
    card, (width, height) = CARDS[name], LARGE
    paper = 53
    kind = card.kind.value
    if card.faction not in (Faction.NONE, Faction.MONSTER):
        kind = f"{card.faction.value} {kind}"
    parts = [
        *_head(LARGE, name),
        marks.text(9, paper - 5, 10.5, kind, "#f0e9d8"),
        f'<rect x="5" y="{paper}" width="{width - 10}" height="{height - paper - 5}" rx="5"'
        f' fill="{PAPER}"/>',
        *_printed(text_of(card), 11, paper),
    ]
    return _group(x, y, name, parts, _cover(LARGE, target))


def pile(x: float, y: float, name: CardName, left: str, target: str | None) -> str:
    """A card that lies beside the row, and how many are left of it."""
    card, (width, height) = CARDS[name], PILE
    parts = [
        *_head(PILE, name),
        marks.gist(7, height - 16, 10, card),
        marks.text(width - 9, height - 10, 13, left, "#f0e9d8", anchor="end"),
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
    """Cards without their text, face down if they are hidden.

    `exchange` is pointed at below, where the second ability of the card is written.
    """
    name, (width, height) = stack.name, SMALL
    if name == HIDDEN:
        return _group(x, y, None, [*_back(SMALL), *_count(stack)], "")
    card = CARDS[name]
    parts = [
        _frame(SMALL, card.faction),
        marks.emblem(width - 22, 20, 0.6, card.faction, 0.22),
        *_lines(_wrapped(name, 14), 7, 16, 12, 13.5, bold=True),
        marks.gist(6, height - 14, 9, card),
        *_count(stack),
    ]
    if is_used:
        parts.append(
            f'<rect width="{width}" height="{height}" rx="7" fill="#0e1c1c" opacity=".45"/>'
            + marks.text(width - 7, height - 10, 11, "used", anchor="end")
        )
    covers = _cover(SMALL, target)
    if exchange:
        covers += (
            f'<rect data-target="{escape(exchange)}" y="{height - 27}" width="{width}"'
            ' height="27" rx="7" fill="transparent"/>'
        )
    return _group(x, y, name, parts, covers)


def _head(size: tuple[int, int], name: CardName) -> list[str]:
    """The upper part of a card that can be got: its name, what it costs, and its honor."""
    card, width = CARDS[name], size[0]
    return [
        _frame(size, card.faction),
        marks.emblem(width - 84, 27, 0.8, card.faction, 0.2),
        *_lines(_wrapped(name, 17), 9, 19, 13.5, 15, bold=True),
        marks.honor(width - 46, 20, 10.5, card.honor),
        marks.cost(width - 19, 20, 13, card),
    ]


def _printed(text: str, x: float, paper: float) -> list[str]:
    """The text on the paper of a large card, in the largest letters that fit."""
    if len(lines := _wrapped(text, 25)) <= 2:
        return _lines(lines, x, paper + 17, 13.5, 18, fill=PRINT)
    return _lines(_wrapped(text, 29), x, paper + 14, 12, 14.5, fill=PRINT)


def _count(stack: Stack) -> list[str]:
    """How many cards lie on one place, if it is not one."""
    if stack.copies == 1:
        return []
    left, top = max(2, stack.seen - 37), SMALL[1] - 23
    return [
        f'<rect x="{left:g}" y="{top}" width="34" height="20" rx="10" fill="#14110d"/>',
        marks.text(
            left + 17, top + 15, 13, f"{marks.TIMES}{stack.copies}", anchor="middle", bold=True
        ),
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
    """The text in lines of so many letters, which is as many as fit in a wide font."""
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
        marks.text(x, y + index * step, size, line, fill, bold=bold)
        for index, line in enumerate(lines)
    ]


def _group(x: float, y: float, name: CardName | None, parts: list[str], covers: str) -> str:
    """The card at its place; what it is appears where the mouse rests on it."""
    title = f"<title>{escape(explain(name))}</title>" if name else ""
    return f'<g transform="translate({x:g} {y:g})">{title}{"".join(parts)}{covers}</g>'
