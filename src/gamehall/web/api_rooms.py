"""The part of the API that shows rooms and tables."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from gamehall.rooms.names import are_same
from gamehall.rooms.requests import SpectatorChat
from gamehall.server.house_bots import BotLimitError, PlayBot
from gamehall.web.endpoints import (
    NEWS,
    SVG,
    Endpoint,
    NotFoundError,
    RefusedError,
    answer,
    composed,
    number_from,
    on_one_line,
    picture,
    short,
    stream,
)
from gamehall.web.lines import SEATS_WITHOUT_NAMES
from gamehall.web.model import RoomLine, TableState
from gamehall.web.security import SAFE
from gamehall.web.watched_room import ALL_TABLES, MOST_TABLES, NO_TABLES, Window
from gamehall.web.watching import Watching

OF_EACH_ROOM = {"tables": "How many tables of each room at most; all of them if it is not said."}
OF_A_ROOM = {
    "tables": "How many tables at most; all of them if it is not said.",
    "skip": "How many tables to leave out before those.",
}

PassOn = Callable[[str, SpectatorChat], Awaitable[None]]
"""Has everybody at a table of a room hear something. Raises RefusedError."""


class CallForBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which bot is to come."""

    bot: str


class SayAtTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody who looks on says, and under what name."""

    name: str
    text: str


class RoomApi:
    """Rooms and tables, as they are and as they change."""

    def __init__(self, watching: Watching, play_bot: PlayBot, pass_on: PassOn) -> None:
        self._watching = watching
        self._pass_on = pass_on
        self._play_bot = play_bot

    def endpoints(self) -> list[Endpoint]:
        """All there is."""
        missing = (HTTPStatus.NOT_FOUND,)
        return [
            Endpoint(
                method="GET",
                path="/api/rooms",
                summary="All rooms",
                handle=self.rooms,
                answer=list[RoomLine],
                query=OF_EACH_ROOM,
            ),
            Endpoint(
                method="GET",
                path="/api/stream",
                summary="News of all rooms",
                handle=self.lobby_stream,
                answer=None,
                media=NEWS,
                errors=(HTTPStatus.SERVICE_UNAVAILABLE,),
                query=OF_EACH_ROOM,
            ),
            Endpoint(
                method="GET",
                path="/api/rooms/{room}",
                summary="A room",
                handle=self.room,
                answer=RoomLine,
                errors=missing,
                query=OF_A_ROOM,
            ),
            Endpoint(
                method="GET",
                path="/api/rooms/{room}/stream",
                summary="News of a room and its tables",
                handle=self.room_stream,
                answer=None,
                media=NEWS,
                errors=(HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE),
                query=OF_A_ROOM,
            ),
            Endpoint(
                method="POST",
                path="/api/rooms/{room}/bots",
                summary="Have a bot come and play",
                handle=self.call,
                answer=None,
                body=CallForBot,
                status=HTTPStatus.NO_CONTENT,
                errors=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
            ),
            Endpoint(
                method="GET",
                path="/api/rooms/{room}/tables/{table}",
                summary="A table",
                handle=self.table,
                answer=TableState,
                errors=missing,
            ),
            Endpoint(
                method="GET",
                path="/api/rooms/{room}/tables/{table}/positions/{number:count}",
                summary="The picture after so many moves",
                handle=self.table_position,
                answer=None,
                media=SVG,
                errors=missing,
            ),
            Endpoint(
                method="POST",
                path="/api/rooms/{room}/tables/{table}/say",
                summary="Say something to everybody at a table",
                handle=self.say,
                answer=None,
                body=SayAtTable,
                status=HTTPStatus.NO_CONTENT,
                errors=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
            ),
            Endpoint(
                method="GET",
                path="/api/rooms/{room}/tables/{table}/stream",
                summary="News of a table",
                handle=self.table_stream,
                answer=None,
                media=NEWS,
                errors=missing,
            ),
        ]

    async def rooms(self, request: Request, _body: None) -> Response:
        return answer(await self.all_rooms(window_from(request)))

    async def lobby_stream(self, request: Request, _body: None) -> Response:
        window = window_from(request)
        return stream(self._watching.of_lobby(window))

    async def room(self, request: Request, _body: None) -> Response:
        name = request.path_params["room"]
        return answer(await self.find_room(name, window_from(request)))

    async def room_stream(self, request: Request, _body: None) -> Response:
        room, window = self.known_room(request.path_params["room"]).name, window_from(request)
        return stream(self._watching.of_room(room, window))

    async def call(self, request: Request, body: CallForBot) -> Response:
        room = self.known_room(request.path_params["room"])
        if body.bot not in room.bots:
            raise NotFoundError(f"there is no bot of that name for {room.game}")
        try:
            self._play_bot(room.name, None, body.bot)
        except BotLimitError as error:
            raise RefusedError(str(error)) from None
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=dict(SAFE))

    async def table(self, request: Request, _body: None) -> Response:
        return answer(await self.find_table(request))

    async def table_position(self, request: Request, _body: None) -> Response:
        room, table, number = (request.path_params[name] for name in ("room", "table", "number"))
        await self._look(room, table)
        try:
            return picture(await self._watching.position(room, table, number))
        except (KeyError, IndexError):
            raise NotFoundError("there is no such position") from None

    async def say(self, request: Request, body: SayAtTable) -> Response:
        found = await self.find_table(request)
        if not found.may_say:
            raise RefusedError("there is no talk at this table")
        name, text = composed(body.name), on_one_line(short(body.text))
        if any(are_same(name, one) for one in SEATS_WITHOUT_NAMES):
            raise RefusedError("players without a name are called that: choose another name")
        remark = SpectatorChat(found.table.name, name, text)
        await self._pass_on(found.room, remark)
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=dict(SAFE))

    async def table_stream(self, request: Request, _body: None) -> Response:
        found = await self.find_table(request)
        return stream(self._watching.of_table(found.room, found.table.name))

    async def all_rooms(self, window: Window) -> list[RoomLine]:
        """Return every room, as it is now."""
        return [await self.find_room(name, window) for name in self._watching.rooms]

    async def find_room(self, name: str, window: Window) -> RoomLine:
        """Return a room as it is now. Raises NotFoundError."""
        await self._look(name)
        return self._watching.room(name, window)

    def known_room(self, name: str) -> RoomLine:
        """Return a room as it was seen last, without its tables. Raises NotFoundError."""
        if name not in self._watching.rooms:
            raise NotFoundError(
                f"there is no such room; there are: {', '.join(self._watching.rooms)}"
            )
        return self._watching.room(name, NO_TABLES)

    async def find_table(self, request: Request) -> TableState:
        """Return a table as it is now. Raises NotFoundError."""
        room, table = request.path_params["room"], request.path_params["table"]
        await self._look(room, table)
        try:
            return self._watching.table(room, table)
        except KeyError:
            raise NotFoundError("there is no such table, or nobody is at it") from None

    async def _look(self, room: str, table: str | None = None) -> None:
        """See what has changed in a room, or only at one table. Raises NotFoundError."""
        await self._watching.look(self.known_room(room).name, table)


def window_from(request: Request) -> Window:
    """Return which tables are asked for, all unless it is said. Raises HTTPException."""
    return Window(
        number_from(request, "skip", ALL_TABLES.skipped, 0, MOST_TABLES),
        number_from(request, "tables", ALL_TABLES.most, 0, MOST_TABLES),
    )
