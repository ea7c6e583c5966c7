"""The text of an SGF file, whatever encoding it is in.

SGF names the encoding in the property CA and says Latin-1 if there is none. Programs write UTF-8
without saying so, UTF-16, or something else than they say.
"""

import codecs
import re
from typing import NamedTuple

from gamehall.match import BadRecord

START = re.compile(r"\(\s*;")
"""How a game begins."""
NAMED = re.compile(rb"(?<![A-Z])CA\s*\[([^\]]{1,40})\]")
"""The property with the name of the encoding."""
IN_UTF_16 = {
    "utf-16-le": re.compile(rb"\(\x00(?:\s\x00)*;\x00"),
    "utf-16-be": re.compile(rb"\x00\((?:\x00\s)*\x00;"),
}
WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "ascii": "utf-8"}
"""Encodings that have all characters of another, for programs that name the smaller one."""
KNOWN = ("ascii", "big5", "cp", "euc", "gb", "iso8859", "johab", "koi8", "mac", "shift", "utf")
"""How the names of encodings begin that text files are in; Python has others, too."""


class SgfText(NamedTuple):
    """What a file says, in UTF-8."""

    content: bytes
    remark: str | None
    """What a reader should know of how it was read."""


def read_text(content: bytes) -> SgfText:
    """Read the text of a file by its encoding. Raises BadRecord if there is no game in it."""
    for encoding, start in IN_UTF_16.items():
        # Characters have two bytes each, so one cannot begin at an odd place.
        if any(found.start() % 2 == 0 for found in start.finditer(content, 0, 1000)):
            # A mark of the byte order before the text is no part of it.
            return _written(content.decode(encoding, "replace").lstrip("\ufeff"), None)
    property_ = NAMED.search(content)
    named = property_[1].decode("latin-1").strip() if property_ else None
    for encoding in ([] if named is None else _encodings(named)) + ["utf-8", "latin-1"]:
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        if START.search(text):
            is_as_named = named is None or encoding in _encodings(named)
            remark = f"the text is not {named}, as CA says; it was read as {encoding.upper()}"
            return _written(text, None if is_as_named else remark)
    raise BadRecord("this is not an SGF file: there is no game in it, which begins with (;")


def _written(text: str, remark: str | None) -> SgfText:
    return SgfText(text.encode("utf-8", "replace"), remark)


def _encodings(named: str) -> list[str]:
    """Return the Python encoding of this name, none if it is not one for text."""
    try:
        name = codecs.lookup(named).name
    except (LookupError, ValueError):
        return []
    return [WIDER.get(name, name)] if name.startswith(KNOWN) else []
