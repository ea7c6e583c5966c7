"""HTTP lines to the web door that cost little, whoever is at the other end.

uvicorn reads heads of any length, queues any number of requests of one line, and waits for a
request for ever. Here all of that has an end.
"""

import asyncio
from collections import Counter, deque
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from gamehall.core import GamehallError

MOST_IN_LINE = 10
"""Requests that one line may have waiting behind the one that is being answered."""
LONGEST_REQUEST = 65_536
"""With everything: head, body and whatever belongs to neither."""
SECONDS_TO_ASK = 15.0
"""For a whole request, from the opening of the line or from the first byte of a later one."""

END = b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
BUSY = b"HTTP/1.1 503 Service Unavailable" + END
TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large" + END


class PipelineLimitError(GamehallError):
    """A line has more requests waiting than anybody needs."""


class ConnectionLimits:
    """All lines of a door: how many there are, and which of them have not asked anything yet."""

    def __init__(self, most: int, most_of_one_address: int) -> None:
        self.most = most
        self.most_of_one_address = most_of_one_address
        self.by_address: Counter[str] = Counter()
        self.silent: dict[BoundedHttp, None] = {}
        """The first to come first."""


class BoundedHttp(HttpToolsProtocol):
    """One line. When there are too many, one that has not asked anything yet makes way."""

    def __init__(self, *, crowd: ConnectionLimits, **settings: Any) -> None:
        super().__init__(**settings)
        self._crowd = crowd
        self.address = ""
        self._bytes = 0
        """Of a request that is not complete."""
        self._is_complete = False
        self._due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        crowd = self._crowd
        self.address = self.client[0] if self.client else ""
        crowd.by_address[self.address] += 1
        crowd.silent[self] = None
        self._wait_for_request()
        if crowd.by_address[self.address] > crowd.most_of_one_address:
            first = next(line for line in crowd.silent if line.address == self.address)
        elif crowd.by_address.total() > crowd.most:
            first = next(iter(crowd.silent))
        else:
            return
        if first is self:
            self._end(BUSY)
        else:
            crowd.silent.pop(first)
            first.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._crowd.silent.pop(self, None)
        self._crowd.by_address[self.address] -= 1
        if not self._crowd.by_address[self.address]:
            del self._crowd.by_address[self.address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._is_complete = False
        super().data_received(data)
        self._bytes = 0 if self._is_complete else self._bytes + len(data)
        if self._bytes > LONGEST_REQUEST and not self.transport.is_closing():
            self._end(TOO_LONG)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._wait_for_request()

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MOST_IN_LINE:
            raise PipelineLimitError
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_complete = True
        self._stop_waiting()
        self._crowd.silent.pop(self, None)
        super().on_message_complete()

    def _wait_for_request(self) -> None:
        self._stop_waiting()
        self._due = asyncio.get_running_loop().call_later(SECONDS_TO_ASK, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _end(self, answer: bytes) -> None:
        """Says why, unless something else is being said, and hangs up."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self.transport.write(answer)
        self.transport.close()


class RequestQueue:
    """Starts waiting requests one by one, one per turn of the event loop.

    So many requests for pages at once do not delay players, whom the loop serves in between.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_turning = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._is_turning:
            self._is_turning = True
            loop.call_soon(self._let_in)
        await turn
        await self._app(scope, receive, send)

    def _let_in(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            # The client may be gone.
            if not turn.done():
                turn.set_result(None)
                break
        self._is_turning = bool(self._waiting)
        if self._is_turning:
            asyncio.get_running_loop().call_soon(self._let_in)
