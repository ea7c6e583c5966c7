"""Records as standalone HTML pages with a replay; without JavaScript, the last position."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from gamehall.core import Game
from gamehall.export.standalone import PACKAGE, colours, embed, make_environment, read_file
from gamehall.match import Record
from gamehall.match.record import player_names, positions

CLICKABLE = re.compile(r'<(?:circle|rect|path) [^>]*data-(?:spot|target)="([^"]*)"[^>]*/>')
"""Invisible elements that can be clicked or marked."""
BETWEEN_ELEMENTS = re.compile("(?<=>)(?=<)|(?<=\n)")


def write(game: Game[Any], record: Record) -> bytes:
    """Return the record as a page. Raises RecordError if it cannot be replayed."""
    svgs = list(pictures(game, record))
    captions = [_caption(record, number) for number in range(len(svgs))]
    names = player_names(record.players)
    remarks = [f"{record.result.in_words(type(game), names)}."]
    return write_page(game.title, names, remarks, svgs, captions)


def write_page(
    title: str,
    names: tuple[str, str],
    remarks: Sequence[str],
    svgs: list[str],
    captions: list[str],
) -> bytes:
    """Return a page with a replay of pictures.

    Args:
        title: the title of the game.
        names: the names of the players.
        remarks: sentences about the match.
        svgs: the picture of each position.
        captions: the caption of each picture.
    """
    match = {**_split(svgs), "moves": captions, "seconds": seconds_per_picture(len(svgs))}
    # Escape "<", so that no text can end the <script> element.
    content = json.dumps(match, separators=(",", ":")).replace("<", "\\u003c")
    styles = [colours(), read_file(PACKAGE, "templates/record.css")]
    page = _template().render(
        title=title,
        names=names,
        remarks=list(remarks),
        moves=captions,
        picture=svgs[-1],
        match=Markup(content),
        **embed(styles, read_file(PACKAGE, "templates/record.js")),
    )
    return page.encode()


@cache
def _template() -> Template:
    return make_environment(PACKAGE).get_template("record.html")


def pictures(game: Game[Any], record: Record) -> Iterator[str]:
    """Yield the pictures of all positions, with a ring around the last move. Raises RecordError."""
    for number, position in enumerate(positions(game, record)):
        names: tuple[str, ...] = ()
        if number:
            names = game.targets(game.read_move(record.moves[number - 1].move))
        is_last = number == len(record.moves)
        yield mark_spots((position.stopped() if is_last else position).picture(), names)


def _split(svgs: list[str]) -> dict[str, Any]:
    """Return the different elements of all pictures, and the numbers of those of each picture.

    This keeps the page small: most elements do not change from move to move.
    """
    parts: dict[str, int] = {}
    numbered = [
        [parts.setdefault(part, len(parts)) for part in BETWEEN_ELEMENTS.split(svg)] for svg in svgs
    ]
    return {"parts": list(parts), "pictures": numbered}


def seconds_per_picture(count: int) -> float:
    """Return the time to show each picture, which is shorter if there are many."""
    return min(0.9, max(0.12, 70 / count))


def mark_spots(picture: str, names: tuple[str, ...] = ()) -> str:
    """Return the picture with rings around these spots, and without other clickable elements."""
    if "data-last" in picture:
        # The picture itself marks the last move.
        names = ()

    def ring(element: re.Match[str]) -> str:
        if element[1] not in names or "data-spot" not in element[0]:
            return ""
        opacity = 1 if element[1] == names[-1] else 0.5
        look = f' fill="none" stroke="#fff" stroke-width="5" opacity="{opacity}"/>'
        return element[0].replace(' fill="transparent"', "").removesuffix("/>") + look

    return CLICKABLE.sub(ring, picture)


def _caption(record: Record, number: int) -> str:
    if number == 0:
        return "start"
    played = record.moves[number - 1]
    return f"{number}. {played.move} ({player_names(record.players)[played.seat.value - 1]})"
