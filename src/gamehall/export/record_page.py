"""Records as one file of HTML that replays them, and needs nothing else.

Without scripts it shows the last position.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from gamehall.core import Game
from gamehall.export.standalone import HERE, colours, embed, make_environment, read_file
from gamehall.match import Record
from gamehall.match.record import positions

POINTED = re.compile(r'<(?:circle|rect|path) [^>]*data-(?:spot|target)="([^"]*)"[^>]*/>')
"""What is drawn only to be pointed at or marked."""
BETWEEN = re.compile("(?<=>)(?=<)|(?<=\n)")
"""Where one element of a picture ends and the next begins."""


def write(game: Game[Any], record: Record) -> bytes:
    """Return the record as a page. Raises RecordError if it cannot be replayed."""
    shown = list(pictures(game, record))
    moves = [_played(record, number) for number in range(len(shown))]
    names = _names(record)
    remarks = [f"{record.result.in_words(type(game), names)}."]
    return write_page(game.title, names, remarks, shown, moves)


def write_page(
    title: str,
    names: tuple[str, str],
    remarks: Sequence[str],
    shown: list[str],
    moves: list[str],
) -> bytes:
    """Return a page that shows pictures one after the other, each with what was done.

    `remarks` are sentences about the whole.
    """
    match = {**_in_parts(shown), "moves": moves, "seconds": seconds_a_picture(len(shown))}
    # In a page nothing but this could end the script that it stands in.
    content = json.dumps(match, separators=(",", ":")).replace("<", "\\u003c")
    styles = [colours(), read_file(HERE, "templates/record.css")]
    page = _template().render(
        title=title,
        names=names,
        remarks=list(remarks),
        moves=moves,
        picture=shown[-1],
        match=Markup(content),
        **embed(styles, read_file(HERE, "templates/record.js")),
    )
    return page.encode()


@cache
def _template() -> Template:
    return make_environment(HERE).get_template("record.html")


def pictures(game: Game[Any], record: Record) -> Iterator[str]:
    """Yield the pictures of all positions, with a ring around what was just played.

    They have nothing in them to point at. Raises RecordError.
    """
    for number, position in enumerate(positions(game, record)):
        names: tuple[str, ...] = ()
        if number:
            names = game.targets(game.read_move(record.moves[number - 1].move))
        yield marked(position.picture(), names)


def _in_parts(shown: list[str]) -> dict[str, Any]:
    """The pictures as lists of numbers of parts: from move to move most of them stay the same."""
    parts: dict[str, int] = {}
    numbered = [
        [parts.setdefault(part, len(parts)) for part in BETWEEN.split(picture)] for picture in shown
    ]
    return {"parts": list(parts), "pictures": numbered}


def seconds_a_picture(count: int) -> float:
    """Return how long each of so many pictures is shown: a long match is played faster."""
    return min(0.9, max(0.12, 70 / count))


def marked(picture: str, names: tuple[str, ...] = ()) -> str:
    """Return the picture with rings around the spots of these names, without all other spots."""
    if "data-last" in picture:
        names = ()

    def ring(element: re.Match[str]) -> str:
        if element[1] not in names or "data-spot" not in element[0]:
            return ""
        opacity = 1 if element[1] == names[-1] else 0.5
        look = f' fill="none" stroke="#fff" stroke-width="5" opacity="{opacity}"/>'
        return element[0].replace(' fill="transparent"', "").removesuffix("/>") + look

    return POINTED.sub(ring, picture)


def _played(record: Record, number: int) -> str:
    """Return what led to the position of this number, in words."""
    if number == 0:
        return "the beginning"
    played = record.moves[number - 1]
    return f"{number}. {played.move} ({_names(record)[played.seat.value - 1]})"


def _names(record: Record) -> tuple[str, str]:
    first, second = record.players
    return first or "the first player", second or "the second player"
