"""HTTP/1.0 and HTTP/1.1, as far as a door needs it: messages with small bodies, both ways.

The parsing is httptools'. Here it is bounded, and brought into the form of our other framings.
"""

from abc import abstractmethod
from collections import deque

import httptools
import msgspec

from gamehall.wire.framing import Framing, MessageT, ProtocolError
from gamehall.wire.http_target import read_target

LONGEST_HEAD = 16_384
"""Bytes of a message before its body."""

LONGEST_BODY = 65_536
LONGEST_ANSWER = 16_777_216
"""Bytes of the body of a request, and of a response to one of ours."""

OVERHEAD = 8
"""How much longer a body may be on the wire, if it comes in chunks."""

PIECE = 4096
"""So many bytes are parsed at a time, so that it is known about how long a message is."""

LONGEST_QUEUE = 1_048_576
"""Bytes that may come before the first of the messages in them is taken."""

LONGEST_KNOWN = 1024
"""Bytes of a request that is known again, so that not much is kept of each client."""


class HttpRequest(msgspec.Struct, frozen=True):
    """A request that has come in whole."""

    method: str
    path: str
    """Decoded, without a slash at the end."""
    query: dict[str, str]
    headers: dict[str, str]
    """By their names in small letters; of several with one name the last."""
    body: bytes
    version: str
    keep_alive: bool
    """Whether the client may want to say more on this connection."""


class HttpResponse(msgspec.Struct, frozen=True):
    """A response that has come in whole."""

    status: int
    headers: dict[str, str]
    body: bytes
    keep_alive: bool


class _HttpMessages(Framing[MessageT]):
    """Cuts a stream into messages; httptools calls what begins with `on_`."""

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
        """Whether that is what was wrong with the stream."""
        self._longest_body = longest_body
        self._ready: deque[MessageT] = deque()
        self._fault: str | None = None
        self._is_open = False
        """Whether a message has begun and not ended."""
        self._unparsed = bytearray()
        """What has come and not been looked at: a message is parsed when it is asked for."""
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
        """Gives bytes to the parser. Raises what httptools raises."""

    @abstractmethod
    def _message(self) -> MessageT:
        """What has come, now that it is whole."""

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
            self._fault = "nothing but HTTP is spoken here"
        except httptools.HttpParserCallbackError as error:
            self._fault = str(error.__context__ or error)
        except httptools.HttpParserError as error:
            self._fault = f"this is not HTTP: {error}"
        else:
            self._bound(len(data))

    def end(self) -> None:
        """What has not come whole by now never will."""
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

    def _bound(self, length: int) -> None:
        """Bounds what httptools keeps of a line that does not end, and what chunks may cost."""
        self._wire_bytes += length
        most = OVERHEAD * self._longest_body if self._has_head else LONGEST_HEAD
        if self._is_open and self._wire_bytes > LONGEST_HEAD + most:
            self._refuse_length("a message is too long")

    def _refuse_length(self, fault: str) -> None:
        self.is_too_long = True
        self._fault = fault


class HttpRequests(_HttpMessages[HttpRequest]):
    """Requests, one after the other on one connection.

    Clients that ask how something stands ask again and again in the same words. What came last, if
    it was one whole request, is known again and not parsed.
    """

    __slots__ = ("_awaits_continue", "_known", "_known_bytes", "_parser")

    def __init__(self) -> None:
        super().__init__(LONGEST_BODY)
        self._awaits_continue = False
        self._known: HttpRequest | None = None
        """What the known bytes say."""
        self._known_bytes = b""
        self._parser = httptools.HttpRequestParser(self)

    def take_awaits_continue(self) -> bool:
        """Whether the client waits for a word before it sends the next body; true only once."""
        awaits = self._awaits_continue and self._is_open and not self._ready
        self._awaits_continue = self._awaits_continue and not awaits
        return awaits

    def _feed_piece(self, data: bytes) -> None:
        is_between = not self._is_open
        if is_between and data == self._known_bytes and self._known is not None:
            self._ready.append(self._known)
            return
        super()._feed_piece(data)
        self._known, self._known_bytes = None, b""
        is_one = len(self._ready) == 1 and self._fault is None
        is_one_whole = is_one and is_between and not self._is_open
        # After a request to close the parser takes no other, not even the same.
        if is_one_whole and len(data) <= LONGEST_KNOWN and self._ready[0].keep_alive:
            self._known, self._known_bytes = self._ready[0], data

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        expected = self._headers.get("expect")
        self._awaits_continue = expected is not None and expected.lower() == "100-continue"

    def on_message_complete(self) -> None:
        if not self._wants_upgrade():
            super().on_message_complete()

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if not self._wants_upgrade():
                raise
            # Nobody is upgraded here, and httptools leaves the body of such a request unread: it
            # is read once more, as one without that wish.
            again = self._head_without_upgrade() + data[upgrade.args[0] :]
            self._parser = httptools.HttpRequestParser(self)
            self._parse(again)

    def _wants_upgrade(self) -> bool:
        """Whether the client would rather go on in another protocol, as some always say."""
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
            self._parser.get_method().decode("latin-1"),
            path,
            dict(fields),
            self._headers,
            bytes(self._body),
            self._parser.get_http_version(),
            self._parser.should_keep_alive(),
        )


class HttpResponses(_HttpMessages[HttpResponse]):
    """Responses, one after the other on one connection."""

    __slots__ = ("_parser",)

    def __init__(self) -> None:
        super().__init__(LONGEST_ANSWER)
        self._parser = httptools.HttpResponseParser(self)

    def _parse(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def _message(self) -> HttpResponse:
        return HttpResponse(
            self._parser.get_status_code(),
            self._headers,
            bytes(self._body),
            self._parser.should_keep_alive(),
        )
