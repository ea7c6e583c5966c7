"""Finished matches and runs of the arena, as pages show them.

The database is read in threads. While it does not answer, everything here raises UnavailableError.
"""

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gamehall.arena.config import ArenaConfig
from gamehall.arena.runner import Run
from gamehall.arena.summary import Summary, summarise
from gamehall.core import Game, Position
from gamehall.export import record_page, sgf
from gamehall.export.described import described_picture
from gamehall.games.catalogue import all_games
from gamehall.games.go import Go
from gamehall.match import Record, RecordError
from gamehall.match.record import positions, read_game
from gamehall.storage import Archive, Database, StorageError
from gamehall.storage.arenas import ArenaStore
from gamehall.web.errors import NotFoundError, RefusedError, UnavailableError
from gamehall.web.lines import describe, with_names
from gamehall.web.model import ArenaLine, PlayedMove, RecordLine, RecordState

log = logging.getLogger(__name__)

MAX_RECORDS_LISTED = 200
MAX_RUNS_LISTED = 100
MEDIA = {
    "json": "application/json",
    "sgf": "application/x-go-sgf",
    "svg": "image/svg+xml",
    "html": "text/html",
    "gif": "image/gif",
}
MAX_FRAMES = 150
"""The limit for frames of a GIF; each takes a tenth of a second to draw."""
GIFS_AT_ONCE = 2
SECONDS_FOR_GIF = 60.0
NICENESS = 10
RECORDS_REPLAYED = 16
"""The number of records whose positions are cached, for users who step through them."""
SECONDS_TO_READ = 5.0
"""The timeout for a connection to the database, and for its answer."""
SECONDS_TO_ANSWER = 10.0
"""The timeout for a page, including the requests before it."""

DATABASE_THREADS = ThreadPoolExecutor(4, "database")
"""Separate threads, so that a slow database delays nothing else."""

T = TypeVar("T")
IsGone = Callable[[], Awaitable[bool]]
"""Returns True if the client has disconnected."""


class RecordQueries:
    """Looks up finished matches."""

    def __init__(self, archive: Archive | None) -> None:
        """Prepare queries; without an archive there are no records."""
        self._archive = archive
        self._replayed: dict[str, list[Position[Any]]] = {}
        self._drawing = asyncio.Semaphore(GIFS_AT_ONCE)

    async def latest(self, limit: int) -> list[RecordLine]:
        """Return the last records, the newest first."""
        archive = self._archive
        if archive is None:
            return []
        found = await read_database(lambda: archive.latest(limit))
        return [record_line(one.number, one.record) for one in found]

    async def find(self, match: str) -> Record:
        """Return the record of the match of this name or number.

        Raises NotFoundError. Raises RefusedError if the record cannot be read, as do all methods
        below.
        """
        archive, found = self._archive, None
        # `gamehall records` lists numbers; the name of a match begins with a letter.
        number = int(match) if match.isascii() and match.isdecimal() and len(match) <= 9 else None
        if archive is not None:
            found = await read_database(
                lambda: archive.find_match(match) if number is None else archive.find(number)
            )
        if found is None:
            raise NotFoundError("there is no match of that name")
        return found

    async def state(self, match: str) -> RecordState:
        """Return a finished match with its moves. Raises NotFoundError."""
        record = await self.find(match)
        game = game_of(record)
        history = tuple(
            PlayedMove(played.seat.value, played.move, _targets(game, played.move))
            for played in record.moves
        )
        return RecordState(
            line=record_line(0, record),
            terms=dict(record.terms),
            history=history,
            forms=forms(record),
        )

    async def picture(self, match: str, number: int) -> str:
        """Return a picture of the position after this number of moves. Raises NotFoundError."""
        replayed = self._replayed.pop(match, None)
        if replayed is None:
            record = await self.find(match)
            replayed = await asyncio.to_thread(_replay, record)
        self._replayed[match] = replayed
        while len(self._replayed) > RECORDS_REPLAYED:
            del self._replayed[next(iter(self._replayed))]
        if number >= len(replayed):
            raise NotFoundError("there is no such position")
        is_last = number == len(replayed) - 1
        return described_picture(replayed[number].seen_by(None), is_over=is_last)

    async def download(self, match: str, form: str, is_gone: IsGone) -> bytes:
        """Return a record as a file. Raises NotFoundError."""
        record = await self.find(match)
        if form not in forms(record):
            raise NotFoundError("this match cannot be downloaded in that form")
        if form == "gif":
            return await self._draw_gif(record, is_gone)
        writers: dict[str, Callable[[], bytes]] = {
            "json": lambda: record.to_json() + b"\n",
            "sgf": lambda: sgf.write(record),
            "svg": lambda: described_picture(
                _replay(record)[-1].seen_by(None), is_over=True
            ).encode(),
            "html": lambda: record_page.write(game_of(record), record),
        }
        return await asyncio.to_thread(_read, writers[form])

    async def _draw_gif(self, record: Record, is_gone: IsGone) -> bytes:
        """Draw a GIF. Only a few are drawn at a time, since each takes seconds."""
        async with self._drawing:
            if await is_gone():
                # The client left while waiting in the queue: go on with the next request.
                raise RefusedError("the client is gone")
            with tempfile.TemporaryDirectory(prefix="gamehall-") as folder:
                return await _draw_gif_in(Path(folder), record)


async def read_database(call: Callable[[], T]) -> T:
    """Call a function that reads the database, in another thread.

    Raises RefusedError if a record is unreadable, and UnavailableError.
    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(SECONDS_TO_ANSWER):
            return await loop.run_in_executor(DATABASE_THREADS, _read, call)
    except (StorageError, TimeoutError) as error:
        # The details name hosts and users: only the log of the operator has them.
        log.info("cannot read the database for a page: %s", str(error) or "no answer")
        raise UnavailableError(
            "The database does not answer at the moment. Try again later."
        ) from None


def forms(record: Record) -> tuple[str, ...]:
    """Return the formats in which a record can be downloaded."""
    missing = set()
    if record.game != Go.name:
        missing.add("sgf")
    if len(record.moves) > MAX_FRAMES or find_spec("resvg_py") is None:
        missing.add("gif")
    return tuple(form for form in MEDIA if form not in missing)


def record_line(number: int, record: Record) -> RecordLine:
    """Return a record as it is listed."""
    kind = all_games().get(record.game)
    winner = record.result.winner
    return RecordLine(
        number=number,
        match=record.match_name,
        game=record.game,
        title=record.game if kind is None else kind.title,
        players=with_names(record.players),
        winner=None if winner is None else winner.value,
        result=describe(record.result, kind, record.players),
        moves=len(record.moves),
        room=record.room,
        ended=record.ended,
    )


def game_of(record: Record) -> Game[Any]:
    """Return the game of a record, on its terms. Raises RefusedError."""
    kind = all_games().get(record.game)
    if kind is None:
        raise RefusedError(f"this server does not know the game {record.game}")
    return _read(lambda: read_game(kind, record))


def _replay(record: Record) -> list[Position[Any]]:
    game = game_of(record)
    return _read(lambda: list(positions(game, record)))


def _targets(game: Game[Any], move: str) -> tuple[str, ...]:
    try:
        return game.targets(game.read_move(move))
    except ValueError:
        # List the move without marks on the board.
        return ()


def _read(call: Callable[[], T]) -> T:
    """Call a function that reads a record. Raises RefusedError if the record is unreadable."""
    try:
        return call()
    except RecordError as error:
        raise RefusedError(str(error)) from None


async def _draw_gif_in(folder: Path, record: Record) -> bytes:
    """Draw a record in another process, with files in this folder. Raises RefusedError."""
    source, picture = folder / "record.json", folder / "record.gif"
    source.write_bytes(record.to_json())
    arguments = ["export", str(source), "--to", "gif", "--output", str(picture)]
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gamehall", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=lambda: os.nice(NICENESS),
    )
    try:
        async with asyncio.timeout(SECONDS_FOR_GIF):
            _, errors = await program.communicate()
    except TimeoutError:
        raise RefusedError("the picture takes too long to draw") from None
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
    if program.returncode:
        raise RefusedError(errors.decode(errors="replace").strip().removeprefix("gamehall: "))
    return picture.read_bytes()


class ArenaQueries:
    """Looks up runs of the arena."""

    def __init__(self, database: Database | None) -> None:
        """Prepare queries; without a database there are no runs."""
        self._database = database

    async def latest(self) -> list[ArenaLine]:
        """Return the runs, the newest first."""
        found = await self._read(lambda arenas: arenas.latest(MAX_RUNS_LISTED)) or []
        return [
            ArenaLine(
                name=kept.name,
                game=config.game,
                bots=tuple(config.names),
                began=kept.began,
                is_over=kept.is_over,
            )
            for kept in found
            if (config := _decode_config(kept.conditions)) is not None
        ]

    async def find(self, name: str) -> Summary:
        """Return the standings of a run. Raises NotFoundError; RefusedError if it is unreadable."""

        def read(arenas: ArenaStore) -> Summary | None:
            kept = arenas.find(name)
            if kept is None:
                return None
            config = _decode_config(kept.conditions)
            if config is None:
                raise RefusedError("this run was written by another version")
            return summarise(Run(config, arenas, kept))

        summary = await self._read(read)
        if summary is None:
            raise NotFoundError("there is no run of that name")
        return summary

    async def _read(self, read: Callable[[ArenaStore], T]) -> T | None:
        database = self._database
        if database is None:
            return None

        def call() -> T:
            with closing(ArenaStore(database, SECONDS_TO_READ)) as arenas:
                return read(arenas)

        return await read_database(call)


def _decode_config(content: bytes) -> ArenaConfig | None:
    try:
        return msgspec.json.decode(content, type=ArenaConfig)
    except msgspec.MsgspecError:
        # Written by another version.
        return None
