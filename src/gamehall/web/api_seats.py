"""The part of the API by which browsers play."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from gamehall.core import Seat
from gamehall.rooms.requests import ProposedTerms
from gamehall.web.api_rooms import RoomApi
from gamehall.web.endpoints import (
    NEWS,
    Endpoint,
    NotFoundError,
    RefusedError,
    answer,
    composed,
    on_one_line,
    short,
    stream,
)
from gamehall.web.model import SeatLine, SeatState
from gamehall.web.seat import NotNowError, Wants, WebSeat
from gamehall.web.seats import Seats
from gamehall.web.security import SAFE, browser_of, new_browser, remember
from gamehall.web.streams import News, write_news

LONGEST_NAME = 64


class SitDown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A visitor wants to play in a room, under this name."""

    room: str
    name: str
    table: int | None = None
    """At which table, as to come back to a game; None: where an opponent waits, or at a free one"""
    bot: str = ""
    """Against which bot; empty: against whoever comes"""
    terms: dict[str, str | int | float | bool] | None = None
    """What to play, where players agree on the terms; None: to be asked"""
    seat: Literal[1, 2] | None = None
    """Which seat is wanted with these terms"""
    place: int | None = None
    """To come back to a seat: the `place` that its state has told"""


class ProposeTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to play instead of what was proposed."""

    terms: dict[str, str | int | float | bool]
    seat: Literal[1, 2] | None = None


class MakeMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move, in the notation of the game."""

    move: str


class CallBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which bot is to come to the table."""

    bot: str


class SayText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something to say, or an answer."""

    text: str


class SeatApi:
    """Seats, each for the browser that took it."""

    def __init__(self, seats: Seats, rooms: RoomApi) -> None:
        self._seats = seats
        self._rooms = rooms

    def endpoints(self) -> list[Endpoint]:
        """All there is."""
        of_seat = (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN, HTTPStatus.CONFLICT)
        return [
            Endpoint(
                method="POST",
                path="/api/seats",
                summary="Take a place in a room; the cookie that comes back is who you are",
                handle=self.sit,
                answer=SeatState,
                body=SitDown,
                status=HTTPStatus.CREATED,
                errors=(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
            ),
            Endpoint(
                method="GET",
                path="/api/seats",
                summary="Your places",
                handle=self.own_seats,
                answer=list[SeatLine],
            ),
            Endpoint(
                method="GET",
                path="/api/seats/{seat}",
                summary="Your place",
                handle=self.seat,
                answer=SeatState,
                errors=of_seat[:2],
            ),
            Endpoint(
                method="GET",
                path="/api/seats/{seat}/stream",
                summary="News of your place",
                handle=self.seat_stream,
                answer=None,
                media=NEWS,
                errors=of_seat[:2],
            ),
            Endpoint(
                method="POST",
                path="/api/seats/{seat}/move",
                summary="Make a move",
                handle=self.move,
                answer=SeatState,
                body=MakeMove,
                errors=of_seat,
            ),
            Endpoint(
                method="POST",
                path="/api/seats/{seat}/answer",
                summary="Answer what you are asked before a match",
                handle=self.say_answer,
                answer=SeatState,
                body=SayText,
                errors=of_seat,
            ),
            Endpoint(
                method="POST",
                path="/api/seats/{seat}/propose",
                summary="Propose other terms than those that were proposed",
                handle=self.propose,
                answer=SeatState,
                body=ProposeTerms,
                errors=of_seat,
            ),
            Endpoint(
                method="POST",
                path="/api/seats/{seat}/say",
                summary="Say something at the table",
                handle=self.say,
                answer=SeatState,
                body=SayText,
                errors=of_seat,
            ),
            Endpoint(
                method="POST",
                path="/api/seats/{seat}/rematch",
                summary="Ask for a fresh board",
                handle=self.rematch,
                answer=SeatState,
                errors=of_seat,
            ),
            Endpoint(
                method="POST",
                path="/api/seats/{seat}/resign",
                summary="Give up the match",
                handle=self.resign,
                answer=SeatState,
                errors=of_seat,
            ),
            Endpoint(
                method="POST",
                path="/api/seats/{seat}/bot",
                summary="Have a bot come to your table",
                handle=self.call_bot,
                answer=SeatState,
                body=CallBot,
                errors=of_seat,
            ),
            Endpoint(
                method="DELETE",
                path="/api/seats/{seat}",
                summary="Leave",
                handle=self.leave,
                answer=None,
                status=HTTPStatus.NO_CONTENT,
                errors=of_seat[:2],
            ),
        ]

    async def sit(self, request: Request, body: SitDown) -> Response:
        room = self._rooms.known_room(body.room)
        name = composed(body.name)
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise RefusedError(f"a name is up to {LONGEST_NAME} letters that can be printed")
        if body.bot and body.bot not in room.bots:
            raise NotFoundError(f"there is no bot of that name for {room.game}")
        terms = None if body.terms is None else _proposed(body.terms, body.seat)
        wants = Wants(name=name, table=body.table, bot=body.bot, terms=terms, place=body.place)
        browser = browser_of(request)
        known = browser or new_browser()
        try:
            seat = self._seats.sit(known, room.name, wants)
        except NotNowError as error:
            raise RefusedError(str(error)) from None
        response = answer(seat.state(), HTTPStatus.CREATED)
        if browser is None:
            remember(response, known, request.url.scheme == "https")
        return response

    async def own_seats(self, request: Request, _body: None) -> Response:
        return answer(self.list_seats(request))

    async def seat(self, request: Request, _body: None) -> Response:
        return answer(self.find_seat(request).state())

    async def seat_stream(self, request: Request, _body: None) -> Response:
        seat = self.find_seat(request)
        return stream(News(seat.topic, [lambda: write_news("seat", seat.state())]))

    async def move(self, request: Request, body: MakeMove) -> Response:
        return await self._do(request, lambda seat: seat.move(short(body.move)))

    async def say_answer(self, request: Request, body: SayText) -> Response:
        return await self._do(request, lambda seat: seat.answer(composed(short(body.text))))

    async def propose(self, request: Request, body: ProposeTerms) -> Response:
        terms = _proposed(body.terms, body.seat)
        return await self._do(request, lambda seat: seat.propose(terms))

    async def say(self, request: Request, body: SayText) -> Response:
        return await self._do(request, lambda seat: seat.say(on_one_line(short(body.text))))

    async def rematch(self, request: Request, _body: None) -> Response:
        return await self._do(request, WebSeat.rematch)

    async def resign(self, request: Request, _body: None) -> Response:
        return await self._do(request, WebSeat.resign)

    async def call_bot(self, request: Request, body: CallBot) -> Response:
        room = self._rooms.known_room(self.find_seat(request).room)
        if body.bot not in room.bots:
            raise NotFoundError(f"there is no bot of that name for {room.game}")
        return await self._do(request, lambda seat: seat.call_bot(body.bot))

    async def leave(self, request: Request, _body: None) -> Response:
        self.find_seat(request).leave()
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=dict(SAFE))

    def list_seats(self, request: Request) -> list[SeatLine]:
        """Where the browser plays that asks."""
        browser = browser_of(request)
        return [] if browser is None else self._seats.list_of(browser)

    def find_seat(self, request: Request) -> WebSeat:
        """Raises NotFoundError and ForbiddenError."""
        try:
            return self._seats.find(request.path_params["seat"], browser_of(request))
        except KeyError:
            raise NotFoundError("there is no such place, or it is long gone") from None

    async def _do(self, request: Request, act: Callable[[WebSeat], None]) -> Response:
        """Raises NotFoundError, ForbiddenError and RefusedError."""
        seat = self.find_seat(request)
        try:
            act(seat)
        except NotNowError as error:
            raise RefusedError(str(error)) from None
        return answer(seat.state())


def _proposed(
    terms: dict[str, str | int | float | bool], seat: Literal[1, 2] | None
) -> ProposedTerms:
    return ProposedTerms(terms, None if seat is None else Seat(seat))
