"""A hall that is killed while people play at every door, again and again, has forgotten nothing.

GAMEHALL_KILLS says how often (a third of it on PostgreSQL), GAMEHALL_SEED with which chance: what
the clients play and when the hall dies depends on it, as far as the machine's own timing lets it.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest
from gamehall.rooms.negotiated_tables import NegotiatedTables

from gamehall.core import Seat, SecretRandom
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import ConnectFourPosition
from gamehall.games.go import Pass, Point, Stone
from gamehall.games.santorini import SantoriniPosition
from gamehall.match import Ending, Record
from gamehall.match.record import positions, read_game
from gamehall.protocols.ascension_http.settings import AscensionHttpSettings
from gamehall.protocols.ascension_http.state import CachedEncoder
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.journal import Codec, Entry
from gamehall.rooms.notices import Snapshot
from gamehall.rooms.reaction import Delivery, Peer
from gamehall.rooms.report import TournamentReport
from gamehall.rooms.requests import Arrive, Join, Leave, Look, Return
from gamehall.server.plan import DoorPlan, plan_doors
from gamehall.storage import Database, open_database
from gamehall.storage.journal import JournalContents, read_journal
from gamehall.tournaments.standings import Win
from gamehall.wire.session import Session
from tests.independent.ascension_clients import StepClient
from tests.independent.tttp_clients import StreamClient, read_update
from tests.support.crash_load import (
    ASCENSION,
    GAMES_PER_PAIR,
    GO,
    HOST,
    LOBBY,
    LOBBY_NAMES,
    TOURNAMENT,
    TOURNAMENT_NAMES,
    TTTP,
    TTTP_PAIRS,
    ConnectionLimits,
    NotingGoClient,
    acknowledged_moves,
)
from tests.support.portraits import portrait
from tests.support.postgres import PostgresServer
from tests.support.served import Served

KILLS = int(os.environ.get("GAMEHALL_KILLS", "6"))
SEED = int(os.environ.get("GAMEHALL_SEED", "1"))
KILLS_IN_A_ROW = 4
MOST_HEARD = 400
"""What clients hear before a kill that shows a move, at all doors together."""

DOORS = (TTTP, LOBBY, TOURNAMENT, GO, ASCENSION)
SETTINGS = (
    f"tttp.tables={TTTP_PAIRS}",
    f"santorini-lobby.players={len(LOBBY_NAMES)}",
    "santorini-lobby.turn-reading=destination",
    "santorini-lobby.move-timeout=30",
    f"santorini-tournament.players={len(TOURNAMENT_NAMES)}",
    f"santorini-tournament.games={GAMES_PER_PAIR}",
    "santorini-tournament.timeout=30",
    "ascension-http.honor=150",
)
ARGUMENTS = (
    *(f"--door={door}=0" for door in DOORS),
    *(f"--set={setting}" for setting in SETTINGS),
    "--log-level=warning",
)


def runs() -> Iterator[tuple[str, int, int]]:
    """Which database, with which seed, how many kills in a row."""
    left = {
        "postgres": KILLS // 3,
        "sqlite with power": KILLS // 6,
        "sqlite": KILLS - KILLS // 3 - KILLS // 6,
    }
    seed = SEED
    for kind, kills in left.items():
        for begin in range(0, kills, KILLS_IN_A_ROW):
            yield kind, seed, min(KILLS_IN_A_ROW, kills - begin)
            seed += 1


@pytest.fixture(scope="module")
def postgres_server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


def place(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """Where a hall keeps its things, as --data has it."""
    if kind != "postgres":
        return str(folder)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.fresh_database()


@pytest.mark.parametrize(("kind", "seed", "kills"), list(runs()))
def test_a_hall_that_is_killed_has_forgotten_nothing(
    kind: str,
    seed: int,
    kills: int,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    where = place(kind, request, tmp_path)
    durability = ("--durability", "power") if kind == "sqlite with power" else ()
    chance, crowd, told = random.Random(seed), ConnectionLimits(seed), Told()
    past = None
    for life in range(kills + 1):
        crowd.is_last_life = life == kills
        with Served("--data", where, *durability, *ARGUMENTS) as hall:
            assert hall.lines[-1:] == ["ready"], hall.program.communicate()
            ports = {door: hall.port(door) for door in DOORS}
            crowd.play(ports, past.returns if past else {}, past.state if past else b"")
            if crowd.is_last_life:
                crowd.finish()
                assert hall.stop() == 0
            else:
                busy = [door for door in DOORS if door != ASCENSION or not told.is_ascension_over]
                crowd.wait_for(chance.randrange(20, MOST_HEARD), busy)
                crowd.expect_kill()
                hall.stop(signal.SIGKILL)
                crowd.finish()
            told.results += [line for line in hall.output.splitlines() if "result" in line]
            assert "Traceback" not in hall.errors, hall.errors
        if life == kills:
            break
        past = Past(open_database(where))
        check_nothing_is_lost(crowd, past)
        check_no_result_twice(past.records)
        told.cut_short += past.matches_of_go
        told.is_ascension_over = past.is_over[ASCENSION]
        for player in crowd.ascension:
            player.is_done = player.is_done or past.is_over[ASCENSION]
    check_the_end(crowd, open_database(where), told, kills)
    record_property("kills", kills)
    for door, moves in crowd.total.items():
        record_property(door, moves)


SECONDS_PER_TURN = 2


def test_a_turn_has_lost_nothing_of_its_time_while_the_hall_was_away(tmp_path: Path) -> None:
    arguments = (
        *("--data", str(tmp_path), "--door=tttp=0", "--door=ascension-http=0"),
        f"--set=tttp.turn-seconds={SECONDS_PER_TURN}",
        f"--set=ascension-http.turn-timeout={SECONDS_PER_TURN}",
    )
    with Served(*arguments) as hall:
        players = [StepClient(HOST, hall.port(ASCENSION)) for _ in range(2)]
        red, blue = StreamClient(HOST, hall.port(TTTP)), StreamClient(HOST, hall.port(TTTP))
        assert (red.join(b"red"), blue.join(b"blue")) == (1, 2)
        assert [read_update(red).won, read_update(red).won, read_update(blue).won] == [0, 0, 0]
        red.play(3, 5)
        assert read_update(blue).turn == 2
        for player in players:
            player.join()
        hall.stop(signal.SIGKILL)
        red.close()
        blue.close()
        for player in players:
            player.close()
    # What is tested is that this time is nobody's, so it must pass.
    time.sleep(SECONDS_PER_TURN + 0.5)
    with Served(*arguments) as hall:
        player = StepClient(HOST, hall.port(ASCENSION))
        player.index = 0
        state = player.look()
        assert state.status == "playing"
        assert player.take_turn(state).board is not None
        player.close()
        with (
            StreamClient(HOST, hall.port(TTTP)) as red,
            StreamClient(HOST, hall.port(TTTP)) as blue,
        ):
            assert blue.join(b"blue") == 2
            seen = read_update(blue)
            assert (seen.turn, seen.won, sum(map(bool, seen.spots))) == (2, 0, 1)
            assert red.join(b"red") == 1
            assert read_update(red) == seen
            blue.play(3, 4)
            assert read_update(red).turn == read_update(blue).turn == 1
            # Now that everybody is back, the clock runs.
            assert read_update(blue).won == 2


class Told:
    """What was heard besides the doors."""

    def __init__(self) -> None:
        self.results: list[str] = []
        self.is_ascension_over = False
        self.cut_short = 0
        """Matches of Go that went on when the hall died; nobody can come back to them."""


class Line:
    """What the hall says to a peer over one connection."""

    def __init__(self, session: Session[Any, Any], name: str | None) -> None:
        self.session = session
        self.name = name
        self.sent = b""


class Retold:
    """A room as its journal has it, and what everybody in it was told."""

    def __init__(self, plan: DoorPlan, secret: bytes, entries: list[Entry[Any]]) -> None:
        self.plan = plan
        self.room = plan.protocol.room(plan.settings, SecretRandom(secret))
        self.names: dict[Peer, str] = {}
        self.bodies: set[bytes] = set()
        """What the players of Ascension may have been shown."""
        self.now = 0.0
        self.lines: list[Line] = []
        self._open_session = plan.protocol.sessions(plan.settings)
        self._by_peer: dict[Peer, Line] = {}
        settings = plan.settings
        self._scribe = (
            CachedEncoder(settings) if isinstance(settings, AscensionHttpSettings) else None
        )
        self.look()
        for entry in entries:
            self._tell(entry)

    def _tell(self, entry: Entry[Any]) -> None:
        self.now = entry.now
        if entry.peer is None or entry.request is None:
            self._deliver(self.room.tick(entry.now).deliveries)
        else:
            request = entry.request
            if isinstance(request, Join):
                self.names[entry.peer] = request.name
            if isinstance(request, Join | Arrive | Return):
                self._open_line(entry.peer)
            self._deliver(self.room.handle(entry.peer, request, entry.now).deliveries)
            if isinstance(request, Leave):
                self._by_peer.pop(entry.peer, None)
        self.look()

    def look(self) -> bytes:
        """How a game of Ascension stands."""
        if self._scribe is None:
            return b""
        [delivery] = self.room.handle(Peer(0), Look(), self.now).deliveries
        assert isinstance(delivery.notice, Snapshot)
        body = self._scribe.write(delivery.notice)
        self.bodies.add(body)
        return body

    def returning(self) -> dict[str, bytes]:
        """What each of those hears who come back under their names."""
        heard: dict[str, bytes] = {}
        for peer, line in list(self._by_peer.items()):
            if line.name and not line.session.closed:
                back = self._open_line(peer)
                self._deliver(self.room.handle(peer, Return(), self.now).deliveries)
                heard[line.name] = back.sent
        return heard

    def _open_line(self, peer: Peer) -> Line:
        name = self.names.get(peer)
        line = Line(self._open_session(self.now), name)
        if self.plan.protocol.name == LOBBY:
            line.session.receive_data(b'["join","x",{"board":true}]', self.now)
            line.session.next_request()
        self._by_peer[peer] = line
        self.lines.append(line)
        return line

    def _deliver(self, told: list[Delivery[Any]]) -> None:
        for delivery in told:
            if self._scribe is not None and isinstance(delivery.notice, Snapshot):
                self.bodies.add(self._scribe.write(delivery.notice))
            for peer in delivery.peers:
                line = self._by_peer.get(peer)
                if line is not None and not line.session.closed:
                    line.sent += line.session.send(delivery.notice)


class Past:
    """What is left of a hall that died."""

    def __init__(self, database: Database) -> None:
        self.records = read_records(database)
        self.retold: dict[str, Retold] = {}
        self.is_over: dict[str, bool] = {}
        self.returns: dict[tuple[str, str], bytes] = {}
        self.state = b""
        self.matches_of_go = 0
        """How many were being played."""
        connection = database.connect()
        try:
            contents = read_journal(connection)
        finally:
            connection.close()
        assert not contents.faults, contents.faults
        for plan in plan_doors(all_protocols(), DOORS, None, SETTINGS):
            name = plan.protocol.name
            life = read_room(contents, plan)
            self.is_over[name] = life is None or Retold(plan, *life).room.is_over
            if life is None:
                continue
            one, other = Retold(plan, *life), Retold(plan, *life)
            assert portrait(one.room) == portrait(other.room), f"{name}: told twice, two rooms"
            self.retold[name] = one
            if not self.is_over[name]:
                for who, heard in Retold(plan, *life).returning().items():
                    self.returns[name, who] = heard
            if name == ASCENSION:
                self.state = one.look()
            if isinstance(one.room, NegotiatedTables):
                tables = {table for table, _ in one.room._places.values()}
                self.matches_of_go = sum(table.referee is not None for table in tables)

    def lines(self, door: str) -> list[Line]:
        """What was said over each connection to a room, as far as that goes on."""
        return self.retold[door].lines if door in self.retold else []


def read_room(contents: JournalContents, plan: DoorPlan) -> tuple[bytes, list[Entry[Any]]] | None:
    """Return the seed and the entries of the room of a door, None if it has none."""
    rooms = [room for room in contents.rooms if room.spec.room == plan.protocol.name]
    if not rooms:
        return None
    [room] = rooms
    codec: Codec[Any] = Codec(plan.protocol.moves)
    return room.spec.seed, [codec.decode(entry) for entry in contents.entries[room.id]]


def read_records(database: Database) -> list[Record]:
    connection = database.connect()
    try:
        rows = connection.run("SELECT content FROM records ORDER BY number")
    finally:
        connection.close()
    return [Record.from_json(bytes(content)) for (content,) in rows]


def check_nothing_is_lost(crowd: ConnectionLimits, past: Past) -> None:
    """Whatever anybody was told follows from the journal or, if that has ended, is in a record."""
    in_journal = {
        player: any(
            line.name == player.name and line.sent.startswith(bytes(player.heard[-1]))
            for line in past.lines(player.door)
        )
        for player in crowd.named
    }
    for player in crowd.tttp:
        assert in_journal[player], f"{player.name} has heard {bytes(player.heard[-1])!r}"
        spots = last_positions(past.records, TTTP, player.name)
        assert not Counter(player.ended) - spots, f"{player.name}: ends that were not recorded"
    for one in [*crowd.lobby, *crowd.tournament]:
        recorded = boards_of_records(past.records, one.door, one.name)
        games = one.ended if in_journal[one] else [*one.ended, one.shown]
        for game in games:
            seen = {msgspec.json.encode(board) for board in game}
            assert any(seen <= boards for boards in recorded), f"{one.name} has seen {game}"
        one.ended.clear()
    for pair in crowd.go:
        for match in pair.matches:
            for client in match:
                heard = b"".join(f"{line}\n".encode() for line in client.heard)
                is_last = match is pair.matches[-1]
                if is_last and any(line.sent.startswith(heard) for line in past.lines(GO)):
                    continue
                assert is_recorded(client, past.records), "\n".join(client.transcript)
    bodies = past.retold[ASCENSION].bodies if ASCENSION in past.retold else set()
    for seated in crowd.ascension:
        assert seated.is_done or bodies.issuperset(seated.bodies), seated.bodies[-1]


def last_positions(records: list[Record], room: str, player: str) -> Counter[bytes]:
    """The boards at the end of the matches of a player of TTTP, as its wire shows them."""
    ends: Counter[bytes] = Counter()
    for record in records:
        if record.room == room and player in record.players:
            *_, last = positions(read_game(all_games()[record.game], record), record)
            assert isinstance(last, ConnectFourPosition)
            ends[bytes(last.spots)] += 1
    return ends


def boards_of_records(records: list[Record], room: str, player: str) -> list[set[bytes]]:
    """The boards of each match of a player of Santorini, as its wire shows them."""
    found = []
    for record in records:
        if record.room == room and player in record.players:
            names = record.players if room == TOURNAMENT else ("1", "2")
            seats = {seat: str(name) for seat, name in zip(Seat, names, strict=True)}
            boards = set()
            for position in positions(read_game(all_games()[record.game], record), record):
                assert isinstance(position, SantoriniPosition)
                boards.add(msgspec.json.encode(position.rows(seats)))
            found.append(boards)
    return found


def is_recorded(client: NotingGoClient, records: list[Record]) -> bool:
    """Whether there is a record of what a client of Go knows to have been played."""
    known: list[object] = []
    for said in acknowledged_moves(client):
        match said.split():
            case [_, row, column]:
                known.append(Stone(Point(int(row), int(column))))
            case _:
                known.append(Pass())
    if not known:
        return True
    for record in records:
        if record.room == GO and len(record.moves) <= len(known) + 2:
            read = read_game(all_games()[record.game], record).read_move
            played = [read(move.move) for move in record.moves]
            is_whole = client.ending == "" or record.result.ending is Ending.PLAYED_OUT
            if played[: len(known)] == known and is_whole:
                return True
    return False


def check_no_result_twice(records: list[Record]) -> None:
    """Every match has a seed of its own, so that two records of one would show."""
    seeds = Counter((record.room, record.seed) for record in records)
    assert max(seeds.values(), default=1) == 1, f"{seeds.most_common(3)}"


def check_the_end(crowd: ConnectionLimits, database: Database, told: Told, kills: int) -> None:
    """Everything was played to its end, and counted once."""
    records = read_records(database)
    check_no_result_twice(records)
    rooms = Counter(record.room for record in records)
    for player in crowd.tttp:
        assert Counter(player.ended) == last_positions(records, TTTP, player.name)
    for room, names, games in (
        (LOBBY, LOBBY_NAMES, 1),
        (TOURNAMENT, TOURNAMENT_NAMES, GAMES_PER_PAIR),
    ):
        played = [record for record in records if record.room == room]
        assert all(record.result.ending is Ending.PLAYED_OUT for record in played)
        pairs = Counter(frozenset(record.players) for record in played)
        [per_pair] = set(pairs.values())
        assert pairs.keys() == {frozenset(pair) for pair in combinations(names, 2)}
        assert per_pair % games == 0
        results = [line for line in told.results if line.split()[1] == room]
        assert len(results) <= per_pair // games
        assert len(results) >= per_pair // games - kills
        for line in results:
            report = msgspec.json.decode(line.split(" ", 2)[2], type=TournamentReport)
            check_result(report.wins, names, games)
    for one in crowd.tournament:
        for result in one.results:
            check_result(
                [Win(winner, loser) for winner, loser in result], TOURNAMENT_NAMES, GAMES_PER_PAIR
            )
    for pair in crowd.go:
        for match in pair.matches:
            assert all(is_recorded(client, records) for client in match)
    cancelled = [r for r in records if r.room == GO and r.result.ending is Ending.CANCELLED]
    assert len(cancelled) == told.cut_short
    assert rooms[ASCENSION] == 1


def check_result(wins: Sequence[Win], names: Sequence[str], games: int) -> None:
    """Each pair has met as often as it should."""
    meetings = Counter(frozenset((win.winner, win.loser)) for win in wins)
    assert meetings == {frozenset(pair): games for pair in combinations(names, 2)}
