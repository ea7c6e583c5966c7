"""Standalone HTML files, which contain their styles, scripts and pictures.

Their content security policy forbids to load anything, and to run any other script.
"""

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

PACKAGE = "gamehall.export"
VISIBLE_WHITESPACE = "\n\t"
UNQUOTED = " !$'()*+,-./:;=?@[]^_`{|}~"
"""Characters that a data URL may contain besides letters and digits."""


def make_environment(package: str) -> Environment:
    """Return a Jinja environment with the templates of a package and of this one."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(PACKAGE)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_escape_unprintable,
    )
    environment.filters["picture_address"] = picture_address
    return environment


def embed(styles: Sequence[str], script: str) -> dict[str, str]:
    """Return the variables of `standalone.html`. An empty script means that there is none."""
    style = "".join(styles)
    scripts = f"'sha256-{_digest(script)}'" if script else "'none'"
    policy = (
        f"default-src 'none'; img-src data:; style-src 'sha256-{_digest(style)}';"
        f" script-src {scripts}; base-uri 'none'; form-action 'none'"
    )
    return {"style": Markup(style), "script": Markup(script), "policy": policy}


def read_file(package: str, path: str) -> str:
    return resources.files(package).joinpath(path).read_text(encoding="utf-8")


def colours() -> str:
    """Return the CSS with the colours of all pages, in light and dark mode."""
    return read_file(PACKAGE, "static/colours.css")


def picture_address(svg: str) -> str:
    """Return the picture as a data URL.

    Inside the page, the styles and ids of several pictures could collide.
    """
    return "data:image/svg+xml," + quote(svg, safe=UNQUOTED)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _escape_unprintable(value: Any) -> Any:
    """Return text with unprintable characters as in `\\x1b`.

    They could reverse the direction of the text, and some cannot be encoded. Jinja escapes the
    characters that are special in HTML.
    """
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(
        letter
        if letter.isprintable() or letter in VISIBLE_WHITESPACE
        else letter.encode("unicode_escape").decode("ascii")
        for letter in value
    )
