"""The journal on PostgreSQL: no entry is lost or written twice when the connection is lost.

Between the journal and PostgreSQL is a proxy that cuts the connection at every point of a
transaction, and of the reconnection after it.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import count

import psycopg
import pytest

from gamehall.rooms.journal import RoomKey
from gamehall.storage import Archive, StorageError, open_database
from gamehall.storage import journal as journal_module
from tests.storage.test_archive import record
from tests.storage.test_journal import Stage, entries_of
from tests.support.postgres import PostgresServer
from tests.support.postgres_proxy import PostgresProxy, To, is_commit


@pytest.fixture
def proxy(postgres_server: PostgresServer) -> Iterator[PostgresProxy]:
    with PostgresProxy(postgres_server) as proxy:
        yield proxy


@pytest.fixture
def where(postgres_server: PostgresServer) -> str:
    """The URL of a database, not through the proxy."""
    return postgres_server.fresh_database()


@pytest.fixture(autouse=True)
def quick_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "SECONDS_BETWEEN_TRIES", 0.01)


class Play:
    """A room in which each move ends a match, so that a move that is written twice is found."""

    def __init__(self, where: str) -> None:
        self.stage = Stage(open_database(where))
        assert self.stage.journal.restore() == []
        self.room: RoomKey = self.stage.begin()
        self.moves: list[bytes] = []

    def start_move(self) -> None:
        """Play a move."""
        number = len(self.moves) + 1
        self.moves.append(b"%d" % number)
        self.stage.append(self.room, self.moves[-1], records=[record(number)])
        # A room that is begun and closed at once changes only the table `hall`.
        self.stage.journal.close(self.stage.begin())
        self.stage.start_commit()

    def move(self) -> None:
        """Play a move, and wait until it is stored."""
        self.start_move()
        self.wait()

    def wait(self) -> None:
        self.stage.turn_until(lambda: len(self.stage.durable) == len(self.moves))

    def check(self, where: str) -> None:
        """Close the journal, and check that it has every move once."""
        assert self.stage.failures == []
        assert self.stage.close() == 0
        check_stored(where, self.moves)


def check_stored(where: str, moves: list[bytes]) -> None:
    """Check that these moves are in the journal, and their records in the archive."""
    stage = Stage(open_database(where))
    assert entries_of(stage.journal.restore()) == ({"tttp": moves} if moves else {})
    stage.close()
    records = [one.record for one in Archive(open_database(where)).latest(1000)]
    seeds = [one.seed for one in reversed(records)]
    assert seeds == [record(number).seed for number in range(1, len(moves) + 1)]


@pytest.mark.parametrize("tells_server", [True, False], ids=["noticed", "unnoticed"])
@pytest.mark.parametrize("to", To)
def test_a_transaction_is_written_once_wherever_the_connection_is_cut(
    to: To, tells_server: bool, proxy: PostgresProxy, where: str
) -> None:
    play = Play(proxy.url(where))
    play.move()
    proxy.tells_server = tells_server
    for number in count(1):
        proxy.cut_message(to, number)
        play.move()
        if proxy.cuts < number:
            break
    # Messages for BEGIN, the name, entries, rooms, records, sums and COMMIT.
    assert proxy.cuts >= 6
    proxy.watch(None)
    play.check(where)


def test_a_commit_whose_answer_was_lost_is_not_repeated(proxy: PostgresProxy, where: str) -> None:
    play = Play(proxy.url(where))
    play.move()
    proxy.cut_answer_to_commit()
    proxy.is_refusing = True
    play.start_move()
    with psycopg.connect(where) as other:
        while other.execute("SELECT COUNT(*) FROM records").fetchone() != (2,):
            other.rollback()
    # It is committed, but the server has not received the answer.
    assert play.stage.durable == [1]
    proxy.is_refusing = False
    play.wait()
    assert proxy.cuts == 1
    play.check(where)


@pytest.mark.parametrize("tells_server", [True, False], ids=["noticed", "unnoticed"])
@pytest.mark.parametrize("to", To)
def test_a_transaction_is_written_once_if_the_connection_is_cut_twice(
    to: To, tells_server: bool, proxy: PostgresProxy, where: str
) -> None:
    """The first cut is after the commit, the second anywhere while the server reconnects."""
    play = Play(proxy.url(where))
    play.move()
    proxy.tells_server = tells_server
    for number in count(1):
        cuts, left = proxy.cuts, number

        def watch(where: To, data: bytes) -> bool:
            nonlocal left
            if proxy.cuts == cuts:  # noqa: B023
                return is_commit(where, data)
            left -= where is to
            return where is to and left == 0

        proxy.watch(watch)
        play.move()
        if proxy.cuts == cuts + 1:
            break
        assert proxy.cuts == cuts + 2
    # Messages for encryption, the login, four settings, the claim and the name.
    assert number > 6
    proxy.watch(None)
    play.check(where)


def test_the_log_says_once_that_the_connection_is_lost_and_once_that_play_goes_on(
    proxy: PostgresProxy, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    play = Play(proxy.url(where))
    play.move()
    proxy.is_refusing = True
    proxy.cut()
    for _ in range(3):
        play.start_move()
    while "cannot write the journal: " not in caplog.text:
        time.sleep(0.01)
    # Long enough for several attempts.
    time.sleep(0.3)
    assert play.stage.durable == [1]
    proxy.is_refusing = False
    play.wait()
    first, last = caplog.messages
    assert first.endswith("; play stops until it can be written")
    assert last.endswith("play goes on")
    play.check(where)


def test_a_loss_that_is_noticed_only_at_shutdown_loses_no_move(
    proxy: PostgresProxy, where: str
) -> None:
    play = Play(proxy.url(where))
    play.move()
    proxy.tells_server = False
    proxy.cut()
    play.start_move()
    play.check(where)


def test_a_server_that_stops_during_an_outage_returns_how_many_batches_are_lost(
    proxy: PostgresProxy, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "SECONDS_TO_RECONNECT", 0.2)
    play = Play(proxy.url(where))
    play.move()
    proxy.is_refusing = True
    proxy.cut()
    play.start_move()
    assert play.stage.close() == 1
    assert play.stage.durable == [1]
    check_stored(where, play.moves[:1])


@pytest.mark.parametrize("stays", [True, False])
def test_a_server_fails_without_writing_if_another_server_has_taken_over(
    stays: bool, proxy: PostgresProxy, where: str
) -> None:
    play = Play(proxy.url(where))
    play.move()
    proxy.is_refusing = True
    proxy.cut()
    second = Stage(open_database(where))
    second.journal.restore()
    second.append(play.room, b"by the second server")
    second.commit()
    if not stays:
        second.close()
    play.start_move()
    proxy.is_refusing = False
    play.stage.turn_until(lambda: bool(play.stage.failures))
    assert "another server has started to use the database" in play.stage.failures[0]
    assert play.stage.durable == [1]
    assert play.stage.close() == 1
    if stays:
        # The first server has not taken the claim of the second.
        with pytest.raises(StorageError, match="another server uses"):
            open_database(where).claim()
        second.close()
    third = Stage(open_database(where))
    assert entries_of(third.journal.restore()) == {"tttp": [b"1", b"by the second server"]}
    third.close()
    assert len(Archive(open_database(where)).latest(10)) == 1


def test_a_server_whose_claim_was_ended_takes_it_again(where: str) -> None:
    play = Play(where)
    with closing(open_database(where).connect()) as other:
        [(holder,)] = other.run(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 8415 AND granted"
        )
        other.run("SELECT pg_terminate_backend(?, 10000)", holder)
    play.move()
    with pytest.raises(StorageError, match="another server uses"):
        open_database(where).claim()
    play.check(where)


def test_a_database_that_has_lost_moves_ends_the_server(proxy: PostgresProxy, where: str) -> None:
    """An outdated replica may have become the primary."""
    play = Play(proxy.url(where))
    with psycopg.connect(where) as other:
        [before] = other.execute("SELECT last_batch FROM hall").fetchall()
    play.move()
    play.move()
    proxy.cut()
    with psycopg.connect(where) as other:
        other.execute("UPDATE hall SET last_batch = %s", before)
    play.start_move()
    play.stage.turn_until(lambda: bool(play.stage.failures))
    assert "has lost moves that were acknowledged" in play.stage.failures[0]
    assert play.stage.close() == 1


def test_a_statement_that_times_out_is_tried_again(where: str) -> None:
    # The tables are created without the timeout, which a busy machine might exceed.
    open_database(where)
    play = Play(f"{where}&options=-c%20statement_timeout%3D300")
    play.move()
    with psycopg.connect(where) as other:
        other.execute("LOCK TABLE journal_entries")
        play.start_move()
        time.sleep(1.0)
        assert play.stage.durable == [1]
    play.wait()
    play.check(where)


def test_a_wait_is_logged_once_and_so_is_its_end(
    where: str, caplog: pytest.LogCaptureFixture
) -> None:
    play = Play(where)
    play.move()
    with psycopg.connect(where) as other:
        other.execute("LOCK TABLE journal_entries")
        play.start_move()
        for _ in range(2):
            play.stage.journal.outage.note_wait(2.0)
    play.wait()
    assert caplog.messages[0] == ("the database has not answered for 2 s; play stops until it does")
    assert caplog.messages[1].endswith("play goes on")
    assert len(caplog.messages) == 2
    play.check(where)


def test_a_server_that_has_vanished_is_noticed_within_about_half_a_minute(
    proxy: PostgresProxy, where: str
) -> None:
    database = open_database(proxy.url(where))
    with closing(database.connect()) as connection:
        line = socket.socket(fileno=connection._raw.fileno())
        try:
            option = {
                name: line.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
                for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT")
            }
            assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        finally:
            line.detach()
    assert option["TCP_USER_TIMEOUT"] == 30_000
    assert option["TCP_KEEPIDLE"] + option["TCP_KEEPINTVL"] * option["TCP_KEEPCNT"] <= 30


def test_connection_parameters_of_the_url_override_the_defaults(
    proxy: PostgresProxy, where: str
) -> None:
    with closing(open_database(f"{proxy.url(where)}?tcp_user_timeout=7000").connect()) as one:
        line = socket.socket(fileno=one._raw.fileno())
        seconds = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        line.detach()
    assert seconds == 7_000


def test_a_connection_with_a_timeout_raises_an_error_instead_of_waiting(
    postgres_server: PostgresServer, where: str
) -> None:
    archive = Archive(open_database(where), seconds_to_wait=2.0)
    with psycopg.connect(where) as other:
        other.execute("LOCK TABLE records")
        with pytest.raises(StorageError, match="statement timeout"):
            archive.latest(1)
    with postgres_server.paused(), pytest.raises(StorageError, match="timeout expired"):
        archive.latest(1)
    assert archive.latest(1) == []


def test_a_paused_database_delays_commits(postgres_server: PostgresServer, where: str) -> None:
    play = Play(where)
    play.move()
    with postgres_server.paused():
        play.start_move()
        assert threading.active_count() > 1
        time.sleep(0.5)
        assert play.stage.durable == [1]
    play.wait()
    play.check(where)


def test_a_restarted_database_delays_commits(postgres_server: PostgresServer, where: str) -> None:
    play = Play(where)
    play.move()
    postgres_server.stop()
    try:
        play.start_move()
        time.sleep(0.5)
        assert play.stage.durable == [1]
    finally:
        postgres_server.start()
    play.wait()
    play.check(where)
