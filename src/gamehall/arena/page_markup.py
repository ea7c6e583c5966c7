"""HTML that cannot be broken by what it shows: all text is escaped, unless it was made here."""

import html
from urllib.parse import quote

VOID = frozenset({"br", "img", "meta"})
"""Elements that have no end."""
KEPT = "\n\t"
LONG_NAME = 20
"""A longer one may be cut off."""


class Markup(str):
    """Text that is HTML already. Only the functions of this module make it."""

    __slots__ = ()


def tag(name: str, /, *content: str, **attributes: str | None) -> Markup:
    """An element. What is in it and is no Markup is escaped, and so are its attributes.

    Underscores in the names of attributes are hyphens, one at the end is for words that Python
    has taken: `class_`. An attribute that is None is left out; one that is empty is only named.
    """
    written = "".join(
        f" {_attribute(key)}" + (f'="{shown(value)}"' if value else "")
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(*content)}</{name}>")


def join(*content: str) -> Markup:
    """One after the other; what is no Markup is escaped."""
    return Markup("".join(one if isinstance(one, Markup) else shown(one) for one in content))


def named(name: str) -> Markup:
    """The name of a bot, on one line however long it is; whoever points at it sees all of it."""
    return tag("span", name, class_="name", title=name if len(name) > LONG_NAME else None)


def raw(text: str) -> Markup:
    """Text of the house that is HTML, or stands where nothing is escaped: a style, a script."""
    return Markup(text)


def shown(text: str) -> str:
    """The text as it is written in HTML. What has no look of its own is spelt out, as in `\\x1b`:
    it could turn a name around, or not be written to a file at all."""
    if not text.isprintable():
        text = "".join(
            letter if letter.isprintable() or letter in KEPT else _spelt_out(letter)
            for letter in text
        )
    return html.escape(text)


def fragment(name: str) -> str:
    """The address of the element of this page that has this id."""
    return "#" + quote(shown_id(name))


def shown_id(name: str) -> str:
    """A name as an id, which has no spaces."""
    return "_".join(name.encode("utf-8", "replace").decode().split()) or "_"


def _spelt_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")
