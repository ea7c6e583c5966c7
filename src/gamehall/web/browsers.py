"""Who is at a page: a browser is known by a cookie, and what it may change is its own."""

import secrets

from starlette.requests import Request
from starlette.responses import Response

COOKIE = "gamehall"
BYTES_OF_COOKIE = 24
HEADER = "x-gamehall"
"""What only a page of ours, or a program that means it, sends along: a form elsewhere cannot."""


class Forbidden(Exception):
    """Somebody asks in another's name, or from another place. The text tells why."""


def browser_of(request: Request) -> str | None:
    """By what this browser is known, None if it is new here."""
    value = request.cookies.get(COOKIE, "")
    return value if value.isascii() and len(value) >= BYTES_OF_COOKIE else None


def new_browser() -> str:
    """What a browser that is new here is known by from now on."""
    return secrets.token_urlsafe(BYTES_OF_COOKIE)


def remember(response: Response, browser: str, is_secure: bool) -> None:
    """Has the browser show that again; no script can read it, and no other place sends it."""
    response.set_cookie(
        COOKIE, browser, httponly=True, samesite="strict", secure=is_secure, path="/"
    )


def check_origin(request: Request) -> None:
    """Whether a request that changes something comes from a page of ours. Raises Forbidden."""
    if request.headers.get(HEADER) is None:
        raise Forbidden(f"what changes something needs the header {HEADER}: 1")
    site = request.headers.get("sec-fetch-site")
    if site not in (None, "same-origin", "none"):
        raise Forbidden("that comes from a page of somebody else")
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise Forbidden("that comes from a page of somebody else")
