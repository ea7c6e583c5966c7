"""Pictures with a description of what they show, for people who cannot see them."""

import re
from functools import lru_cache
from typing import Final, Protocol
from xml.sax.saxutils import escape

BEGINNING = re.compile(r"<svg\b[^>]*>(\s*<title>[^<]*</title>)?")
"""The beginning of a picture, up to where its description belongs."""


PICTURES_KEPT: Final = 64


class Drawn(Protocol):
    """Anything with a picture and a description, such as a position."""

    def picture(self) -> str:
        """Return the picture as an SVG document."""

    def in_words(self) -> str:
        """Return a description of the picture."""


class _Same:
    """A key that equals itself only: comparing whole positions would cost as much as drawing."""

    __slots__ = ("position",)

    def __init__(self, position: Drawn) -> None:
        self.position = position

    def __hash__(self) -> int:
        return id(self.position)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.position is other.position


def described_picture(position: Drawn) -> str:
    """Return the picture of a position as an SVG document with a description.

    The last pictures are kept, since both players of a match and its watchers see the same.
    """
    return _draw(_Same(position))


@lru_cache(maxsize=PICTURES_KEPT)
def _draw(key: _Same) -> str:
    position = key.position
    words = f"<desc>{escape(position.in_words().rstrip())}</desc>"

    def describe(beginning: re.Match[str]) -> str:
        if beginning[0].endswith("/>"):
            # There is nothing else in the picture.
            return f"{beginning[0].removesuffix('/>')}>{words}</svg>"
        return beginning[0] + words

    return BEGINNING.sub(describe, position.picture(), count=1)
