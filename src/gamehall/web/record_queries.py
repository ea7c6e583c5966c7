"""Finished matches, as pages want them."""

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gamehall.arena.config import ArenaConfig
from gamehall.arena.runner import Run
from gamehall.arena.summary import Summary, summarise
from gamehall.core import Game, GamehallError, Position
from gamehall.export import record_page, sgf
from gamehall.export.described import described_picture
from gamehall.games.catalogue import all_games
from gamehall.games.go import Go
from gamehall.match import Record, RecordError
from gamehall.match.record import positions, read_game
from gamehall.storage import Archive, ArchivedRecord, Database, StorageError
from gamehall.storage.arenas import ArenaStore
from gamehall.web.endpoints import UnavailableError
from gamehall.web.lines import describe, with_names
from gamehall.web.model import ArenaLine, PlayedMove, RecordLine, RecordState

log = logging.getLogger(__name__)

MOST_LISTED = 200
MOST_RUNS_LISTED = 100
MEDIA = {
    "json": "application/json",
    "sgf": "application/x-go-sgf",
    "svg": "image/svg+xml",
    "html": "text/html",
    "gif": "image/gif",
}
MOST_FRAMES = 150
"""Of a moving picture: each takes a tenth of a second to draw."""
GIFS_AT_ONCE = 2
SECONDS_FOR_GIF = 60.0
NICENESS = 10
RECORDS_REPLAYED = 16
"""How many are kept as positions, for those who step through them."""
SECONDS_TO_READ = 5.0
"""How long a page waits for a connection to the database, and for the answer."""
SECONDS_TO_ANSWER = 10.0
"""How long a page waits in all, with those that are in line before it."""

DATABASE_THREADS = ThreadPoolExecutor(4, "database")
"""Of their own, so that a database that does not answer keeps up nothing else."""

T = TypeVar("T")
IsGone = Callable[[], Awaitable[bool]]
"""Tells whether somebody who has asked for something does not wait for it any more."""


class RecordUnreadableError(GamehallError):
    """A record that is there, and cannot be shown. The text tells why."""


class RecordQueries:
    """Looks up records. What it asks of the database is asked in another thread.

    While the database does not answer, every method raises UnavailableError.
    """

    def __init__(self, archive: Archive | None) -> None:
        """`archive` is None where nothing is kept."""
        self._archive = archive
        self._replayed: dict[str, list[Position[Any]]] = {}
        self._drawing = asyncio.Semaphore(GIFS_AT_ONCE)

    async def latest(self, most: int) -> list[RecordLine]:
        """So many at most, the newest first."""
        archive = self._archive
        if archive is None:
            return []
        found = await read_database(lambda: archive.latest(most))
        return [record_line(one.number, one.record) for one in found]

    async def find(self, match: str) -> Record:
        """Return the record of the match of this name or number.

        Raises KeyError and RecordUnreadableError.
        """
        archive = self._archive
        if archive is None:
            raise KeyError(match)
        # `gamehall records` lists numbers; the name of a match begins with a letter.
        number = int(match) if match.isascii() and match.isdecimal() and len(match) <= 9 else None
        found = await read_database(
            lambda: archive.find_match(match) if number is None else archive.find(number)
        )
        if found is None:
            raise KeyError(match)
        return found

    async def state(self, match: str) -> RecordState:
        """All there is to say of a match. Raises KeyError and RecordUnreadableError."""
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
        """Return a picture of the position after this number of moves.

        Raises KeyError, IndexError and RecordUnreadableError.
        """
        passed = self._replayed.pop(match, None)
        if passed is None:
            record = await self.find(match)
            passed = await asyncio.to_thread(_replayed, record)
        self._replayed[match] = passed
        while len(self._replayed) > RECORDS_REPLAYED:
            del self._replayed[next(iter(self._replayed))]
        if not 0 <= number < len(passed):
            raise IndexError(number)
        return described_picture(passed[number].seen_by(None))

    async def download(self, match: str, form: str, is_gone: IsGone) -> bytes:
        """A record as a file. Raises KeyError and RecordUnreadableError."""
        record = await self.find(match)
        if form not in forms(record):
            raise KeyError(form)
        if form == "gif":
            return await self._draw_gif(record, is_gone)
        writers: dict[str, Callable[[], bytes]] = {
            "json": lambda: record.to_json() + b"\n",
            "sgf": lambda: sgf.write(record),
            "svg": lambda: described_picture(_replayed(record)[-1].seen_by(None)).encode(),
            "html": lambda: record_page.write(game_of(record), record),
        }
        written: bytes = await asyncio.to_thread(_or_unreadable, writers[form])
        return written

    async def _draw_gif(self, record: Record, is_gone: IsGone) -> bytes:
        """Few are drawn at once, since that takes long. Raises RecordUnreadableError."""
        async with self._drawing:
            if await is_gone():
                # It has stood in line for long, and others do.
                raise RecordUnreadableError("whoever wanted the picture is gone")
            with tempfile.TemporaryDirectory(prefix="gamehall-") as folder:
                return await _draw_gif_in(Path(folder), record)


async def read_database(call: Callable[[], T]) -> T:
    """Call something in another thread that reads the database.

    Raises RecordUnreadableError and UnavailableError.
    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(SECONDS_TO_ANSWER):
            return await loop.run_in_executor(DATABASE_THREADS, call)
    except RecordError as error:
        raise RecordUnreadableError(str(error)) from None
    except (StorageError, TimeoutError) as error:
        # What it says of hosts and users is for the operator.
        log.info("cannot read the database for a page: %s", str(error) or "no answer")
        raise UnavailableError(
            "The database does not answer at the moment. Try again later."
        ) from None


def forms(record: Record) -> tuple[str, ...]:
    """As what this record can be had."""
    missing = set()
    if record.game != Go.name:
        missing.add("sgf")
    if len(record.moves) > MOST_FRAMES or find_spec("resvg_py") is None:
        missing.add("gif")
    return tuple(form for form in MEDIA if form not in missing)


def record_line(number: int, record: Record) -> RecordLine:
    """A record in a list."""
    kind = all_games().get(record.game)
    winner = record.result.winner
    return RecordLine(
        number=number,
        match=record.match,
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
    """What was played. Raises RecordUnreadableError."""
    kind = all_games().get(record.game)
    if kind is None:
        raise RecordUnreadableError(f"there is no game {record.game!r} any more")
    try:
        return read_game(kind, record)
    except RecordError as error:
        raise RecordUnreadableError(str(error)) from None


def _replayed(record: Record) -> list[Position[Any]]:
    game = game_of(record)
    return list(_or_unreadable(lambda: list(positions(game, record))))


def _targets(game: Game[Any], move: str) -> tuple[str, ...]:
    try:
        return game.targets(game.read_move(move))
    except ValueError:
        # It cannot be shown where it was made, but that it was made can be said.
        return ()


def _or_unreadable(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except RecordError as error:
        raise RecordUnreadableError(str(error)) from None


async def _draw_gif_in(folder: Path, record: Record) -> bytes:
    """Has it drawn by a program of its own, in this folder. Raises RecordUnreadableError."""
    source, picture = folder / "record.json", folder / "record.gif"
    source.write_bytes(record.to_json())
    words = ["export", str(source), "--to", "gif", "--output", str(picture)]
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gamehall.cli", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=lambda: os.nice(NICENESS),
    )
    try:
        async with asyncio.timeout(SECONDS_FOR_GIF):
            _, errors = await program.communicate()
    except TimeoutError:
        raise RecordUnreadableError("the picture takes too long to draw") from None
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
    if program.returncode:
        raise RecordUnreadableError(
            errors.decode(errors="replace").strip().removeprefix("gamehall: ")
        )
    return picture.read_bytes()


class ArenaShelf:
    """Looks up runs of the arena in the database.

    Both methods are to be called through `read_database`, and raise StorageError.
    """

    def __init__(self, database: Database | None) -> None:
        """`database` is None where nothing is stored."""
        self._database = database

    def latest(self) -> list[ArenaLine]:
        """Return the runs, the newest first."""
        if self._database is None:
            return []
        book = ArenaStore(self._database, SECONDS_TO_READ)
        try:
            return [
                ArenaLine(
                    name=kept.name,
                    game=config.game,
                    bots=tuple(config.names),
                    began=kept.began,
                    is_over=kept.is_over,
                )
                for kept in book.latest(MOST_RUNS_LISTED)
                if (config := _config(kept.conditions)) is not None
            ]
        finally:
            book.close()

    def find(self, name: str) -> Summary:
        """Return the standings of a run. Raises KeyError; ValueError if it cannot be read."""
        if self._database is None:
            raise KeyError(name)
        book = ArenaStore(self._database, SECONDS_TO_READ)
        try:
            kept = book.find(name)
            if kept is None:
                raise KeyError(name)
            config = _config(kept.conditions)
            if config is None:
                raise ValueError("this run was written by another version")
            return summarise(Run(config, book, kept))
        finally:
            book.close()


def _config(content: bytes) -> ArenaConfig | None:
    try:
        return msgspec.json.decode(content, type=ArenaConfig)
    except msgspec.MsgspecError:
        # Written by another version: it is there, but cannot be read.
        return None


__all__ = [
    "MEDIA",
    "MOST_LISTED",
    "ArchivedRecord",
    "ArenaShelf",
    "RecordQueries",
    "RecordUnreadableError",
]
