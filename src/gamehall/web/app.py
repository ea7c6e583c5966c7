"""The web application: pages, the API, health and metrics."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from gamehall.core import Game
from gamehall.server.hall import Hall
from gamehall.server.house_bots import PlayBot
from gamehall.server.plan import DoorPlan
from gamehall.storage import Archive, Database
from gamehall.web import openapi
from gamehall.web.api_records import RecordApi
from gamehall.web.api_rooms import RoomApi
from gamehall.web.api_seats import SeatApi
from gamehall.web.endpoints import complain, route
from gamehall.web.metrics import CONTENT_TYPE, write_metrics
from gamehall.web.pages import Pages
from gamehall.web.records import SECONDS_TO_READ, ArenaQueries, RecordQueries
from gamehall.web.seat import Services, playable_rooms
from gamehall.web.seats import Seats
from gamehall.web.security import SAFE
from gamehall.web.watching import Watching

SECONDS_BETWEEN_METRICS = 0.5


class WebHall:
    """The web application of a server."""

    def __init__(
        self,
        hall: Hall,
        plans: Sequence[DoorPlan],
        extra_games: Sequence[Game[Any]],
        addresses: Mapping[str, str],
        database: Database | None,
        play_bot: PlayBot,
        is_well: Callable[[], bool],
        has_storage: Callable[[], bool] = lambda: True,
    ) -> None:
        """Prepare everything; `open` starts the tasks.

        Args:
            extra_games: the games whose rooms have no door.
            addresses: the address of each door by its name, as clients reach it.
            play_bot: lets a bot join a table of a room.
            is_well: returns False while the server is closing.
            has_storage: returns whether results can be stored.
        """
        self._counts = hall.counts
        self._is_well = is_well
        self._has_storage = has_storage
        clock = hall.timers.clock
        self._watching = Watching(
            hall=hall, plans=plans, extra_games=extra_games, addresses=addresses, clock=clock
        )
        self._seats = Seats(
            playable_rooms(hall, plans, extra_games), Services(hall, clock, play_bot)
        )
        records = RecordQueries(None if database is None else Archive(database, SECONDS_TO_READ))
        arenas = ArenaQueries(database)
        self._endpoints = [
            *RoomApi(hall, self._watching, play_bot).endpoints(),
            *SeatApi(self._seats, self._watching).endpoints(),
            *RecordApi(records, arenas).endpoints(),
        ]
        self._pages = Pages(self._watching, self._seats, records, arenas)
        self._metrics_text = b""
        self._metrics_written_at = float("-inf")
        self._tasks: list[asyncio.Task[None]] = []
        self.app = self._make_app()

    def open(self) -> None:
        """Start the tasks that publish changes and check the presence of browsers."""
        self._tasks = [
            asyncio.create_task(self._watching.run()),
            asyncio.create_task(self._seats.check_presence()),
        ]

    async def close(self) -> None:
        """End all streams and tasks."""
        self._watching.close()
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await self._seats.close()

    def _make_app(self) -> Starlette:
        static = StaticFiles(
            packages=[(f"gamehall.{package}", "static") for package in ("web", "arena", "export")]
        )
        return Starlette(
            routes=[
                *self._pages.routes(),
                Route("/api/openapi.json", self._describe),
                *map(route, self._endpoints),
                Route("/healthz", self._healthz),
                Route("/metrics", self._metrics),
                Mount("/static", _StaticFilesWithHeaders(static)),
            ],
            exception_handlers={HTTPException: self._answer_http_error},
        )

    async def _describe(self, _request: Request) -> Response:
        return JSONResponse(openapi.describe(self._endpoints), headers=dict(SAFE))

    async def _healthz(self, _request: Request) -> Response:
        status = "ok"
        if not self._is_well():
            status = "closing"
        elif not self._has_storage():
            status = "the storage does not answer"
        return JSONResponse({"status": status}, 200 if status == "ok" else 503, headers=dict(SAFE))

    async def _metrics(self, _request: Request) -> Response:
        # Reuse a recent text: games must not wait while it is written for many clients.
        if time.monotonic() >= self._metrics_written_at + SECONDS_BETWEEN_METRICS:
            self._metrics_text = write_metrics(self._counts)
            self._metrics_written_at = time.monotonic()
        return Response(self._metrics_text, media_type=CONTENT_TYPE, headers=dict(SAFE))

    async def _answer_http_error(self, request: Request, error: Exception) -> Response:
        """Answer a request with an unknown path or method: JSON for the API, otherwise a page."""
        status, headers = 500, None
        if isinstance(error, HTTPException):
            status, headers = error.status_code, error.headers
        words = HTTPStatus(status).phrase
        is_of_api = request.url.path.startswith("/api")
        if status == HTTPStatus.NOT_FOUND and not is_of_api:
            words = "There is no page at this address."
        response = complain(status, words) if is_of_api else self._pages.error(status, words)
        # For example Allow, which lists the methods that the path accepts.
        response.headers.update(headers or {})
        return response


class _StaticFilesWithHeaders:
    """Static files with the headers of every response."""

    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers_to_add = dict(SAFE) | {"Cache-Control": "no-cache"}
                extra = [
                    (name.lower().encode(), value.encode())
                    for name, value in headers_to_add.items()
                ]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self._files(scope, receive, send_safely)
