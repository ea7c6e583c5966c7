"""The endpoints for rooms and tables."""

import asyncio
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from gamehall.clients.local import LocalClient
from gamehall.rooms.names import are_same
from gamehall.rooms.notices import ChatRejected, Notice
from gamehall.rooms.requests import SpectatorChat
from gamehall.server.hall import Hall
from gamehall.server.house_bots import BotLimitError, PlayBot
from gamehall.web.endpoints import (
    NEWS,
    SVG,
    Endpoint,
    answer,
    composed,
    get,
    no_content,
    number_from,
    on_one_line,
    picture,
    post,
    short,
    stream,
)
from gamehall.web.errors import NotFoundError, RefusedError
from gamehall.web.lines import SEATS_WITHOUT_NAMES
from gamehall.web.model import RoomLine, TableState
from gamehall.web.watched_room import ALL_TABLES, MAX_TABLES, Window
from gamehall.web.watching import Watching

OF_EACH_ROOM = {"tables": "The limit for tables of each room; default: all."}
OF_A_ROOM = {
    "tables": "The limit for tables; default: all.",
    "skip": "The number of tables to leave out at the start.",
}
BUSY = (HTTPStatus.SERVICE_UNAVAILABLE,)
SECONDS_TO_SAY = 1.5
"""The timeout for passing on chat; less than the time in which the web door closes."""


class CallBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bot to call."""

    bot: str


class SayAtTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chat message of a spectator."""

    name: str
    text: str


class RoomApi:
    """Endpoints for rooms and tables."""

    def __init__(self, hall: Hall, watching: Watching, play_bot: PlayBot) -> None:
        self._hall = hall
        self._watching = watching
        self._play_bot = play_bot

    def endpoints(self) -> list[Endpoint]:
        room, table = "/api/rooms/{room}", "/api/rooms/{room}/tables/{table}"
        return [
            get("/api/rooms", self.rooms, "All rooms", answer=list[RoomLine], query=OF_EACH_ROOM),
            get(
                "/api/stream",
                self.lobby_stream,
                "News of all rooms",
                media=NEWS,
                errors=BUSY,
                query=OF_EACH_ROOM,
            ),
            get(room, self.room, "A room", answer=RoomLine, query=OF_A_ROOM),
            get(
                f"{room}/stream",
                self.room_stream,
                "News of a room and its tables",
                media=NEWS,
                errors=BUSY,
                query=OF_A_ROOM,
            ),
            post(
                f"{room}/bots",
                self.call_bot,
                "Let a bot join and play",
                body=CallBot,
                status=HTTPStatus.NO_CONTENT,
            ),
            get(table, self.table, "A table", answer=TableState),
            get(
                f"{table}/positions/{{number:count}}",
                self.table_position,
                "The picture after this number of moves",
                media=SVG,
            ),
            post(
                f"{table}/say",
                self.say,
                "Send a chat message to a table",
                body=SayAtTable,
                status=HTTPStatus.NO_CONTENT,
            ),
            get(f"{table}/stream", self.table_stream, "News of a table", media=NEWS),
        ]

    async def rooms(self, request: Request) -> Response:
        return answer(await self._watching.rooms(window_from(request)))

    async def lobby_stream(self, request: Request) -> Response:
        return stream(self._watching.of_lobby(window_from(request)))

    async def room(self, request: Request) -> Response:
        name = request.path_params["room"]
        return answer(await self._watching.room(name, window_from(request)))

    async def room_stream(self, request: Request) -> Response:
        return stream(self._watching.of_room(request.path_params["room"], window_from(request)))

    async def call_bot(self, request: Request, body: CallBot) -> Response:
        room = self._watching.known_room(request.path_params["room"])
        check_bot(room, body.bot)
        try:
            self._play_bot(room.name, None, body.bot)
        except BotLimitError as error:
            raise RefusedError(str(error)) from None
        return no_content()

    async def table(self, request: Request) -> Response:
        return answer(await self.find_table(request))

    async def table_position(self, request: Request) -> Response:
        room, table, number = (request.path_params[name] for name in ("room", "table", "number"))
        return picture(await self._watching.position(room, table, number))

    async def say(self, request: Request, body: SayAtTable) -> Response:
        found = await self.find_table(request)
        if not found.may_say:
            raise RefusedError("there is no chat at this table")
        name, text = composed(body.name), on_one_line(short(body.text))
        if any(are_same(name, one) for one in SEATS_WITHOUT_NAMES):
            raise RefusedError("players without a name are called that: choose another name")
        await self._send_chat(found.room, SpectatorChat(found.table.name, name, text))
        return no_content()

    async def table_stream(self, request: Request) -> Response:
        found = await self.find_table(request)
        return stream(self._watching.of_table(found.room, found.table.name))

    async def find_table(self, request: Request) -> TableState:
        """Return the table of a request as it is now. Raises NotFoundError."""
        return await self._watching.table(request.path_params["room"], request.path_params["table"])

    async def _send_chat(self, room: str, remark: SpectatorChat) -> None:
        """Send the chat message of a spectator to a table. Raises RefusedError."""
        answered: asyncio.Future[Notice[Any]] = asyncio.get_running_loop().create_future()

        def handle_notice(notice: Notice[Any]) -> None:
            if not answered.done():
                answered.set_result(notice)

        client = LocalClient(self._hall.host, room, handle_notice)
        try:
            client.submit(remark)
            async with asyncio.timeout(SECONDS_TO_SAY):
                notice = await answered
        except TimeoutError:
            raise RefusedError("the server does not answer just now: try again") from None
        finally:
            client.leave()
        if isinstance(notice, ChatRejected):
            raise RefusedError(notice.reason)


def window_from(request: Request) -> Window:
    """Return the window in the query, by default all tables. Raises HTTPException."""
    return Window(
        number_from(request, "skip", ALL_TABLES.skipped, 0, MAX_TABLES),
        number_from(request, "tables", ALL_TABLES.limit, 0, MAX_TABLES),
    )


def check_bot(room: RoomLine, bot: str) -> None:
    """Raise NotFoundError unless this bot can be called to a room."""
    if bot not in room.bots:
        raise NotFoundError(f"there is no bot of that name for {room.title}")
