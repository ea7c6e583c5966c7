"""The HTML pages."""

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gamehall import __version__
from gamehall.arena.page import write_results
from gamehall.games.catalogue import all_games
from gamehall.web.api_records import bot_lines
from gamehall.web.endpoints import number_from
from gamehall.web.errors import NotFoundError, RequestError, as_sentence
from gamehall.web.model import RoomLine, SeatLine, SeatStage
from gamehall.web.records import MAX_RECORDS_LISTED, ArenaQueries, RecordQueries
from gamehall.web.seats import Seats
from gamehall.web.security import SAFE, browser_of
from gamehall.web.watched_room import MAX_TABLES, NO_TABLES, TABLES_ON_PAGE, Window
from gamehall.web.watching import Watching

Show = Callable[[Request], Awaitable[Response]]


def without_own(room: RoomLine, own: Sequence[SeatLine]) -> RoomLine:
    """Return the room without the browser's own seats among those that wait for an opponent."""
    seats = [seat for seat in own if seat.room == room.name]
    tables = {seat.table for seat in seats}
    waiting = list(room.waiting)
    for seat in seats:
        if seat.stage == SeatStage.WAITING.value and seat.name in waiting:
            waiting.remove(seat.name)
    offers = tuple(offer for offer in room.offers if offer.table not in tables)
    return replace(room, waiting=tuple(waiting), offers=offers)


class Pages:
    """Renders the pages from templates and the values of the API."""

    def __init__(
        self, watching: Watching, seats: Seats, records: RecordQueries, arenas: ArenaQueries
    ) -> None:
        self._watching = watching
        self._seats = seats
        self._records = records
        self._arenas = arenas
        self._templates = Environment(
            loader=ChoiceLoader([PackageLoader("gamehall.web"), PackageLoader("gamehall.export")]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def routes(self) -> list[Route]:
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

    def error(self, status: int, words: str) -> Response:
        """Return an error page."""
        return self._page("error.html", status, status=status, message=words)

    async def lobby(self, request: Request) -> Response:
        own = self._seats.list_of(browser_of(request))
        rooms = [without_own(room, own) for room in await self._watching.rooms(NO_TABLES)]
        return self._page("lobby.html", rooms=rooms, own=own)

    async def room(self, request: Request) -> Response:
        # The page links to the tables before and after the window.
        skipped = number_from(request, "skip", 0, 0, MAX_TABLES)
        window = Window(skipped, TABLES_ON_PAGE)
        room = await self._watching.room(request.path_params["room"], window)
        own = [seat for seat in self._seats.list_of(browser_of(request)) if seat.room == room.name]
        room = without_own(room, own)
        return self._page("room.html", room=room, own=own, window=window)

    async def table(self, request: Request) -> Response:
        room, table = request.path_params["room"], request.path_params["table"]
        return self._page("table.html", table=await self._watching.table(room, table))

    async def play(self, request: Request) -> Response:
        name = request.path_params["seat"]
        try:
            seat = self._seats.find(name, browser_of(request)).state()
        except NotFoundError:
            # The server may have been restarted: the page can return to the game.
            return self._page("lost_seat.html", HTTPStatus.NOT_FOUND, seat=name)
        return self._page("play.html", seat=seat, room=self._watching.known_room(seat.room))

    async def records(self, _request: Request) -> Response:
        return self._page("records.html", records=await self._records.latest(MAX_RECORDS_LISTED))

    async def record(self, request: Request) -> Response:
        match = request.path_params["match"]
        record = await self._records.state(match)
        number = request.path_params.get("number", len(record.history))
        # Games escape all text in their pictures.
        drawn = Markup(await self._records.picture(match, number))
        return self._page("record.html", record=record, move=number, picture=drawn)

    async def bots(self, _request: Request) -> Response:
        titles = {name: game.title for name, game in all_games().items()}
        return self._page("bots.html", bots=bot_lines(), titles=titles)

    async def arenas(self, _request: Request) -> Response:
        return self._page("arenas.html", arenas=await self._arenas.latest())

    async def arena(self, request: Request) -> Response:
        summary = await self._arenas.find(request.path_params["run"])
        results = write_results(summary, replay_at="/records/")
        return self._page("arena.html", name=summary.name, game=summary.game, results=results)

    def _page(self, template: str, status_code: int = 200, **context: Any) -> Response:
        content = self._templates.get_template(template).render(version=__version__, **context)
        return HTMLResponse(content, status_code, headers=dict(SAFE))

    def _guarded(self, show: Show) -> Show:
        """Return a handler that shows an error page if the page raises an error."""

        async def serve(request: Request) -> Response:
            try:
                return await show(request)
            except RequestError as error:
                return self.error(error.status, as_sentence(str(error)))
            except HTTPException as error:
                return self.error(error.status_code, as_sentence(error.detail))

        return serve
