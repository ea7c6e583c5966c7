"""The part of the API that shows what is kept."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from gamehall.arena.summary import Summary
from gamehall.bots.catalogue import all_bots
from gamehall.export.described import described_picture
from gamehall.games.catalogue import all_games
from gamehall.web.endpoints import (
    SVG,
    Endpoint,
    NotFoundError,
    RefusedError,
    answer,
    number_from,
    picture,
)
from gamehall.web.model import ArenaLine, BotLine, RecordLine, RecordState
from gamehall.web.record_queries import (
    MEDIA,
    MOST_LISTED,
    ArenaShelf,
    RecordQueries,
    RecordUnreadableError,
    read_database,
)
from gamehall.web.security import SAFE

NOT_SHOWN = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE)
"""A match or run that is not there, cannot be shown, or is in a database that does not answer."""


class RecordApi:
    """What is kept: finished matches, runs of the arena, bots."""

    def __init__(self, shelf: RecordQueries, arenas: ArenaShelf) -> None:
        self._shelf = shelf
        self._arenas = arenas

    def endpoints(self) -> list[Endpoint]:
        """All there is."""
        return [
            Endpoint(
                method="GET",
                path="/api/records",
                summary="Finished matches, the newest first",
                handle=self.records,
                answer=list[RecordLine],
                errors=(HTTPStatus.SERVICE_UNAVAILABLE,),
                query={"limit": f"How many, up to {MOST_LISTED}"},
            ),
            Endpoint(
                method="GET",
                path="/api/records/{match}",
                summary="A finished match",
                handle=self.record,
                answer=RecordState,
                errors=NOT_SHOWN,
            ),
            Endpoint(
                method="GET",
                path="/api/records/{match}/positions/{number:count}",
                summary="The picture after so many moves",
                handle=self.record_position,
                answer=None,
                media=SVG,
                errors=NOT_SHOWN,
            ),
            Endpoint(
                method="GET",
                path="/api/records/{match}/download/{form}",
                summary="A finished match as a file",
                handle=self.download,
                answer=None,
                media="application/octet-stream",
                errors=NOT_SHOWN,
            ),
            Endpoint(
                method="GET",
                path="/api/games/{game}/picture",
                summary="The picture of a game at its start",
                handle=self.game_picture,
                answer=None,
                media=SVG,
                errors=(HTTPStatus.NOT_FOUND,),
            ),
            Endpoint(
                method="GET",
                path="/api/bots",
                summary="The bots of the hall",
                handle=self.bots,
                answer=list[BotLine],
            ),
            Endpoint(
                method="GET",
                path="/api/arenas",
                summary="Runs of the arena",
                handle=self.runs,
                answer=list[ArenaLine],
                errors=(HTTPStatus.SERVICE_UNAVAILABLE,),
            ),
            Endpoint(
                method="GET",
                path="/api/arenas/{run}",
                summary="The standings of a run",
                handle=self.run,
                answer=Summary,
                errors=NOT_SHOWN,
            ),
        ]

    async def records(self, request: Request, _body: None) -> Response:
        most = number_from(request, "limit", 50, 1, MOST_LISTED)
        return answer(await self.latest_records(most))

    async def record(self, request: Request, _body: None) -> Response:
        return answer(await self.find_record(request.path_params["match"]))

    async def record_position(self, request: Request, _body: None) -> Response:
        match, number = request.path_params["match"], request.path_params["number"]
        return picture(await self.record_picture(match, number))

    async def download(self, request: Request, _body: None) -> Response:
        match, form = request.path_params["match"], request.path_params["form"]
        try:
            content = await self._shelf.download(match, form, request.is_disconnected)
        except KeyError:
            raise NotFoundError("there is no such match, or not in that form") from None
        except RecordUnreadableError as error:
            raise RefusedError(str(error)) from None
        headers = dict(SAFE) | {"Content-Disposition": f'attachment; filename="{match}.{form}"'}
        return Response(content, media_type=MEDIA[form], headers=headers)

    async def game_picture(self, request: Request, _body: None) -> Response:
        game = all_games().get(request.path_params["game"])
        if game is None:
            raise NotFoundError("there is no such game")
        return picture(described_picture(game().start(0).seen_by(None)))

    async def bots(self, _request: Request, _body: None) -> Response:
        return answer(bot_lines())

    async def runs(self, _request: Request, _body: None) -> Response:
        return answer(await self.all_runs())

    async def run(self, request: Request, _body: None) -> Response:
        return answer(await self.find_run(request.path_params["run"]))

    async def all_runs(self) -> list[ArenaLine]:
        """Runs of the arena, the newest first."""
        return await read_database(self._arenas.latest)

    async def latest_records(self, most: int) -> list[RecordLine]:
        """Raises RefusedError."""
        try:
            return await self._shelf.latest(most)
        except RecordUnreadableError as error:
            raise RefusedError(str(error)) from None

    async def find_record(self, match: str) -> RecordState:
        """Raises NotFoundError and RefusedError."""
        try:
            return await self._shelf.state(match)
        except KeyError:
            raise NotFoundError("there is no match of that name") from None
        except RecordUnreadableError as error:
            raise RefusedError(str(error)) from None

    async def record_picture(self, match: str, number: int) -> str:
        """Raises NotFoundError and RefusedError."""
        try:
            return await self._shelf.picture(match, number)
        except (KeyError, IndexError):
            raise NotFoundError("there is no such position") from None
        except RecordUnreadableError as error:
            raise RefusedError(str(error)) from None

    async def find_run(self, name: str) -> Summary:
        """Raises NotFoundError and RefusedError."""
        try:
            return await read_database(lambda: self._arenas.find(name))
        except KeyError:
            raise NotFoundError("there is no run of that name") from None
        except ValueError as error:
            raise RefusedError(str(error)) from None


def bot_lines() -> list[BotLine]:
    """The bots that come with the hall."""
    return [
        BotLine(
            name=kind.name,
            game=kind.game,
            summary=kind.summary,
            seconds_per_move=kind.seconds_per_move,
        )
        for kind in all_bots()
    ]
