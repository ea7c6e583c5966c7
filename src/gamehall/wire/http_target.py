"""The target of an HTTP request: a path, and perhaps a query."""

from functools import lru_cache
from urllib.parse import parse_qsl, unquote

import httptools

from gamehall.wire.framing import ProtocolError

MOST_FIELDS = 16
"""Of a query."""

TARGETS_KNOWN = 64
"""Clients ask for the same few again and again; these are taken apart once."""


@lru_cache(TARGETS_KNOWN)
def read_target(target: bytes) -> tuple[str, list[tuple[str, str]]]:
    """The path, decoded and without a slash at the end, and the fields of the query.

    The fields are everybody's who asks for the same: not to be changed. Raises Malformed.
    """
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        raise ProtocolError("the target of a request is no URL") from None
    path = unquote((url.path or b"/").decode("latin-1"))
    query = (url.query or b"").decode("latin-1")
    try:
        fields = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise ProtocolError(f"a query has more than {MOST_FIELDS} fields") from None
    return path.rstrip("/") or "/", fields
