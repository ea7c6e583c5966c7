"""The journal: commits are restored in order, or an error says what is damaged."""

import random
import resource
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TypeAlias

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gamehall.match import Record
from gamehall.rooms.journal import JournalError, RoomKey, RoomSpec, StoredRoom
from gamehall.storage import (
    Archive,
    Database,
    DatabaseJournal,
    LoopJournal,
    PostgresJournal,
    StorageError,
    ThreadJournal,
    open_database,
)
from gamehall.storage import journal as journal_module
from gamehall.storage.database import FILE, LOCK_FILE, Postgres, Sqlite
from tests.storage.test_archive import record
from tests.support.postgres import PostgresServer

SPEC = RoomSpec("tttp", b'{"tables": 2}', bytes(range(32)))
TIMEOUT_SECONDS = 30.0


class Stage:
    """A journal, and an event loop whose turns the test controls."""

    def __init__(self, database: Database, fresh: bool = False) -> None:
        self.failures: list[str] = []
        self.calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.durable: list[int] = []
        """The numbers of the commits that are durable."""
        self._commits = 0
        self._database = database
        database.claim(fresh)
        fail = self.failures.append
        self.journal: DatabaseJournal
        if isinstance(database, Sqlite) and not database.survives_power_cuts:
            self.journal = LoopJournal(database, self._call_later, fail, fresh)
        elif isinstance(database, Postgres):
            self.journal = PostgresJournal(database, self.calls.put, fail, fresh)
        else:
            self.journal = ThreadJournal(database, self.calls.put, fail, fresh)

    def _call_later(self, _: float, call: Callable[[], None]) -> None:
        self.calls.put(call)

    def begin(self, spec: RoomSpec = SPEC) -> RoomKey:
        return self.journal.begin(spec)

    def begin_with_entry(self) -> RoomKey:
        """Restore the journal, and begin a room with one committed entry."""
        self.journal.restore()
        key = self.begin()
        self.append(key, b"[1.0]")
        self.commit()
        return key

    def append(self, key: RoomKey, *entries: bytes, records: Sequence[Record] = ()) -> None:
        for entry in entries:
            self.journal.append(key, entry, records)

    def start_commit(self) -> int:
        """Commit, and return the number of the commit."""
        self._commits += 1
        number = self._commits
        self.journal.commit(lambda: self.durable.append(number))
        return number

    def commit(self) -> None:
        """Commit, and run the loop until the commit is durable."""
        number = self.start_commit()
        self.turn_until(lambda: number in self.durable)

    def turn(self) -> None:
        self.calls.get(timeout=TIMEOUT_SECONDS)()

    def turn_until(self, is_done: Callable[[], bool]) -> None:
        while not is_done():
            self.turn()

    def close(self) -> int:
        unwritten = self.journal.finish()
        self._database.release()
        return unwritten


Open: TypeAlias = Callable[..., Stage]


@pytest.fixture(params=["sqlite", "sqlite with power", "postgres"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Open the same journal, each time after closing it."""
    where = str(tmp_path)
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        where = server.fresh_database()
    with ExitStack() as stack:

        def reopen(fresh: bool = False) -> Stage:
            stack.close()
            stage = Stage(open_database(where, request.param == "sqlite with power"), fresh)
            stack.callback(stage.close)
            return stage

        yield reopen


def entries_of(rooms: Sequence[StoredRoom]) -> dict[str, list[bytes]]:
    return {room.spec.room: room.entries for room in rooms}


def test_committed_entries_are_restored(reopen: Open) -> None:
    stage = reopen()
    assert stage.journal.restore() == []
    one, other = stage.begin(), stage.begin(msgspec.structs.replace(SPEC, room="go-text"))
    stage.append(one, b"[1.0]")
    stage.append(other, b"[2.0]")
    stage.commit()
    stage.append(one, b"[3.0]", b"")
    stage.commit()
    expected = [
        StoredRoom(one, SPEC, [b"[1.0]", b"[3.0]", b""]),
        StoredRoom(other, msgspec.structs.replace(SPEC, room="go-text"), [b"[2.0]"]),
    ]
    assert [stage.journal.read(one), stage.journal.read(other)] == expected
    stage = reopen()
    assert stage.journal.restore() == expected
    # The restored journal continues.
    stage.append(other, b"[4.0]")
    third = stage.begin(msgspec.structs.replace(SPEC, room="santorini"))
    assert third not in (one, other)
    stage.append(third, b"[5.0]")
    stage.journal.close(one)
    stage.commit()
    assert entries_of(reopen().journal.restore()) == {
        "go-text": [b"[2.0]", b"[4.0]"],
        "santorini": [b"[5.0]"],
    }


def test_a_room_may_begin_and_end_within_one_commit(reopen: Open) -> None:
    stage = reopen()
    stage.journal.restore()
    key = stage.begin()
    stage.append(key, b"[1.0]", records=[record(1)])
    stage.journal.close(key)
    stage.append(stage.begin(), b"[2.0]")
    stage.commit()
    assert entries_of(reopen().journal.restore()) == {"tttp": [b"[2.0]"]}


def test_reading_a_room_includes_uncommitted_entries(reopen: Open) -> None:
    stage = reopen()
    key = stage.begin_with_entry()
    stage.append(key, b"[2.0]")
    stage.start_commit()
    stage.append(key, b"[3.0]")
    assert stage.journal.read(key) == StoredRoom(key, SPEC, [b"[1.0]", b"[2.0]", b"[3.0]"])
    stage.commit()


def test_durable_is_called_only_after_the_commit(reopen: Open) -> None:
    stage = reopen()
    stage.journal.restore()
    key = stage.begin()
    seen: list[tuple[int, int]] = []
    connection = stage._database.connect()

    def look(number: int) -> None:
        [(count,)] = connection.run("SELECT COUNT(*) FROM journal_entries")
        seen.append((number, count))

    for number in range(1, 200):
        stage.append(key, b"[1.0]")
        stage.journal.commit(partial(look, number))
    stage.turn_until(lambda: len(seen) == 199)
    connection.close()
    assert [number for number, _ in seen] == list(range(1, 200))
    assert all(count >= number for number, count in seen)


def test_an_empty_commit_waits_for_earlier_commits(reopen: Open) -> None:
    stage = reopen()
    stage.journal.restore()
    stage.start_commit()
    assert stage.durable == [1]
    stage.append(stage.begin(), b"[1.0]")
    stage.start_commit()
    stage.commit()
    assert stage.durable == [1, 2, 3]


def test_TM_27_a_record_is_stored_with_the_entry_that_ends_its_match(reopen: Open) -> None:
    stage = reopen()
    stage.journal.restore()
    stage.append(stage.begin(), b"[1.0]", records=[record(1), record(2)])
    stage.commit()
    [second, first] = Archive(stage._database).latest(10)
    assert first.record.ended is not None
    assert second.record.room == "tttp"
    assert msgspec.structs.replace(first.record, room=record(1).room, ended=None) == record(1)


def test_finish_writes_the_uncommitted_entries(reopen: Open) -> None:
    stage = reopen()
    stage.journal.restore()
    stage.append(stage.begin(), b"[1.0]")
    stage.start_commit()
    assert stage.journal.finish() == 0
    assert entries_of(reopen().journal.restore()) == {"tttp": [b"[1.0]"]}


def test_fresh_drops_the_games_in_play_and_keeps_the_records(reopen: Open) -> None:
    stage = reopen()
    stage.journal.restore()
    stage.append(stage.begin(), b"[1.0]", records=[record(1)])
    stage.commit()
    run(stage._database, "DELETE FROM journal_entries")
    stage = reopen(fresh=True)
    assert stage.journal.restore() == []
    stage.append(stage.begin(), b"[2.0]")
    stage.commit()
    stage = reopen()
    assert entries_of(stage.journal.restore()) == {"tttp": [b"[2.0]"]}
    assert len(Archive(stage._database).latest(10)) == 1


# Damage


def run(database: Database, statement: str) -> None:
    with closing(database.connect()) as connection:
        connection.run(statement)


DAMAGE = {
    "UPDATE journal_entries SET content = '[9.0]' WHERE id = 3": "entry 2 of the room tttp (1) was",
    "UPDATE journal_entries SET id = 99 WHERE id = 4": "entry 2 of the room go-text (2) was",
    "UPDATE journal_entries SET number = 1 WHERE id = 3": "entry 2 of the room tttp (1) is not",
    "UPDATE journal_entries SET room = 2 WHERE id = 5": "entry 3 of the room go-text (2) was",
    "DELETE FROM journal_entries WHERE id = 1": "entry 1 of the room tttp (1) is missing",
    "DELETE FROM journal_entries WHERE id = 3": "entry 2 of the room tttp (1) is missing",
    "DELETE FROM journal_entries WHERE id = 5": "entry 3 of the room tttp (1) is missing",
    "DELETE FROM journal_entries": "entry 1 of the room tttp (1) is missing, the last should be 3",
    "UPDATE journal_rooms SET entries = 2 WHERE id = 1": "the row of the room tttp (1) was changed",
    "UPDATE journal_rooms SET id = 9 WHERE id = 1": "the row of the room 1 is missing",
    "UPDATE journal_rooms SET spec = '{}' WHERE id = 1": "the row of the room 1 was changed",
    "DELETE FROM journal_rooms WHERE id = 1": "the row of the room 1 is missing",
    "DELETE FROM journal_rooms WHERE id = 3": "rooms are missing: there are 2 of 3",
    "DELETE FROM journal_rooms": "the row of the room 1 is missing, which has entries (and 1 more)",
    "DELETE FROM journal_rooms; DELETE FROM journal_entries": "rooms are missing: there are 0 of 3",
    "UPDATE hall SET rooms = 2": "a room, or the row of the table `hall`, was changed",
    "DROP TABLE journal_entries": "cannot be read: ",
}
"""Statements, and the error after them."""


def write_example(stage: Stage) -> None:
    """Write two rooms with three and two entries, and an empty one."""
    stage.journal.restore()
    one, other = stage.begin(), stage.begin(msgspec.structs.replace(SPEC, room="go-text"))
    stage.begin(msgspec.structs.replace(SPEC, room="empty"))
    for number in range(5):
        stage.append((one, other)[number % 2], f"[{number}.0]".encode())
        stage.commit()


@pytest.mark.parametrize("statement", DAMAGE)
def test_the_error_says_where_the_damage_is_and_what_to_do(statement: str, reopen: Open) -> None:
    stage = reopen()
    write_example(stage)
    for one in statement.split("; "):
        run(stage._database, one)
    stage = reopen()
    with pytest.raises(JournalError) as raised:
        stage.journal.restore()
    message = str(raised.value)
    assert DAMAGE[statement] in message
    assert message.startswith("the journal ")
    assert "\n" not in message
    assert "--fresh" in message


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a journal."""
    folder = tmp_path_factory.mktemp("stored")
    stage = Stage(open_database(folder))
    write_example(stage)
    stage.close()
    return folder


@contextmanager
def copied(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(folder, name, dirs_exist_ok=True)
        yield Path(name)


def restore(folder: Path) -> list[StoredRoom]:
    """Restore a journal. Raises JournalError and StorageError."""
    database = open_database(folder)
    try:
        stage = Stage(database)
        try:
            return stage.journal.restore()
        finally:
            stage.close()
    finally:
        database.release()


COLUMNS = {
    "journal_entries": ("id", "room", "number", "content", "checksum"),
    "journal_rooms": ("id", "spec", "entries", "checksum"),
    "hall": ("mark", "rooms", "checksum"),
}
VALUES = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.integers(0, 10), st.text(max_size=5), st.binary(max_size=9)
)


@given(table=st.sampled_from(list(COLUMNS)), data=st.data())
def test_TM_27_any_changed_or_deleted_row_is_found(
    table: str, data: st.DataObject, stored: Path
) -> None:
    with copied(stored) as folder:
        with closing(sqlite3.connect(folder / FILE)) as connection, connection:
            before = connection.execute(f"SELECT * FROM {table}").fetchall()
            rows = [row for (row,) in connection.execute(f"SELECT rowid FROM {table}")]
            row = data.draw(st.sampled_from(rows), "row")
            column = data.draw(st.sampled_from(("", *COLUMNS[table])), "column")
            if column:
                value = data.draw(VALUES, "value")
                try:
                    connection.execute(
                        f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row)
                    )
                except sqlite3.IntegrityError:
                    assume(False)
            else:
                connection.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
            assume(connection.execute(f"SELECT * FROM {table}").fetchall() != before)
        with pytest.raises((JournalError, StorageError)):
            restore(folder)


@given(chance=st.randoms(use_true_random=False))
def test_changed_bytes_of_the_file_never_restore_other_entries(
    chance: random.Random, stored: Path
) -> None:
    """Unused bytes of the file may change. Any other change is an error."""
    expected = restore(stored)
    with copied(stored) as folder:
        content = bytearray((folder / FILE).read_bytes())
        at = chance.randrange(len(content))
        length = chance.choice((1, 8, 4096))
        content[at : at + length] = chance.randbytes(len(content[at : at + length]))
        (folder / FILE).write_bytes(content)
        try:
            found = restore(folder)
        except (JournalError, StorageError):
            return
        assert found == expected


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a killed server: its commits are only in the write-ahead log."""
    folder, copy = tmp_path_factory.mktemp("killed"), tmp_path_factory.mktemp("copy")
    stage = Stage(open_database(folder))
    stage.journal.restore()
    key = stage.begin()
    for number in range(30):
        # Every other move ends a match.
        stage.append(key, b"%d" % number, records=[record(1)] if number % 2 else [])
        stage.commit()
    for name in (FILE, f"{FILE}-wal", LOCK_FILE):
        shutil.copy(folder / name, copy / name)
    stage.close()
    return copy


@given(share=st.floats(0, 1))
@example(share=0.0)
@example(share=1.0)
def test_a_truncated_write_ahead_log_restores_an_older_state(share: float, killed: Path) -> None:
    with copied(killed) as folder:
        log = folder / f"{FILE}-wal"
        content = log.read_bytes()
        log.write_bytes(content[: round(len(content) * share)])
        rooms = restore(folder)
        entries = rooms[0].entries if rooms else []
        assert entries == [b"%d" % number for number in range(len(entries))]
        assert len(Archive(open_database(folder)).latest(100)) == len(entries) // 2
        if share == 1.0:
            assert len(entries) == 30


# Outages


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """Simulate a full disk by a limit on the size of files."""
    size = (folder / f"{FILE}-wal").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("survives_power_cuts", [False, True])
def test_on_a_full_disk_a_commit_is_tried_until_it_succeeds(
    survives_power_cuts: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(journal_module, "SECONDS_UNTIL_LOGGED", 0.0)
    stage = Stage(open_database(tmp_path, survives_power_cuts))
    key = stage.begin_with_entry()
    with full_disk(tmp_path):
        for number in range(3):
            stage.append(key, b"[2.0]", records=[record(number)])
            stage.start_commit()
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not any("cannot write the journal" in line for line in caplog.messages):
            assert time.monotonic() < deadline
            if not survives_power_cuts:
                stage.turn()
        if not survives_power_cuts:
            for _ in range(10):
                stage.turn()
        assert stage.durable == [1]
        assert stage.journal.counts.waiting == 3
        # A room that fails meanwhile is rebuilt from these entries as well.
        stored = stage.journal.read(key)
        assert stored is not None
        assert len(stored.entries) == 4
    stage.turn_until(lambda: len(stage.durable) == 4)
    assert stage.durable == [1, 2, 3, 4]
    assert stage.failures == []
    assert stage.close() == 0
    logged = [line for line in caplog.messages if "journal" in line]
    assert len(logged) == 2
    assert "play stops until it can be written" in logged[0]
    assert "play goes on" in logged[1]
    assert entries_of(restore(tmp_path)) == {"tttp": [b"[1.0]", b"[2.0]", b"[2.0]", b"[2.0]"]}
    assert len(Archive(open_database(tmp_path)).latest(10)) == 3


@pytest.mark.parametrize("survives_power_cuts", [False, True])
def test_a_server_that_stops_on_a_full_disk_logs_how_many_batches_are_lost(
    survives_power_cuts: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stage = Stage(open_database(tmp_path, survives_power_cuts))
    key = stage.begin_with_entry()
    with full_disk(tmp_path):
        for _ in range(2):
            stage.append(key, b"[2.0]")
            stage.start_commit()
        assert stage.close() == 2
    assert "2 batches of the journal could not be written" in caplog.messages
    assert stage.durable == [1]
    assert entries_of(restore(tmp_path)) == {"tttp": [b"[1.0]"]}


@pytest.mark.parametrize("survives_power_cuts", [False, True])
def test_another_process_that_holds_the_lock_only_delays_commits(
    survives_power_cuts: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stage = Stage(open_database(tmp_path, survives_power_cuts))
    stage.journal.restore()
    stage.append(stage.begin(), b"[1.0]")
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        stage.start_commit()
        if not survives_power_cuts:
            for _ in range(10):
                stage.turn()
        assert stage.durable == []
        other.execute("COMMIT")
    stage.turn_until(lambda: stage.durable == [1])
    assert stage.failures == []
    assert stage.close() == 0
    # The delay was too short to be logged.
    assert caplog.messages == []


def test_a_permanent_error_ends_the_server(reopen: Open) -> None:
    stage = reopen()
    key = stage.begin_with_entry()
    run(stage._database, "DROP TABLE journal_entries")
    for _ in range(3):
        stage.append(key, b"[2.0]")
        stage.start_commit()
    stage.turn_until(lambda: bool(stage.failures))
    assert "journal_entries" in stage.failures[0]
    assert len(stage.failures) == 1
    assert stage.durable == [1]
    assert stage.journal.finish() == 3


def test_an_error_in_a_durable_callback_does_not_affect_later_commits(tmp_path: Path) -> None:
    stage = Stage(open_database(tmp_path))
    stage.journal.restore()
    key = stage.begin()

    def fail() -> None:
        raise ZeroDivisionError

    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        stage.append(key, b"[1.0]")
        stage.journal.commit(fail)
        stage.append(key, b"[2.0]")
        stage.start_commit()
        other.execute("COMMIT")
    with pytest.raises(ZeroDivisionError):
        stage.turn()
    stage.turn_until(lambda: stage.durable == [1])
    stage.close()


def test_the_write_ahead_log_does_not_grow_without_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "PAGES_TO_CHECKPOINT", 50)
    monkeypatch.setattr(journal_module, "PAGES_TO_RESTART", 200)
    stage = Stage(open_database(tmp_path))
    stage.journal.restore()
    key = stage.begin()
    log = tmp_path / f"{FILE}-wal"
    commits = 0
    # Without checkpoints this would be about 20,000 pages of 4,096 bytes.
    while commits < 5_000:
        stage.append(key, b"x" * 5_000)
        stage.commit()
        commits += 1
    assert log.stat().st_size < 5_000 * 4096
    stage.close()
    assert len(restore(tmp_path)[0].entries) == 5_000
