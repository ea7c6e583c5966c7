"""The endpoints for records, arena runs, bots and games."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from gamehall.arena.summary import Summary
from gamehall.bots.catalogue import all_bots
from gamehall.export.described import described_picture
from gamehall.games.catalogue import all_games
from gamehall.web.endpoints import SVG, Endpoint, answer, get, number_from, picture
from gamehall.web.errors import NotFoundError
from gamehall.web.model import ArenaLine, BotLine, RecordLine, RecordState
from gamehall.web.records import MAX_RECORDS_LISTED, MEDIA, ArenaQueries, RecordQueries
from gamehall.web.security import SAFE

UNREADABLE = (HTTPStatus.CONFLICT, HTTPStatus.SERVICE_UNAVAILABLE)
"""A match or run was written by another version, or the database does not answer."""


class RecordApi:
    """Endpoints for records, arena runs, bots and games."""

    def __init__(self, records: RecordQueries, arenas: ArenaQueries) -> None:
        self._records = records
        self._arenas = arenas

    def endpoints(self) -> list[Endpoint]:
        record = "/api/records/{match}"
        return [
            get(
                "/api/records",
                self.records,
                "Finished matches, the newest first",
                answer=list[RecordLine],
                errors=UNREADABLE,
                query={"limit": f"How many, up to {MAX_RECORDS_LISTED}"},
            ),
            get(record, self.record, "A finished match", answer=RecordState, errors=UNREADABLE),
            get(
                f"{record}/positions/{{number:count}}",
                self.position,
                "The picture after this number of moves",
                media=SVG,
                errors=UNREADABLE,
            ),
            get(
                f"{record}/download/{{form}}",
                self.download,
                "A finished match as a file",
                media="application/octet-stream",
                errors=UNREADABLE,
            ),
            get(
                "/api/games/{game}/picture",
                self.game_picture,
                "The picture of a game at its start",
                media=SVG,
            ),
            get("/api/bots", self.bots, "The bots of the server", answer=list[BotLine]),
            get(
                "/api/arenas",
                self.runs,
                "Runs of the arena",
                answer=list[ArenaLine],
                errors=UNREADABLE,
            ),
            get(
                "/api/arenas/{run}",
                self.run,
                "The standings of a run",
                answer=Summary,
                errors=UNREADABLE,
            ),
        ]

    async def records(self, request: Request) -> Response:
        limit = number_from(request, "limit", 50, 1, MAX_RECORDS_LISTED)
        return answer(await self._records.latest(limit))

    async def record(self, request: Request) -> Response:
        return answer(await self._records.state(request.path_params["match"]))

    async def position(self, request: Request) -> Response:
        match, number = request.path_params["match"], request.path_params["number"]
        return picture(await self._records.picture(match, number))

    async def download(self, request: Request) -> Response:
        match, form = request.path_params["match"], request.path_params["form"]
        content = await self._records.download(match, form, request.is_disconnected)
        headers = dict(SAFE) | {"Content-Disposition": f'attachment; filename="{match}.{form}"'}
        return Response(content, media_type=MEDIA[form], headers=headers)

    async def game_picture(self, request: Request) -> Response:
        game = all_games().get(request.path_params["game"])
        if game is None:
            raise NotFoundError("there is no such game")
        return picture(described_picture(game().start(0).seen_by(None)))

    async def bots(self, _request: Request) -> Response:
        return answer(bot_lines())

    async def runs(self, _request: Request) -> Response:
        return answer(await self._arenas.latest())

    async def run(self, request: Request) -> Response:
        return answer(await self._arenas.find(request.path_params["run"]))


def bot_lines() -> list[BotLine]:
    """Return the installed bots."""
    return [
        BotLine(
            name=kind.name,
            game=kind.game,
            summary=kind.summary,
            seconds_per_move=kind.seconds_per_move,
        )
        for kind in all_bots()
    ]
