"""The endpoints for playing in a browser."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from gamehall.core import Seat
from gamehall.rooms.requests import ProposedTerms
from gamehall.web.api_rooms import CallBot, check_bot
from gamehall.web.endpoints import (
    NEWS,
    Endpoint,
    answer,
    composed,
    get,
    no_content,
    on_one_line,
    post,
    short,
    stream,
)
from gamehall.web.errors import RefusedError
from gamehall.web.model import SeatLine, SeatState
from gamehall.web.seat import Wants, WebSeat
from gamehall.web.seats import Seats
from gamehall.web.security import browser_of, new_browser, remember
from gamehall.web.streams import News, write_news
from gamehall.web.watching import Watching

LONGEST_NAME = 64


Number = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
"""The number of a table or of a place in a room."""


class SitDown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request for a seat in a room, under this name."""

    room: str
    name: str
    table: Number | None = None
    """The table, to return to a game; None: where an opponent waits, or a free one"""
    bot: str = ""
    """The bot to play against; empty: a player"""
    terms: dict[str, str | int | float | bool] | None = None
    """The terms, where players agree on them; None: to be asked"""
    seat: Literal[1, 2] | None = None
    """The seat to play with these terms"""
    place: Number | None = None
    """The `place` in the state of a seat, to return to it"""


class ProposeTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A counter-proposal."""

    terms: dict[str, str | int | float | bool]
    seat: Literal[1, 2] | None = None


class MakeMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move, in the notation of the game."""

    move: str


class SayText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chat message, or an answer."""

    text: str


Act = Callable[[WebSeat, Any], None]
"""Carries out a request, given its body. May raise RequestError."""


class SeatApi:
    """Endpoints for seats, each for the browser that took it."""

    def __init__(self, seats: Seats, watching: Watching) -> None:
        self._seats = seats
        self._watching = watching

    def endpoints(self) -> list[Endpoint]:
        seats, seat, foreign = "/api/seats", "/api/seats/{seat}", (HTTPStatus.FORBIDDEN,)
        return [
            post(
                seats,
                self.sit,
                "Take a seat in a room; the cookie in the response identifies you",
                answer=SeatState,
                body=SitDown,
                status=HTTPStatus.CREATED,
                errors=(HTTPStatus.NOT_FOUND,),
            ),
            get(seats, self.own_seats, "Your seats", answer=list[SeatLine]),
            get(seat, self.seat, "Your seat", answer=SeatState, errors=foreign),
            get(f"{seat}/stream", self.news, "News of your seat", media=NEWS, errors=foreign),
            self._act("move", "Make a move", MakeMove, move),
            self._act("answer", "Answer a question before a match", SayText, reply),
            self._act("propose", "Propose other terms than those proposed", ProposeTerms, propose),
            self._act("say", "Say something at the table", SayText, say),
            self._act("rematch", "Ask for another match", None, lambda seat, _: seat.rematch()),
            self._act("resign", "Resign the match", None, lambda seat, _: seat.resign()),
            self._act("bot", "Let a bot join your table", CallBot, self._call_bot),
            Endpoint("DELETE", seat, self.leave, "Leave", status=HTTPStatus.NO_CONTENT),
        ]

    async def sit(self, request: Request, body: SitDown) -> Response:
        room = self._watching.known_room(body.room)
        name = composed(body.name)
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise RefusedError(f"a name has at most {LONGEST_NAME} printable characters")
        if body.bot:
            check_bot(room, body.bot)
        terms = None if body.terms is None else _proposed(body.terms, body.seat)
        wants = Wants(name=name, table=body.table, bot=body.bot, terms=terms, place=body.place)
        browser = browser_of(request)
        known = browser or new_browser()
        response = answer(self._seats.sit(known, room.name, wants).state(), HTTPStatus.CREATED)
        if browser is None:
            remember(response, known, request.url.scheme == "https")
        return response

    async def own_seats(self, request: Request) -> Response:
        return answer(self._seats.list_of(browser_of(request)))

    async def seat(self, request: Request) -> Response:
        return answer(self.find_seat(request).state())

    async def news(self, request: Request) -> Response:
        seat = self.find_seat(request)
        return stream(News(seat.topic, [lambda: write_news("seat", seat.state())]))

    async def leave(self, request: Request) -> Response:
        self.find_seat(request).leave()
        return no_content()

    def find_seat(self, request: Request) -> WebSeat:
        """Return the seat of a request. Raises NotFoundError and ForbiddenError."""
        return self._seats.find(request.path_params["seat"], browser_of(request))

    def _call_bot(self, seat: WebSeat, body: CallBot) -> None:
        check_bot(self._watching.known_room(seat.room), body.bot)
        seat.call_bot(body.bot)

    def _act(
        self, name: str, summary: str, body: type[msgspec.Struct] | None, act: Act
    ) -> Endpoint:
        """Return the endpoint for an action at a seat, which responds with the state."""

        async def handle(request: Request, asked: msgspec.Struct | None = None) -> Response:
            seat = self.find_seat(request)
            act(seat, asked)
            return answer(seat.state())

        path = f"/api/seats/{{seat}}/{name}"
        return post(path, handle, summary, answer=SeatState, body=body)


def move(seat: WebSeat, body: MakeMove) -> None:
    seat.move(short(body.move))


def reply(seat: WebSeat, body: SayText) -> None:
    seat.answer(composed(short(body.text)))


def propose(seat: WebSeat, body: ProposeTerms) -> None:
    seat.propose(_proposed(body.terms, body.seat))


def say(seat: WebSeat, body: SayText) -> None:
    seat.say(on_one_line(short(body.text)))


def _proposed(
    terms: dict[str, str | int | float | bool], seat: Literal[1, 2] | None
) -> ProposedTerms:
    return ProposedTerms(terms, None if seat is None else Seat(seat))
