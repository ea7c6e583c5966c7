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
    return BEGINNING.sub(lambda found: found[0] + words, position.picture(), count=1)
