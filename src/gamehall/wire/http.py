"""Read and write HTTP/1.0 and HTTP/1.1 messages with small bodies.

httptools parses them; this module limits their sizes.
"""

from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import parse_qsl, unquote

import httptools
import msgspec

from gamehall.wire.framing import Framing, MessageT, ProtocolError

MOST_FIELDS = 16
"""Fields in a query."""

TARGETS_CACHED = 64


# Clients that poll ask for the same few targets again and again.
@lru_cache(TARGETS_CACHED)
def read_target(target: bytes) -> tuple[str, list[tuple[str, str]]]:
    """Return the path, decoded and without a slash at the end, and the fields of the query.

    The list is shared by all callers: do not change it. Raises ProtocolError.
    """
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        raise ProtocolError("the target of a request is not a URL") from None
    path = unquote((url.path or b"/").decode("latin-1"))
    query = (url.query or b"").decode("latin-1")
    try:
        fields = parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise ProtocolError(f"a query has more than {MOST_FIELDS} fields") from None
    return path.rstrip("/") or "/", fields


LONGEST_HEAD = 16_384
"""Bytes of a message before its body."""

LONGEST_REQUEST_BODY = 65_536
"""Bytes of the body of a request to the server."""

LONGEST_RESPONSE_BODY = 16_777_216
"""Bytes of the body of a response to a client of this package."""

OVERHEAD = 8
"""How much longer a body may be on the wire, if it comes in chunks."""

PIECE = 4096
"""Bytes that are parsed at a time, which is how exactly the length of a message is limited."""

LONGEST_QUEUE = 1_048_576
"""Bytes that may arrive before the first message in them is taken."""

LONGEST_CACHED = 1024
"""Bytes of the longest request that is cached, to keep the memory per client small."""


class HttpRequest(msgspec.Struct, frozen=True):
    """A complete request."""

    method: str
    path: str
    """Decoded, without a slash at the end."""
    query: dict[str, str]
    headers: dict[str, str]
    """By lower-case name; the last one if a name occurs several times."""
    body: bytes
    version: str
    keep_alive: bool
    """Whether the client may send further requests on this connection."""


class HttpResponse(msgspec.Struct, frozen=True):
    """A complete response."""

    status: int
    headers: dict[str, str]
    body: bytes
    keep_alive: bool


class _HttpMessages(Framing[MessageT]):
    """Cuts a stream into messages; httptools calls the methods that begin with `on_`."""

    __slots__ = (
        "_body",
        "_fault",
        "_has_ended",
        "_has_head",
        "_headers",
        "_is_open",
        "_longest_body",
        "_ready",
        "_target",
        "_unparsed",
        "_wire_bytes",
        "is_too_long",
    )

    def __init__(self, longest_body: int) -> None:
        self.has_more = False
        self.is_too_long = False
        """Whether the stream was rejected because of its length."""
        self._longest_body = longest_body
        self._ready: deque[MessageT] = deque()
        self._fault: str | None = None
        self._is_open = False
        """Whether a message has begun and not ended."""
        self._unparsed = bytearray()
        """Bytes not parsed yet: `next_message` parses."""
        self._has_ended = False
        self._start()

    def _start(self) -> None:
        self._target = b""
        self._headers: dict[str, str] = {}
        self._body = bytearray()
        self._has_head = False
        self._wire_bytes = 0

    @abstractmethod
    def _parse(self, data: bytes) -> None:
        """Pass bytes to the parser. Raises what httptools raises."""

    @abstractmethod
    def _message(self) -> MessageT:
        """Return the message that has just become complete."""

    def feed(self, data: bytes) -> None:
        self.has_more = True
        if self._fault is None:
            self._unparsed += data
            if len(self._unparsed) > LONGEST_QUEUE:
                self._unparsed.clear()
                self._refuse_length("too much was sent before it could be answered")

    def _feed_piece(self, data: bytes) -> None:
        try:
            self._parse(data)
        except httptools.HttpParserUpgrade:
            self._fault = "only HTTP is understood here"
        except httptools.HttpParserCallbackError as error:
            self._fault = str(error.__context__ or error)
        except httptools.HttpParserError as error:
            self._fault = f"this is not HTTP: {error}"
        else:
            self._check_length(len(data))

    def end(self) -> None:
        """Note that no more bytes will arrive: an unfinished message stays unfinished."""
        self._has_ended = True
        self.has_more = bool(self._ready or self._fault or self._unparsed)

    def next_message(self) -> MessageT | None:
        while not self._ready and self._fault is None and self._unparsed:
            piece = bytes(self._unparsed[:PIECE])
            del self._unparsed[:PIECE]
            self._feed_piece(piece)
        is_open = self._is_open and not self._has_ended
        if self._ready:
            message = self._ready.popleft()
            self.has_more = bool(self._ready or self._fault or self._unparsed or is_open)
            return message
        if self._fault is not None:
            raise ProtocolError(self._fault)
        self.has_more = is_open
        return None

    def on_message_begin(self) -> None:
        self._start()
        self._is_open = True

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._has_head = True
        self._wire_bytes = 0

    def on_body(self, body: bytes) -> None:
        self._body += body
        if len(self._body) > self._longest_body:
            self.is_too_long = True
            raise ProtocolError(f"a body has more than {self._longest_body} bytes")

    def on_message_complete(self) -> None:
        self._ready.append(self._message())
        self._is_open = False

    def _check_length(self, length: int) -> None:
        """Limit what httptools keeps of an endless line, and the overhead of chunks."""
        # Whole pieces are counted, and the first may hold the end of the message before. So a head
        # is only refused beyond twice the limit, and none is longer than that and another piece.
        self._wire_bytes += length
        most = OVERHEAD * self._longest_body if self._has_head else LONGEST_HEAD
        if self._is_open and self._wire_bytes > LONGEST_HEAD + most:
            self._refuse_length("a message is too long")

    def _refuse_length(self, fault: str) -> None:
        self.is_too_long = True
        self._fault = fault


class HttpRequests(_HttpMessages[HttpRequest]):
    """Requests, one after the other on one connection.

    Clients that poll send the same bytes again and again. If the last segment was exactly one
    request, it is cached, and not parsed when it arrives again.
    """

    __slots__ = ("_awaits_continue", "_known", "_known_bytes", "_parser")

    def __init__(self) -> None:
        super().__init__(LONGEST_REQUEST_BODY)
        self._awaits_continue = False
        self._known: HttpRequest | None = None
        """The request in `_known_bytes`."""
        self._known_bytes = b""
        self._parser = httptools.HttpRequestParser(self)

    def take_awaits_continue(self) -> bool:
        """Return True, once, if the client waits for `100 Continue` before it sends the body."""
        awaits = self._awaits_continue and self._is_open and not self._ready
        self._awaits_continue = self._awaits_continue and not awaits
        return awaits

    def feed(self, data: bytes) -> None:
        is_between = not (self._ready or self._unparsed or self._is_open or self._fault)
        if is_between and data == self._known_bytes and self._known is not None:
            self._ready.append(self._known)
            self.has_more = True
        else:
            super().feed(data)

    def _feed_piece(self, data: bytes) -> None:
        is_between = not self._is_open
        super()._feed_piece(data)
        self._known, self._known_bytes = None, b""
        is_one = len(self._ready) == 1 and self._fault is None
        is_one_whole = is_one and is_between and not self._is_open
        # After a request with `Connection: close` the parser takes no other, not even the same.
        if is_one_whole and len(data) <= LONGEST_CACHED and self._ready[0].keep_alive:
            self._known, self._known_bytes = self._ready[0], data

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        expected = self._headers.get("expect")
        self._awaits_continue = expected is not None and expected.lower() == "100-continue"

    def on_message_complete(self) -> None:
        # With an Upgrade header the request is not complete yet: `_parse` reads it again without.
        if not self._wants_upgrade():
            super().on_message_complete()

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if not self._wants_upgrade():
                raise
            # No connection is upgraded here, and httptools leaves the body of such a request
            # unread: parse it again without the Upgrade header.
            again = self._head_without_upgrade() + data[upgrade.args[0] :]
            self._parser = httptools.HttpRequestParser(self)
            self._parse(again)

    def _wants_upgrade(self) -> bool:
        """Return True if the client offers to upgrade to another protocol, as some always do."""
        return self._parser.should_upgrade() and self._parser.get_method() != b"CONNECT"

    def _head_without_upgrade(self) -> bytes:
        method, target = self._parser.get_method().decode(), self._target.decode("latin-1")
        stays = self._parser.should_keep_alive()
        headers = self._headers | {"connection": "keep-alive" if stays else "close"}
        lines = [f"{method} {target} HTTP/{self._parser.get_http_version()}"]
        lines += [f"{name}: {value}" for name, value in headers.items() if name != "upgrade"]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"

    def _message(self) -> HttpRequest:
        path, fields = read_target(self._target)
        return HttpRequest(
            method=self._parser.get_method().decode("latin-1"),
            path=path,
            query=dict(fields),
            headers=self._headers,
            body=bytes(self._body),
            version=self._parser.get_http_version(),
            keep_alive=self._parser.should_keep_alive(),
        )


class HttpResponses(_HttpMessages[HttpResponse]):
    """Responses, one after the other on one connection."""

    __slots__ = ("_parser",)

    def __init__(self) -> None:
        super().__init__(LONGEST_RESPONSE_BODY)
        self._parser = httptools.HttpResponseParser(self)

    def _parse(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def _message(self) -> HttpResponse:
        return HttpResponse(
            status=self._parser.get_status_code(),
            headers=self._headers,
            body=bytes(self._body),
            keep_alive=self._parser.should_keep_alive(),
        )


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
    """Return a JSON response.

    Args:
        request: the request that it answers, None if the input was not HTTP; then the response says
            that the connection is closed.
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
    """Return a request with a JSON body, or without a body."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}"]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")
