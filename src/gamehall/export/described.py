"""Add a text description to pictures of positions, for screen readers."""

import re
from functools import lru_cache
from typing import Final, Protocol
from xml.sax.saxutils import escape

START = re.compile(r"<svg\b[^>]*>(\s*<title>[^<]*</title>)?")
"""The part of a picture before its description."""

CACHE_SIZE: Final = 64


class Drawable(Protocol):
    """An object with a picture and a description, such as a position."""

    def picture(self) -> str: ...

    def in_words(self) -> str: ...

    def stopped(self) -> "Drawable": ...


class _CacheKey:
    """Compares positions by identity: comparing their contents would take as long as drawing."""

    __slots__ = ("is_over", "position")

    def __init__(self, position: Drawable, is_over: bool) -> None:
        self.position = position
        self.is_over = is_over

    def __hash__(self) -> int:
        return id(self.position)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _CacheKey)
            and self.position is other.position
            and self.is_over is other.is_over
        )


def described_picture(position: Drawable, *, is_over: bool = False) -> str:
    """Return the picture of a position as an SVG document with a description.

    If the match `is_over`, no player to move is shown.

    The last pictures are cached, because players and watchers of a match see the same ones.
    """
    return _draw(_CacheKey(position, is_over))


@lru_cache(maxsize=CACHE_SIZE)
def _draw(key: _CacheKey) -> str:
    position = key.position.stopped() if key.is_over else key.position
    description = f"<desc>{escape(position.in_words().rstrip())}</desc>"

    def add_description(start: re.Match[str]) -> str:
        if start[0].endswith("/>"):
            # The picture is empty.
            return f"{start[0].removesuffix('/>')}>{description}</svg>"
        return start[0] + description

    return START.sub(add_description, position.picture(), count=1)
