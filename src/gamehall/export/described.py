"""Pictures with a description of what they show, for people who cannot see them."""

import re
from typing import Protocol
from xml.sax.saxutils import escape

BEGINNING = re.compile(r"<svg\b[^>]*>(\s*<title>[^<]*</title>)?")
"""The beginning of a picture, up to where its description belongs."""


class Drawn(Protocol):
    """Anything with a picture and a description, such as a position."""

    def picture(self) -> str:
        """Return the picture as an SVG document."""

    def in_words(self) -> str:
        """Return a description of the picture."""


def described_picture(position: Drawn) -> str:
    """Return the picture of a position as an SVG document with a description."""
    words = f"<desc>{escape(position.in_words().rstrip())}</desc>"

    def describe(beginning: re.Match[str]) -> str:
        if beginning[0].endswith("/>"):
            # There is nothing else in the picture.
            return f"{beginning[0].removesuffix('/>')}>{words}</svg>"
        return beginning[0] + words

    return BEGINNING.sub(describe, position.picture(), count=1)
