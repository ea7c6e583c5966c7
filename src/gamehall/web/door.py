"""The web door: uvicorn in the event loop of the server."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterator
from functools import partial

import uvicorn
from starlette.applications import Starlette

from gamehall.server.plan import WebSettings
from gamehall.web.bounded_http import BoundedHttp, ConnectionLimits, RequestQueue

SECONDS_TO_CLOSE = 2


class _Server(uvicorn.Server):
    """Leaves signals to the server, which closes all doors."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class WebDoor:
    """Serves the web application until it is closed."""

    def __init__(self, app: Starlette, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._server: _Server | None = None
        self._task: asyncio.Task[None] | None = None

    async def open(self, listening: socket.socket, tls: tuple[str, str | None] | None) -> None:
        """Start to serve on a listening socket; `tls` is a certificate and its key."""
        limits = ConnectionLimits(self._settings.max_connections, self._settings.max_per_address)
        config = uvicorn.Config(
            RequestQueue(self._app),
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="off",
            # Any factory of protocols works, although uvicorn's types say a class.
            http=partial(BoundedHttp, limits=limits),  # type: ignore[arg-type]
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=SECONDS_TO_CLOSE,
            ssl_certfile=tls[0] if tls else None,
            ssl_keyfile=tls[1] if tls else None,
            ssl_cert_reqs=ssl.CERT_NONE,
        )
        self._server = _Server(config)
        self._task = asyncio.create_task(self._server.serve(sockets=[listening]))
        while not self._server.started and not self._task.done():
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        """Stop serving, after the open requests are answered."""
        if self._server is not None and self._task is not None:
            self._server.should_exit = True
            await self._task
