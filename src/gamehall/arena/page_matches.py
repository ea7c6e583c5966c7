"""The matches of a run on its page: a table of them, and replays that need no script."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

import msgspec

from gamehall.arena.page_markup import Markup, fragment, join, named, shown_id, tag
from gamehall.arena.page_words import counted

MOST_OPEN = 40
"""A longer table is folded, so that what comes below it is found."""
UNCHANGED = " !$'()*+,-./:;=?@[]^_`{|}~"
"""What an address of a picture may hold as it is, besides letters and digits."""


class ListedMatch(msgspec.Struct, frozen=True):
    """A match as the page shows it."""

    name: str
    """By which `gamehall replay` finds it."""
    first: str
    second: str
    winner: str | None
    """The name of one of the two, None if it was drawn."""
    ending: str
    moves: int
    positions: list[str] = []
    """SVG pictures from the beginning to the end, or none."""


def draw_matches(matches: Sequence[ListedMatch]) -> Markup:
    """A table of all that are given; each can be linked to by its name."""
    head = (
        tag("th", name, scope="col", class_="n" if name == "moves" else None)
        for name in ("match", "first", "second", "winner", "ending", "moves")
    )
    return tag(
        "details",
        tag("summary", counted(len(matches), "game")),
        tag(
            "div",
            tag(
                "table",
                tag("thead", tag("tr", *head)),
                tag("tbody", *map(_row, matches)),
                class_="matches",
            ),
            class_="wide",
            tabindex="0",
        ),
        open="" if len(matches) <= MOST_OPEN else None,
    )


def draw_replays(matches: Sequence[ListedMatch]) -> Markup:
    """Those that have pictures, each with steps forward and back."""
    return tag("div", *map(_replay, filter(has_pictures, matches)), class_="replays")


def has_pictures(match: ListedMatch) -> bool:
    """Whether it can be replayed on the page."""
    return bool(match.positions)


def _row(match: ListedMatch) -> Markup:
    name = tag("code", match.name)
    if has_pictures(match):
        name = tag("a", name, " →", href=fragment(_position_id(match, 0)))
    return tag(
        "tr",
        tag("td", name),
        _player(match, match.first),
        _player(match, match.second),
        tag("td", "draw" if match.winner is None else named(match.winner)),
        tag("td", match.ending, class_=None if match.ending == "played out" else "bad"),
        tag("td", f"{match.moves:,}", class_="n"),
        id=shown_id(match.name),
    )


def _player(match: ListedMatch, name: str) -> Markup:
    return tag("td", tag("strong", named(name)) if match.winner == name else named(name))


def _replay(match: ListedMatch) -> Markup:
    """All positions, of which one is seen: the one that is addressed, otherwise the last."""
    how = tag("span", "draw") if match.winner is None else join(named(match.winner), " wins")
    return tag(
        "section",
        tag("h3", named(match.first), " against ", named(match.second)),
        tag(
            "p",
            how,
            f", {match.ending} · ",
            tag("a", tag("code", match.name), href=fragment(match.name)),
            class_="note",
        ),
        tag("div", *_positions(match), class_="positions"),
        class_="replay",
    )


def _positions(match: ListedMatch) -> Iterator[Markup]:
    last = len(match.positions) - 1
    for number, picture in enumerate(match.positions):
        yield tag(
            "figure",
            tag(
                "img",
                src=picture_address(picture),
                alt=f"{match.first} against {match.second}, position {number} of {last}",
                loading="lazy",
            ),
            tag(
                "figcaption",
                _step(match, 0, number, "first", "to the beginning", None),
                _step(match, max(0, number - 1), number, "←", "one back", "prev"),
                tag("span", f"{number} / {last}", class_="at"),
                _step(match, min(last, number + 1), number, "→", "one on", "next"),
                _step(match, last, number, "last", "to the end", None),
            ),
            id=_position_id(match, number),
        )


def _step(
    match: ListedMatch, to: int, number: int, sign: str, words: str, rel: str | None
) -> Markup:
    """A link to another position, or its sign alone if one is there already."""
    if to == number:
        return tag("span", sign, class_="step", aria_hidden="true")
    address = fragment(_position_id(match, to))
    return tag("a", sign, href=address, rel=rel, class_="step", title=words, aria_label=words)


def _position_id(match: ListedMatch, number: int) -> str:
    return f"{shown_id(match.name)}-{number}"


def picture_address(svg: str) -> str:
    """The picture as an address that holds all of it.

    So its styles and names stay its own: in the page itself those of all pictures would mix.
    """
    return "data:image/svg+xml," + quote(svg.strip(), safe=UNCHANGED)
