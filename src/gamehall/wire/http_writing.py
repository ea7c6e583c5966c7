"""HTTP messages as they are sent: with JSON in them, and no more headers than needed."""

from collections.abc import Mapping
from typing import Final

from gamehall.wire.http import HttpRequest

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"

REASONS: Final = {
    200: "OK",
    204: "No Content",
    304: "Not Modified",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    413: "Request Entity Too Large",
    422: "Unprocessable Entity",
}

NO_BODY: Final = (204, 304)


def write_response(
    request: HttpRequest | None, status: int, body: bytes, headers: Mapping[str, str]
) -> bytes:
    """A response with JSON in it to this request, None if what has come was none.

    A client that will say nothing more, or cannot be understood, is told that this is the end.
    """
    keep_alive = request is not None and request.keep_alive
    lines = [f"HTTP/1.1 {status} {REASONS[status]}"]
    if status not in NO_BODY:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append("Connection: keep-alive" if keep_alive else "Connection: close")
    head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
    is_bare = status in NO_BODY or (request is not None and request.method == "HEAD")
    return head if is_bare else head + body


def write_request(method: str, target: str, host: str, body: bytes | None = None) -> bytes:
    """A request, with JSON in it unless there is no body."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}"]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")
