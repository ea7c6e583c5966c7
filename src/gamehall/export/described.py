"""Pictures that say in words what they show, for those who do not see them."""

import re
from typing import Protocol
from xml.sax.saxutils import escape

BEGINNING = re.compile(r"<svg\b[^>]*>(\s*<title>[^<]*</title>)?")
"""Of a picture, up to where its description belongs."""


class Drawn(Protocol):
    """What has a picture and can be said in words: a position."""

    def picture(self) -> str:
        """The picture, as an SVG document."""

    def in_words(self) -> str:
        """What the picture shows."""


def described_picture(position: Drawn) -> str:
    """The picture of a position, as an SVG document with a description."""
    words = f"<desc>{escape(position.in_words().rstrip())}</desc>"

    def describe(beginning: re.Match[str]) -> str:
        if beginning[0].endswith("/>"):
            # There is nothing else in the picture.
            return f"{beginning[0].removesuffix('/>')}>{words}</svg>"
        return beginning[0] + words

    return BEGINNING.sub(describe, position.picture(), count=1)
