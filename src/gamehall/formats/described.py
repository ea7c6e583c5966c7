"""Pictures that say in words what they show, for those who do not see them."""

import re
from typing import Any
from xml.sax.saxutils import escape

from gamehall.core import Position

BEGINNING = re.compile(r"<svg\b[^>]*>(\s*<title>[^<]*</title>)?")
"""Of a picture, up to where its description belongs."""


def described_picture(position: Position[Any]) -> str:
    """The picture of a position, as an SVG document with a description."""
    words = f"<desc>{escape(position.in_words().rstrip())}</desc>"

    def describe(beginning: re.Match[str]) -> str:
        if beginning[0].endswith("/>"):
            # There is nothing else in the picture.
            return f"{beginning[0].removesuffix('/>')}>{words}</svg>"
        return beginning[0] + words

    return BEGINNING.sub(describe, position.picture(), count=1)
