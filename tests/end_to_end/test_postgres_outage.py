"""Players lose no game and no move when PostgreSQL stalls, restarts or loses connections.

The limit of a turn is five seconds here, and each outage is longer.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import psycopg
import pytest

from gamehall.match import Ending
from gamehall.storage import Archive, open_database
from gamehall.storage.database import open_snapshot
from gamehall.storage.journal_reader import read_journal
from tests.independent.tttp_clients import StreamClient, Update, read_update
from tests.support.postgres import PostgresServer
from tests.support.postgres_proxy import PostgresProxy
from tests.support.served import Served

HOST = "127.0.0.1"
SECONDS_PER_TURN = 5
ARGUMENTS = ("--door=tttp=0", "--door=web=0", f"--set=tttp.turn-seconds={SECONDS_PER_TURN}")
PATIENCE_SECONDS = 40.0
"""How long a client waits for an answer."""

UNAVAILABLE = (503, {"status": "the storage does not answer"})


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.fixture
def proxy(postgres: PostgresServer) -> Iterator[PostgresProxy]:
    with PostgresProxy(postgres) as proxy:
        yield proxy


def get(hall: Served, path: str, accept: str = "application/json") -> tuple[int, str]:
    """Return the status and the body of a page."""
    [address] = [line.split()[2] for line in hall.lines if line.startswith("listening web ")]
    request = urllib.request.Request(address + path, headers={"Accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def health(hall: Served) -> tuple[int, object]:
    status, body = get(hall, "healthz")
    return status, json.loads(body)


class Match:
    """Two players of TTTP. The first one wins with her fourth move."""

    def __init__(self, hall: Served) -> None:
        self.players = [StreamClient(HOST, hall.port(), PATIENCE_SECONDS) for _ in range(2)]
        assert [p.join(name) for p, name in zip(self.players, (b"red", b"blue"), strict=True)] == [
            1,
            2,
        ]
        red, blue = self.players
        assert [read_update(red).won, read_update(red).won, read_update(blue).won] == [0, 0, 0]
        self._moves = 0

    def start_move(self) -> None:
        """Send the next move."""
        mover = self._moves % 2
        self.players[mover].play(3 + mover, 5 - self._moves // 2)
        self._moves += 1

    def read_update(self) -> Update:
        """Return the update for both players, which must be the same."""
        one, other = (read_update(player) for player in self.players)
        assert one == other
        assert sum(map(bool, one.spots)) == self._moves
        return one

    def move(self) -> Update:
        self.start_move()
        return self.read_update()

    def finish(self) -> None:
        """Play until the first player has won."""
        while self._moves < 7:
            expected = 1 if self._moves == 6 else 0
            assert self.move().won == expected

    def close(self) -> None:
        for player in self.players:
            player.close()


Outage = Callable[[PostgresServer, str], AbstractContextManager[None]]


@contextmanager
def locked_table(_: PostgresServer, where: str) -> Iterator[None]:
    with psycopg.connect(where) as connection:
        connection.execute("LOCK TABLE journal_entries")
        yield


@contextmanager
def stopped(postgres: PostgresServer, _: str) -> Iterator[None]:
    postgres.stop()
    try:
        yield
    finally:
        postgres.start()


@contextmanager
def paused(postgres: PostgresServer, _: str) -> Iterator[None]:
    with postgres.paused():
        yield


@pytest.mark.parametrize(
    ("outage", "seconds", "words"),
    [
        (locked_table, 9.0, "the database has not answered for 2 s"),
        (stopped, 7.0, "cannot write the journal: "),
        (paused, 7.0, "the database has not answered for 2 s"),
    ],
)
def test_no_player_loses_because_of_an_outage(
    outage: Outage, seconds: float, words: str, postgres: PostgresServer
) -> None:
    where = postgres.fresh_database()
    with Served("--data", where, *ARGUMENTS) as hall:
        match = Match(hall)
        assert match.move().won == 0
        assert health(hall) == (200, {"status": "ok"})
        with outage(postgres, where):
            match.start_move()
            # This time must not count for any player.
            time.sleep(seconds - 1.0)
            assert health(hall) == UNAVAILABLE
            for player in match.players:
                player._socket.settimeout(0.5)
                with pytest.raises(TimeoutError):
                    read_update(player)
                player._socket.settimeout(PATIENCE_SECONDS)
        assert match.read_update().won == 0
        # The next player has her full time, too.
        assert match.move().won == 0
        assert health(hall) == (200, {"status": "ok"})
        match.finish()
        match.close()
        assert hall.stop() == 0
    check_log(hall, words)
    check_one_match(where)


def check_log(hall: Served, words: str) -> None:
    """Check that the start and the end of the outage are logged once."""
    assert "Traceback" not in hall.errors, hall.errors
    started = [line for line in hall.errors.splitlines() if "; play stops until it " in line]
    assert len(started) == 1, hall.errors
    assert words in started[0]
    ended = [line for line in hall.errors.splitlines() if line.endswith(": play goes on")]
    assert len(ended) == 1, hall.errors


def check_one_match(where: str) -> None:
    """Check that one match is recorded, and that it was played out."""
    [kept] = Archive(open_database(where)).latest(10)
    assert kept.record.result.ending is Ending.PLAYED_OUT
    assert len(kept.record.moves) == 7
    with open_snapshot(where) as connection:
        assert read_journal(connection).faults == []


def test_play_continues_after_a_connection_was_cut_at_any_point(
    postgres: PostgresServer, proxy: PostgresProxy
) -> None:
    where = postgres.fresh_database()
    with Served("--data", proxy.url(where), *ARGUMENTS) as hall:
        match = Match(hall)
        for cut, tells_server in (
            (proxy.cut, True),
            (proxy.cut_answer_to_commit, True),
            (proxy.cut, False),
            (proxy.cut_answer_to_commit, False),
        ):
            proxy.tells_server = tells_server
            cut()
            assert match.move().won == 0
        match.finish()
        match.close()
        assert hall.stop() == 0
    assert "Traceback" not in hall.errors, hall.errors
    assert hall.errors.count("; play stops until it ") == 4
    assert hall.errors.count(": play goes on") == 4
    assert proxy.cuts == 2
    check_one_match(where)


def test_a_restart_of_the_database_between_moves_has_no_effect(
    postgres: PostgresServer,
) -> None:
    where = postgres.fresh_database()
    with Served("--data", where, *ARGUMENTS) as hall:
        match = Match(hall)
        assert match.move().won == 0
        postgres.stop()
        postgres.start()
        match.finish()
        match.close()
        assert hall.stop() == 0
    check_one_match(where)


def test_a_server_stops_when_another_server_has_claimed_its_database(
    postgres: PostgresServer, proxy: PostgresProxy
) -> None:
    where = postgres.fresh_database()
    with Served("--data", proxy.url(where), *ARGUMENTS) as first:
        match = Match(first)
        seen = match.move()
        proxy.is_refusing = True
        proxy.cut()
        with Served("--data", where, *ARGUMENTS) as second:
            assert second.lines[-1] == "ready"
            match.start_move()
            proxy.is_refusing = False
            assert first.wait() == 1
            *_, last = first.errors.splitlines()
            assert last.startswith("gamehall: cannot store the moves: another server has started")
            assert "Traceback" not in first.errors
            match.close()
            with StreamClient(HOST, second.port()) as blue:
                assert blue.join(b"blue") == 2
                assert read_update(blue) == seen
            assert second.stop() == 0


@pytest.mark.parametrize("is_paused", [False, True])
def test_a_server_does_not_start_without_its_database(
    is_paused: bool, postgres: PostgresServer, proxy: PostgresProxy
) -> None:
    where = f"{proxy.url(postgres.fresh_database())}?connect_timeout=2"
    proxy.is_refusing = not is_paused
    outage = paused(postgres, where) if is_paused else nullcontext()
    with outage, Served("--data", where, *ARGUMENTS) as hall:
        assert hall.wait() == 2
    [line] = hall.errors.splitlines()
    assert line.startswith("gamehall: --data: cannot use PostgreSQL: ")


@pytest.mark.parametrize("outage", [stopped, paused])
def test_pages_say_that_the_database_does_not_answer(
    outage: Outage, postgres: PostgresServer
) -> None:
    where = postgres.fresh_database()
    pages = ("records", "arena", "api/records", "api/arenas", "api/records/m1", "api/arenas/x")
    with Served("--data", where, *ARGUMENTS) as hall:
        with outage(postgres, where):
            for page in pages[:2] if outage is paused else pages:
                began = time.monotonic()
                status, body = get(hall, page)
                assert (status, "The database does not answer" in body) == (503, True), page
                assert time.monotonic() - began < 12.0
            # The server itself is healthy: it had nothing to store.
            assert health(hall) == (200, {"status": "ok"})
        assert get(hall, "records")[0] == get(hall, "api/arenas")[0] == 200
        assert hall.stop() == 0
    assert "Traceback" not in hall.errors, hall.errors
