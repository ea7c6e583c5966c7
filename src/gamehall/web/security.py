"""Security headers, the cookie of a browser, and the check of the origin."""

import secrets

from starlette.requests import Request
from starlette.responses import Response

from gamehall.web.errors import ForbiddenError

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


COOKIE = "gamehall"
BYTES_OF_COOKIE = 24
HEADER = "x-gamehall"
"""A header that our pages and API clients send, and that a form on another site cannot send."""


def browser_of(request: Request) -> str | None:
    """Return the id in this browser's cookie, None if it has none."""
    value = request.cookies.get(COOKIE, "")
    return value if value.isascii() and len(value) >= BYTES_OF_COOKIE else None


def new_browser() -> str:
    """Return an id for a new browser."""
    return secrets.token_urlsafe(BYTES_OF_COOKIE)


def remember(response: Response, browser: str, is_secure: bool) -> None:
    """Set the cookie; no script can read it, and no other site sends it."""
    response.set_cookie(
        COOKIE, browser, httponly=True, samesite="strict", secure=is_secure, path="/"
    )


def check_origin(request: Request) -> None:
    """Check that a request that changes something comes from our pages. Raises ForbiddenError."""
    if request.headers.get(HEADER) is None:
        raise ForbiddenError(f"a request that changes something needs the header {HEADER}: 1")
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_foreign = origin is not None and origin.partition("://")[2] != request.headers.get("host")
    if is_foreign or site not in (None, "same-origin", "none"):
        raise ForbiddenError("the request comes from a page of another site")
