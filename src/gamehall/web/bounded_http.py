"""HTTP connections with limits, for clients that are slow, silent or hostile.

uvicorn reads heads of any length, queues any number of pipelined requests, and waits for a request
without a timeout. Here each of these has a limit.
"""

import asyncio
from collections import Counter, deque
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from gamehall.core import GamehallError

MAX_PIPELINED = 10
"""The limit for requests of a connection that wait behind the current one."""
MAX_REQUEST_BYTES = 65_536
"""The limit for head and body together."""
SECONDS_TO_ASK = 15.0
"""The timeout for a whole request, from the opening of the connection or its first byte."""

END = b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
BUSY = b"HTTP/1.1 503 Service Unavailable" + END
TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large" + END


class PipelineLimitError(GamehallError):
    """A connection has too many pipelined requests."""


class ConnectionLimits:
    """The open connections: how many, and which of them have not sent a request yet."""

    def __init__(self, limit: int, limit_per_address: int) -> None:
        self.limit = limit
        self.limit_per_address = limit_per_address
        self.by_address: Counter[str] = Counter()
        self.silent: dict[BoundedHttp, None] = {}
        """In the order of arrival."""


class BoundedHttp(HttpToolsProtocol):
    """An HTTP connection. When there are too many, one that has sent no request yet is closed."""

    def __init__(self, *, limits: ConnectionLimits, **settings: Any) -> None:
        super().__init__(**settings)
        self._limits = limits
        self.address = ""
        self._bytes_so_far = 0
        """The size of the incomplete request so far."""
        self._is_complete = False
        self._request_timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        limits = self._limits
        self.address = self.client[0] if self.client else ""
        limits.by_address[self.address] += 1
        limits.silent[self] = None
        self._start_request_timeout()
        if limits.by_address[self.address] > limits.limit_per_address:
            oldest = next(one for one in limits.silent if one.address == self.address)
        elif limits.by_address.total() > limits.limit:
            oldest = next(iter(limits.silent))
        else:
            return
        if oldest is self:
            self._refuse(BUSY)
        else:
            limits.silent.pop(oldest)
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_request_timeout()
        self._limits.silent.pop(self, None)
        self._limits.by_address[self.address] -= 1
        if not self._limits.by_address[self.address]:
            del self._limits.by_address[self.address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._is_complete = False
        super().data_received(data)
        self._bytes_so_far = 0 if self._is_complete else self._bytes_so_far + len(data)
        if self._bytes_so_far > MAX_REQUEST_BYTES and not self.transport.is_closing():
            self._refuse(TOO_LONG)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._start_request_timeout()

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED:
            raise PipelineLimitError
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_complete = True
        self._cancel_request_timeout()
        self._limits.silent.pop(self, None)
        super().on_message_complete()

    def _start_request_timeout(self) -> None:
        self._cancel_request_timeout()
        self._request_timeout = asyncio.get_running_loop().call_later(
            SECONDS_TO_ASK, self.transport.close
        )

    def _cancel_request_timeout(self) -> None:
        if self._request_timeout is not None:
            self._request_timeout.cancel()
            self._request_timeout = None

    def _refuse(self, answer: bytes) -> None:
        """Send an error, unless a response is being sent, and close the connection."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self.transport.write(answer)
        self.transport.close()


class RequestQueue:
    """Starts one waiting request per iteration of the event loop.

    Between them the loop serves players: many requests for pages must not delay a move.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_scheduled = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._is_scheduled:
            self._is_scheduled = True
            loop.call_soon(self._start_next)
        await turn
        await self._app(scope, receive, send)

    def _start_next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            # The client may be gone.
            if not turn.done():
                turn.set_result(None)
                break
        self._is_scheduled = bool(self._waiting)
        if self._is_scheduled:
            asyncio.get_running_loop().call_soon(self._start_next)
