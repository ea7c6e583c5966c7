"""HTML files that need nothing else: style, script and pictures are in the file.

A policy in the file lets a browser fetch nothing, and run nothing but the one script.
"""

import base64
import hashlib
from collections.abc import Sequence
from importlib import resources
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

HERE = "gamehall.export"
KEPT = "\n\t"
UNCHANGED = " !$'()*+,-./:;=?@[]^_`{|}~"
"""What the address of a picture may hold as it is, besides letters and digits."""


def make_environment(package: str) -> Environment:
    """Return an environment with the templates of a package and those of standalone files."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(HERE)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_spell_out,
    )
    environment.filters["picture_address"] = picture_address
    return environment


def embed(styles: Sequence[str], script: str) -> dict[str, str]:
    """Return what `standalone.html` asks for: the style, the script, and the policy for both.

    `script` is empty if there is none.
    """
    style = "".join(styles)
    scripts = f"'sha256-{_digest(script)}'" if script else "'none'"
    policy = (
        f"default-src 'none'; img-src data:; style-src 'sha256-{_digest(style)}';"
        f" script-src {scripts}; base-uri 'none'; form-action 'none'"
    )
    return {"style": Markup(style), "script": Markup(script), "policy": policy}


def read_file(package: str, path: str) -> str:
    """Return a text file of a package."""
    return resources.files(package).joinpath(path).read_text(encoding="utf-8")


def colours() -> str:
    """Return the colours of all pages, for light and dark ones, as a style."""
    return read_file(HERE, "static/colours.css")


def picture_address(svg: str) -> str:
    """Return a data URL that holds the whole picture.

    In the page itself the styles and ids of all pictures would mix.
    """
    return "data:image/svg+xml," + quote(svg, safe=UNCHANGED)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _spell_out(value: Any) -> Any:
    """Write characters that cannot be seen as in `\\x1b`; the environment escapes the rest.

    Such characters could reverse the direction of a name, or could not be written to a file at all.
    """
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(
        letter
        if letter.isprintable() or letter in KEPT
        else letter.encode("unicode_escape").decode("ascii")
        for letter in value
    )
