"""Runs of the arena, as pages want them."""

import msgspec

from gamehall.arena.config import ArenaConfig
from gamehall.arena.runner import Run
from gamehall.arena.summary import Summary, summarise
from gamehall.storage import Database, StorageError
from gamehall.storage.arenas import ArenaBook
from gamehall.web.model import ArenaLine

MOST_LISTED = 100


class ArenaShelf:
    """Looks up runs in the hall's database. To be asked in another thread."""

    def __init__(self, database: Database | None) -> None:
        """`database` is None where nothing is kept."""
        self._database = database

    def latest(self) -> list[ArenaLine]:
        """The newest first."""
        if self._database is None:
            return []
        book = ArenaBook(self._database)
        try:
            return [
                ArenaLine(
                    kept.name,
                    config.game,
                    tuple(config.names),
                    kept.began,
                    kept.is_over,
                )
                for kept in book.latest(MOST_LISTED)
                if (config := _config(kept.conditions)) is not None
            ]
        finally:
            book.close()

    def find(self, name: str) -> Summary:
        """How a run stands. Raises KeyError, and ValueError if it cannot be read."""
        if self._database is None:
            raise KeyError(name)
        book = ArenaBook(self._database)
        try:
            kept = book.find(name)
            if kept is None:
                raise KeyError(name)
            config = _config(kept.conditions)
            if config is None:
                raise ValueError("this run was written by another version")
            return summarise(Run(config, book, kept))
        except StorageError as error:
            raise ValueError(str(error)) from None
        finally:
            book.close()


def _config(content: bytes) -> ArenaConfig | None:
    try:
        return msgspec.json.decode(content, type=ArenaConfig)
    except msgspec.MsgspecError:
        # Of another version: it is there, but cannot be told.
        return None
