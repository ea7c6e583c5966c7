"""Arena runs in the database. A match and its record are stored in one transaction."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from gamehall.match import Record
from gamehall.storage.archive import INSERT_RECORD, SELECT_BY_MATCH
from gamehall.storage.database import Database, StorageError

INSERT_ARENA: Final = "INSERT INTO arenas (name, conditions, began, is_over) VALUES (?, ?, ?, 0)"
SELECT_ARENA: Final = "SELECT number, name, conditions, began, is_over FROM arenas WHERE name = ?"
SELECT_LATEST_ARENAS: Final = (
    "SELECT number, name, conditions, began, is_over FROM arenas ORDER BY number DESC LIMIT ?"
)
INSERT_MATCH: Final = (
    "INSERT INTO arena_matches (arena, encounter, match, match_name, content)"
    " VALUES (?, ?, ?, ?, ?)"
)
HAS_ENCOUNTER: Final = "SELECT 1 FROM arena_matches WHERE arena = ? AND encounter = ?"
SELECT_MATCHES: Final = (
    "SELECT content FROM arena_matches WHERE arena = ? ORDER BY encounter, match"
)
DELETE_RECORDS: Final = (
    "DELETE FROM records WHERE match_name IN"
    " (SELECT match_name FROM arena_matches WHERE arena = ? AND encounter = ?)"
)
DELETE_MATCHES: Final = "DELETE FROM arena_matches WHERE arena = ? AND encounter = ?"
UPDATE_IS_OVER: Final = "UPDATE arenas SET is_over = 1 WHERE number = ?"


class StoredArena(NamedTuple):
    """A row of the table `arenas`."""

    number: int
    name: str
    conditions: bytes
    began: str
    """The time in UTC."""
    is_over: bool


class StoredMatch(NamedTuple):
    """A row of the table `arena_matches`, and the record of the match."""

    encounter: int
    match: int
    match_name: str
    content: bytes
    record: bytes


class ArenaStore:
    """Stores arena runs and their matches. Every method raises StorageError."""

    def __init__(self, database: Database, seconds_to_wait: float | None = None) -> None:
        """`seconds_to_wait` is that of `Database.connect`."""
        self._database = database
        self._connection = database.connect(seconds_to_wait)

    def begin(self, name: str, conditions: bytes, began: str) -> StoredArena:
        """Store a new run. Raises StorageError if there is one of this name."""
        with self._connection.transaction(self._database.begin_exclusive):
            if self._connection.run(SELECT_ARENA, name):
                raise StorageError(f"there is an arena {name!r} already: choose another name")
            self._connection.run(INSERT_ARENA, name, conditions, began)
        found = self.find(name)
        assert found is not None
        return found

    def find(self, name: str) -> StoredArena | None:
        """Return the run of this name, None if there is none."""
        rows = self._connection.run(SELECT_ARENA, name)
        return _arena(rows[0]) if rows else None

    def latest(self, limit: int) -> list[StoredArena]:
        """Return the newest runs, newest first."""
        return [_arena(row) for row in self._connection.run(SELECT_LATEST_ARENAS, limit)]

    def add_matches(self, arena: int, game: str, matches: Iterable[StoredMatch]) -> None:
        """Store the matches of an encounter and their records, all or none.

        Raises StorageError if they are stored already: another process is running this arena.
        """
        rows = list(matches)
        with self._connection.transaction(self._database.begin_exclusive):
            if self._connection.run(HAS_ENCOUNTER, arena, rows[0].encounter):
                raise StorageError("another process is running this arena at the same time")
            self._connection.run_many(
                INSERT_MATCH,
                [(arena, row.encounter, row.match, row.match_name, row.content) for row in rows],
            )
            self._connection.run_many(
                INSERT_RECORD, [(game, row.match_name, row.record) for row in rows]
            )

    def matches(self, arena: int) -> Iterator[bytes]:
        """Yield the content of all matches, in the order of their numbers."""
        for (content,) in self._connection.run(SELECT_MATCHES, arena):
            yield bytes(content)

    def record(self, match: str) -> Record | None:
        """Return the record of a match, None if there is none. Also raises RecordError."""
        rows = self._connection.run(SELECT_BY_MATCH, match)
        return Record.from_json(bytes(rows[0][1])) if rows else None

    def end(self, arena: int, superfluous: Iterable[int]) -> None:
        """Mark a run as over, and delete the matches of encounters that were not needed."""
        with self._connection.transaction(self._database.begin_exclusive):
            for encounter in superfluous:
                self._connection.run(DELETE_RECORDS, arena, encounter)
                self._connection.run(DELETE_MATCHES, arena, encounter)
            self._connection.run(UPDATE_IS_OVER, arena)

    def close(self) -> None:
        self._connection.close()


def _arena(row: tuple[object, ...]) -> StoredArena:
    number, name, conditions, began, is_over = row
    assert isinstance(number, int)
    assert isinstance(conditions, bytes | memoryview)
    return StoredArena(
        number=number,
        name=str(name),
        conditions=bytes(conditions),
        began=str(began),
        is_over=bool(is_over),
    )
