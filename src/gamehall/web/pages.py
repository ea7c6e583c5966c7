"""The pages: what people see."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gamehall import __version__
from gamehall.arena.page import write_results
from gamehall.web.api_records import RecordApi, bot_lines
from gamehall.web.api_rooms import RoomApi
from gamehall.web.api_seats import SeatApi
from gamehall.web.endpoints import NotFoundError, RefusedError, UnavailableError, number_from
from gamehall.web.record_queries import MOST_LISTED
from gamehall.web.security import SAFE, ForbiddenError
from gamehall.web.watched_room import MOST_TABLES, NO_TABLES, TABLES_ON_PAGE, Window

Show = Callable[[Request], Awaitable[Response]]


class Pages:
    """Writes pages, from templates and what the API would say."""

    def __init__(self, rooms: RoomApi, seats: SeatApi, records: RecordApi) -> None:
        self._rooms = rooms
        self._seats = seats
        self._records = records
        self._templates = Environment(
            loader=ChoiceLoader([PackageLoader("gamehall.web"), PackageLoader("gamehall.export")]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def routes(self) -> list[Route]:
        """Where each page is."""
        return [
            Route("/", self._guarded(self.lobby)),
            Route("/rooms/{room}", self._guarded(self.room)),
            Route("/rooms/{room}/tables/{table}", self._guarded(self.table)),
            Route("/play/{seat}", self._guarded(self.play)),
            Route("/records", self._guarded(self.records)),
            Route("/records/{match}", self._guarded(self.record)),
            Route("/records/{match}/{number:count}", self._guarded(self.record)),
            Route("/bots", self._guarded(self.bots)),
            Route("/arena", self._guarded(self.arenas)),
            Route("/arena/{run}", self._guarded(self.arena)),
        ]

    def error(self, status: int, message: str) -> Response:
        """A page that says what is wrong."""
        return self._page("error.html", status, status=status, message=message)

    async def lobby(self, request: Request) -> Response:
        own = self._seats.list_seats(request)
        return self._page("lobby.html", rooms=await self._rooms.all_rooms(NO_TABLES), own=own)

    async def room(self, request: Request) -> Response:
        # The page has links to the tables that it does not show.
        skipped = number_from(request, "skip", 0, 0, MOST_TABLES)
        window = Window(skipped, TABLES_ON_PAGE)
        room = await self._rooms.find_room(request.path_params["room"], window)
        own = [seat for seat in self._seats.list_seats(request) if seat.room == room.name]
        return self._page("room.html", room=room, own=own, window=window)

    async def table(self, request: Request) -> Response:
        return self._page("table.html", table=await self._rooms.find_table(request))

    async def play(self, request: Request) -> Response:
        try:
            seat = self._seats.find_seat(request).state()
        except NotFoundError:
            # The hall may have been restarted: the page knows how to come back.
            lost = request.path_params["seat"]
            return self._page("lost_seat.html", HTTPStatus.NOT_FOUND, seat=lost)
        return self._page("play.html", seat=seat, room=self._rooms.known_room(seat.room))

    async def records(self, _request: Request) -> Response:
        return self._page("records.html", records=await self._records.latest_records(MOST_LISTED))

    async def record(self, request: Request) -> Response:
        match = request.path_params["match"]
        record = await self._records.find_record(match)
        number = request.path_params.get("number", len(record.history))
        # The picture is ours, and holds nothing that its game has not escaped.
        drawn = Markup(await self._records.record_picture(match, number))
        return self._page("record.html", record=record, move=number, picture=drawn)

    async def bots(self, _request: Request) -> Response:
        return self._page("bots.html", bots=bot_lines())

    async def arenas(self, _request: Request) -> Response:
        return self._page("arenas.html", arenas=await self._records.all_runs())

    async def arena(self, request: Request) -> Response:
        summary = await self._records.find_run(request.path_params["run"])
        results = write_results(summary, replay_at="/records/")
        return self._page("arena.html", name=summary.name, game=summary.game, results=results)

    def _page(self, template: str, status_code: int = 200, **context: Any) -> Response:
        content = self._templates.get_template(template).render(version=__version__, **context)
        return HTMLResponse(content, status_code, headers=dict(SAFE))

    def _guarded(self, show: Show) -> Show:
        """The page, or another that says why there is none."""

        async def serve(request: Request) -> Response:
            try:
                return await show(request)
            except NotFoundError as error:
                return self.error(HTTPStatus.NOT_FOUND, str(error))
            except ForbiddenError as error:
                return self.error(HTTPStatus.FORBIDDEN, str(error))
            except RefusedError as error:
                return self.error(HTTPStatus.CONFLICT, str(error))
            except UnavailableError as error:
                return self.error(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
            except HTTPException as error:
                return self.error(error.status_code, error.detail)

        return serve
