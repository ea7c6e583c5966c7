"""A server that is killed repeatedly while clients play at every door loses nothing.

After each kill the test rebuilds the rooms from the journal. Everything that a client was told
must follow from them or be in a record. A client that reconnects must be told what follows from
them.

GAMEHALL_KILLS is the number of kills (a third on PostgreSQL, a sixth with --durability power).
GAMEHALL_SEED seeds the moves of the clients and the times of the kills; runs with the same seed
still differ, because both also depend on timing.
"""

import copy
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gamehall.core import Position, Seat
from gamehall.games.catalogue import all_games
from gamehall.games.connect_four import ConnectFourPosition
from gamehall.games.go import Pass, Point, Stone
from gamehall.games.santorini import SantoriniPosition
from gamehall.match import Ending, Record, Referee, Result
from gamehall.match.record import positions, read_game
from gamehall.protocols.ascension_http.settings import AscensionHttpSettings
from gamehall.protocols.ascension_http.state import StateEncoder
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.journal import RoomSpec, replay
from gamehall.rooms.negotiated_table import NegotiatedTable
from gamehall.rooms.notices import Snapshot
from gamehall.rooms.open_table import OpenTable
from gamehall.rooms.polled_table import PolledTable
from gamehall.rooms.presence import Presence
from gamehall.rooms.requests import Arrive, Join, Leave, Look, Request, Return
from gamehall.rooms.room import Codec, Entry, Lobby, Peer, Reaction, Room
from gamehall.rooms.secrets import SecretRandom
from gamehall.rooms.tournament import Tournament
from gamehall.rooms.view import RoomView, TournamentReport
from gamehall.server.plan import DoorPlan, plan_doors
from gamehall.storage import Database, open_database
from gamehall.storage.journal_reader import JournalContents, read_journal
from gamehall.tournaments.standings import Win
from gamehall.wire.session import Session
from tests.independent.ascension_clients import StepClient
from tests.independent.go_text_clients import Behaviour, LineClient, Terms, run_pair
from tests.independent.tttp_clients import StreamClient, read_update
from tests.support.crash_load import (
    ASCENSION,
    GAMES_PER_PAIR,
    GO,
    HOST,
    LOBBY,
    LOBBY_NAMES,
    PATIENCE_SECONDS,
    TOURNAMENT,
    TOURNAMENT_NAMES,
    TTTP,
    TTTP_PAIRS,
    CrashClients,
    NotingGoClient,
    SantoriniPlayer,
    TttpPlayer,
    acknowledged_moves,
)
from tests.support.object_state import describe_state
from tests.support.postgres import PostgresServer
from tests.support.served import Served

KILLS = int(os.environ.get("GAMEHALL_KILLS", "6"))
SEED = int(os.environ.get("GAMEHALL_SEED", "1"))
KILLS_IN_A_ROW = 4
MAX_MOVES_CONFIRMED = 400
"""The limit of moves that are confirmed between two kills, at all doors together."""

MOVES_TO_BE_UNIQUE = 10
"""No two matches between random players begin with this many equal moves."""

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
    """Yield the kind of database, the seed and the number of kills of each run."""
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


def data_option(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """Return a value of --data for an empty database of this kind."""
    if kind != "postgres":
        return str(folder)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return server.fresh_database()


@pytest.mark.parametrize(("kind", "seed", "kills"), list(runs()))
def test_TM_27_a_killed_server_loses_nothing_that_a_client_was_told(
    kind: str,
    seed: int,
    kills: int,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    where = data_option(kind, request, tmp_path)
    durability = ("--durability", "power") if kind == "sqlite with power" else ()
    chance, clients, history = random.Random(seed), CrashClients(seed), ServerHistory()
    past = None
    for life in range(kills + 1):
        clients.is_last_run = life == kills
        with Served("--data", where, *durability, *ARGUMENTS) as hall:
            assert hall.lines[-1:] == ["ready"], hall.program.communicate()
            ports = {door: hall.port(door) for door in DOORS}
            clients.play(ports, past.returns if past else {}, past.state if past else b"")
            if clients.is_last_run:
                clients.finish()
                assert hall.stop() == 0
            else:
                busy = [
                    door for door in DOORS if door != ASCENSION or not history.is_ascension_over
                ]
                clients.wait_for(chance.randrange(20, MAX_MOVES_CONFIRMED), busy)
                clients.expect_kill()
                hall.stop(signal.SIGKILL)
                clients.finish()
            history.results += [line for line in hall.output.splitlines() if "result" in line]
            assert "Traceback" not in hall.errors, hall.errors
        if life == kills:
            break
        past = StoredState(open_database(where))
        check_nothing_is_lost(clients, past)
        history.note(past)
        for player in clients.ascension:
            player.is_done = player.is_done or past.is_ascension_over
    check_the_end(clients, open_database(where), history, kills)
    record_property("kills", kills)
    for door, moves in clients.total.items():
        record_property(door, moves)


SECONDS_PER_TURN = 2


def test_clocks_do_not_run_while_the_server_is_down(tmp_path: Path) -> None:
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
    # This time must not count for any player.
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
            # Both players are back, so the clock runs again.
            assert read_update(blue).won == 2


def test_players_without_agreed_terms_are_not_restored_after_a_kill(
    tmp_path: Path,
) -> None:
    arguments = ("--data", str(tmp_path), "--door=go-text=0")
    with Served(*arguments) as hall:
        first, second, third = (LineClient(HOST, hall.port(GO)) for _ in range(3))
        with first, second, third:
            # The second player is told nothing until the first has chosen the terms. But the third
            # is asked for terms as well, so the second has joined the table of the first.
            assert first.read_line() == third.read_line() == "QUERY boardsize"
            hall.stop(signal.SIGKILL)
    with Served(*arguments) as hall:
        one = LineClient(HOST, hall.port(GO), Terms(boardsize=5), 1, Behaviour(pass_after=3))
        other = LineClient(HOST, hall.port(GO), None, 2, Behaviour(pass_after=3))
        run_pair(one, other, PATIENCE_SECONDS)
        assert (one.ending, other.ending) == ("scored", "scored")
        assert hall.stop() == 0
    contents = read_contents(open_database(tmp_path))
    assert (contents.rooms, contents.faults) == ([], []), "all tables are empty"


class ServerHistory:
    """What happened in all lives of a server, besides what the clients have noted."""

    def __init__(self) -> None:
        self.results: list[str] = []
        """The lines about finished tournaments that the server has printed."""
        self.is_ascension_over = False
        self.cut_short = 0
        """The number of Go matches that a kill has ended: players of Go cannot reconnect."""

    def note(self, past: "StoredState") -> None:
        """Note the state of a server that was killed."""
        self.cut_short += sum(record.room == GO for record in past.in_play)
        self.is_ascension_over = past.is_ascension_over


class ReplayedConnection:
    """What a server sends to a peer over one connection."""

    def __init__(self, session: Session[Any, Any], name: str | None) -> None:
        self.session = session
        self.name = name
        self.sent = b""


class ReplayedRoom(Room[Any]):
    """A room that is rebuilt from its journal, with everything that its clients are sent."""

    deadline = None

    def __init__(self, plan: DoorPlan, spec: RoomSpec, entries: list[Entry[Any]]) -> None:
        self.spec = spec
        self.room = make_room(plan, spec)
        self.connections: list[ReplayedConnection] = []
        self.records: list[Record] = []
        """The matches that end in these entries."""
        self.bodies: set[bytes] = set()
        """The states of Ascension that its players may have seen."""
        self._plan = plan
        self._open_session = plan.protocol.sessions(plan.settings)
        self._names: dict[Peer, str] = {}
        self._connection_of: dict[Peer, ReplayedConnection] = {}
        settings = plan.settings
        self._encoder = (
            StateEncoder(settings) if isinstance(settings, AscensionHttpSettings) else None
        )
        self._presence = Presence()
        self._note_state(0.0)
        self._now = replay(self, spec.room, self._presence, entries)
        self.state = self._note_state(self._now)
        """The last state of Ascension, as its players see it."""

    def view(self) -> RoomView[Any]:
        return self.room.view()

    def handle(self, peer: Peer, request: Request[Any], now: float) -> Reaction[Any]:
        if isinstance(request, Join):
            self._names[peer] = request.name
        if isinstance(request, Join | Arrive | Return):
            self._connect(peer, now)
        reaction = self.room.handle(peer, request, now)
        self._deliver(reaction, now)
        if isinstance(request, Leave):
            self._connection_of.pop(peer, None)
        return reaction

    def tick(self, now: float) -> Reaction[Any]:
        reaction = self.room.tick(now)
        self._deliver(reaction, now)
        return reaction

    def reconnect_all(self) -> dict[str, bytes]:
        """Have all players return. Return what each is sent, by name."""
        heard: dict[str, bytes] = {}
        for peer, member in self._presence.members.items():
            self.handle(peer, Return(), self._now)
            heard[member.name] = self._connection_of[peer].sent
        return heard

    def records_in_play(self) -> list[Record]:
        """Return the records that the matches in play would have if they were cancelled now."""
        in_play = []
        for referee, names in matches_of(self.room):
            if referee.result is None:
                copied = copy.deepcopy(referee)
                copied.decide(Result(None, Ending.CANCELLED, "cancelled by the test"))
                record = copied.record(*names)
                in_play.append(msgspec.structs.replace(record, room=self.spec.owner))
        return in_play

    def _connect(self, peer: Peer, now: float) -> None:
        connection = ReplayedConnection(self._open_session(now), self._names.get(peer))
        if self._plan.protocol.name == LOBBY:
            # The session shows boards only to a client that has asked for them.
            connection.session.receive_data(b'["join","x",{"board":true}]', now)
            connection.session.next_request()
        self._connection_of[peer] = connection
        self.connections.append(connection)

    def _deliver(self, reaction: Reaction[Any], now: float) -> None:
        self.records += reaction.records
        for delivery in reaction.deliveries:
            if self._encoder is not None and isinstance(delivery.notice, Snapshot):
                self.bodies.add(self._encoder.write(delivery.notice))
            for peer in delivery.peers:
                connection = self._connection_of.get(peer)
                if connection is not None and not connection.session.closed:
                    connection.sent += connection.session.send(delivery.notice)
        self._note_state(now)

    def _note_state(self, now: float) -> bytes:
        if self._encoder is None:
            return b""
        [delivery] = self.room.handle(Peer(0), Look(), now).deliveries
        assert isinstance(delivery.notice, Snapshot)
        body = self._encoder.write(delivery.notice)
        self.bodies.add(body)
        return body


def without_error(body: bytes) -> bytes:
    """Return a state of Ascension without the error of a refused request."""
    return re.sub(rb'"error":"(?:[^"\\\\]|\\\\.)*"', b'"error":""', body, count=1)


def make_room(plan: DoorPlan, spec: RoomSpec) -> Room[Any]:
    """Return a new room for a journal: the lobby of the door, or one of its tables."""
    random = SecretRandom(spec.seed, spec.drawn)
    room = plan.protocol.room(plan.settings, random)
    _, _, number = spec.room.partition("/")
    if not number:
        return room
    assert isinstance(room, Lobby), f"{spec.room} is a table of a door without tables"
    return room.open_table(int(number), SecretRandom(spec.seed, spec.drawn))


def matches_of(room: Room[Any]) -> Iterator[tuple[Referee[Any], Sequence[str | None]]]:
    """Yield the matches in a room, with the names of the players."""
    match room:
        case OpenTable() if room._has_had_two_players:
            yield room._referee, list(room._names.values())
        case NegotiatedTable() if room._referee is not None:
            yield room._referee, (None, None)
        case PolledTable() if room._match.referee is not None:
            yield room._match.referee, (None, None)
        case Tournament():
            for encounter in room._running_encounters():
                if encounter.match is not None:
                    players = encounter.match._players.values()
                    yield encounter.match._referee, [player.name for player in players]
        case _:
            pass


class StoredState:
    """The state of a killed server: its records, and its rooms, rebuilt from the journal."""

    def __init__(self, database: Database) -> None:
        self.records = read_records(database)
        self.in_play: list[Record] = []
        """The matches in play, up to the last move."""
        self.returns: dict[tuple[str, str], bytes] = {}
        """What a returning player is sent, by door and name."""
        self.state = b""
        """The last state of Ascension."""
        self._rooms: dict[str, ReplayedRoom] = {}
        contents = read_contents(database)
        assert not contents.faults, contents.faults
        plans = plan_doors(all_protocols(), DOORS, None, SETTINGS)
        plan_of = {plan.protocol.name: plan for plan in plans}
        for room in contents.rooms:
            plan = plan_of[room.spec.owner]
            codec: Codec[Any] = Codec(plan.protocol.moves)
            entries = [codec.decode(entry) for entry in contents.entries[room.id]]
            self._add_room(plan, room.spec, entries)
        self._check_records()

    def _add_room(self, plan: DoorPlan, spec: RoomSpec, entries: list[Entry[Any]]) -> None:
        name, door = spec.room, plan.protocol.name
        assert name not in self._rooms, f"{name} has two journals"
        room, same, other = (ReplayedRoom(plan, spec, entries) for _ in range(3))
        assert describe_state(room.room) == describe_state(same.room), f"{name}: two replays differ"
        self._rooms[name] = room
        for who, heard in other.reconnect_all().items():
            assert (door, who) not in self.returns, f"{who} is at two tables"
            self.returns[door, who] = heard
        self.in_play += room.records_in_play()
        if door == ASCENSION:
            self.state = room.state

    def _check_records(self) -> None:
        """Check that records and journal agree on the matches that have ended."""
        check_no_result_twice(self.records)
        stored = {record_key(record): without_time(record) for record in self.records}
        for record in self.in_play:
            assert record_key(record) not in stored, f"recorded, and still in play: {record}"
        for room in self._rooms.values():
            for record in room.records:
                record = msgspec.structs.replace(record, room=room.spec.owner)
                found = stored.get(record_key(record))
                assert found == without_time(record), f"{record} is recorded as {found}"
            for referee, names in matches_of(room.room):
                if referee.result is not None:
                    record = msgspec.structs.replace(referee.record(*names), room=room.spec.owner)
                    assert record_key(record) in stored, f"ended, and not recorded: {record}"

    @property
    def is_ascension_over(self) -> bool:
        return any(record.room == ASCENSION for record in self.records)

    @property
    def bodies(self) -> set[bytes]:
        """The states of Ascension that its players may have seen in this match."""
        return self._rooms[ASCENSION].bodies if ASCENSION in self._rooms else set()

    def connections(self, door: str) -> list[ReplayedConnection]:
        """Return the connections that are in the journal."""
        rooms = [room for room in self._rooms.values() if room.spec.owner == door]
        return [connection for room in rooms for connection in room.connections]


def record_key(record: Record) -> tuple[str, int]:
    """Return an id of the match."""
    return record.room, record.seed


def without_time(record: Record) -> Record:
    """Return a record as it is read back, without the time of its end."""
    return Record.from_json(msgspec.structs.replace(record, ended=None).to_json())


def read_contents(database: Database) -> JournalContents:
    connection = database.connect()
    try:
        return read_journal(connection)
    finally:
        connection.close()


def read_records(database: Database) -> list[Record]:
    connection = database.connect()
    try:
        rows = connection.run("SELECT content FROM records ORDER BY number")
    finally:
        connection.close()
    return [Record.from_json(bytes(content)) for (content,) in rows]


def check_nothing_is_lost(clients: CrashClients, past: StoredState) -> None:
    """Check that everything a client was told follows from the journal or is in a record."""
    for player in clients.tttp:
        check_tttp(player, past)
    for one in [*clients.lobby, *clients.tournament]:
        check_santorini(one, past)
    for pair in clients.go:
        for match in pair.matches:
            for client in match:
                check_go(client, past, is_last=match is pair.matches[-1])
    for seated in clients.ascension:
        # A request that was refused as a whole has changed nothing, and is not journaled.
        lost = set(map(without_error, seated.bodies)) - set(map(without_error, past.bodies))
        assert not lost


def check_tttp(player: TttpPlayer, past: StoredState) -> None:
    """Check that all boards of the last match belong to one match, and that all ends are recorded.

    The last message may also be about a match that was recorded later.
    """
    sent = [one.sent for one in past.connections(TTTP) if one.name == player.name]
    is_in_play = has_match(player.shown, past.in_play, player)
    if player.shown and not has_match(player.shown, past.records, player):
        assert is_in_play, f"{player.name} has seen {player.shown}"
        assert any(player.last_frame in stream for stream in sent), player.last_frame
    ends, heard = last_boards(past.records, player.name), Counter[object](player.ended)
    assert not heard - ends, f"{player.name}: ends that were not recorded"
    not_heard = ends - heard
    assert not_heard.total() <= 1, f"{player.name}: more ends than it has heard of: {not_heard}"


def check_santorini(player: SantoriniPlayer, past: StoredState) -> None:
    """Check that all boards of the last game belong to one game, and that all ends are recorded."""
    games = [*past.records, *past.in_play]
    assert has_match(player.shown, games, player), f"{player.name} has seen {player.shown}"
    for game in player.ended:
        found = find_matches(game, past.records, player)
        assert found, f"{player.name} has seen the end of a game that is not recorded: {game}"
        assert len(game) < MOVES_TO_BE_UNIQUE or len(found) == 1, f"recorded twice: {game}"
    # They need no second check: records are never deleted.
    player.ended.clear()


def check_go(client: NotingGoClient, past: StoredState, is_last: bool) -> None:
    """Check that the conversation is in the journal, or the match is recorded."""
    heard = b"".join(f"{line}\n".encode() for line in client.received)
    if is_last and any(one.sent.startswith(heard) for one in past.connections(GO)):
        return
    assert is_recorded(client, past.records), "\n".join(client.transcript)


def has_match(
    seen: Sequence[object], records: Iterable[Record], player: TttpPlayer | SantoriniPlayer
) -> bool:
    """Return True if one of the matches of a player has these boards in this order."""
    return not seen or bool(find_matches(seen, records, player))


def find_matches(
    seen: Sequence[object], records: Iterable[Record], player: TttpPlayer | SantoriniPlayer
) -> list[Record]:
    """Return the matches of a player that have these boards in this order."""
    found = []
    for record in records:
        if record.room == player.door and player.name in record.players:
            boards = iter(boards_of(record))
            # Each search continues after the board that the last one has found.
            if all(any(one == board for one in boards) for board in seen):
                found.append(record)
    return found


def boards_of(record: Record) -> list[object]:
    """Return all boards of a match as its door shows them."""
    names = record.players if record.room == TOURNAMENT else ("1", "2")
    seats = {seat: str(name) for seat, name in zip(Seat, names, strict=True)}
    game = read_game(all_games()[record.game], record)
    return [show_board(position, seats) for position in positions(game, record)]


def show_board(position: Position[Any], seats: dict[Seat, str]) -> object:
    """Return a position as it is on the wire, as TTTP's 42 spots or as Santorini's rows."""
    if isinstance(position, ConnectFourPosition):
        return bytes(position.spots)
    assert isinstance(position, SantoriniPosition)
    return msgspec.json.decode(msgspec.json.encode(position.rows(seats)))


def last_boards(records: list[Record], player: str) -> Counter[object]:
    """Count the last boards of the matches of a player of TTTP.

    Matches without moves do not count: they were requested while the opponent left, and the player
    has not seen their end.
    """
    of_player = [one for one in records if one.room == TTTP and player in one.players]
    played = [record for record in of_player if record.moves]
    return Counter(boards_of(record)[-1] for record in played)


def is_recorded(client: NotingGoClient, records: list[Record]) -> bool:
    """Return True if the confirmed moves of a Go client are in exactly one record."""
    known: list[object] = []
    for said in acknowledged_moves(client):
        match said.split():
            case [_, row, column]:
                known.append(Stone(Point(int(row), int(column))))
            case _:
                known.append(Pass())
    if not known:
        return True
    found = 0
    for record in records:
        if record.room == GO and len(record.moves) <= len(known) + 2:
            read = read_game(all_games()[record.game], record).read_move
            played = [read(move.move) for move in record.moves]
            is_whole = client.ending == "" or record.result.ending is Ending.PLAYED_OUT
            found += played[: len(known)] == known and is_whole
    return found == 1 or (found > 1 and len(known) < MOVES_TO_BE_UNIQUE)


def check_no_result_twice(records: list[Record]) -> None:
    """Check that no match is recorded twice: seeds differ, and so do the moves of long matches.

    A match that was wrongly played again after a restart would have another seed.
    """
    seeds = Counter(record_key(record) for record in records)
    assert max(seeds.values(), default=1) == 1, f"{seeds.most_common(3)}"
    games = Counter(
        (record.room, record.players, tuple(move.move for move in record.moves))
        for record in records
        if len(record.moves) >= MOVES_TO_BE_UNIQUE
    )
    assert max(games.values(), default=1) == 1, f"{games.most_common(3)}"


def check_the_end(
    clients: CrashClients, database: Database, history: ServerHistory, kills: int
) -> None:
    """Check that everything was played to its end, and is recorded once."""
    records = read_records(database)
    check_no_result_twice(records)
    rooms = Counter(record.room for record in records)
    for player in clients.tttp:
        assert Counter(player.ended) == last_boards(records, player.name)
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
        results = [line for line in history.results if line.split()[1] == room]
        assert len(results) <= per_pair // games
        assert len(results) >= per_pair // games - kills
        for line in results:
            report = msgspec.json.decode(line.split(" ", 2)[2], type=TournamentReport)
            check_result(report.wins, names, games)
    for one in clients.tournament:
        for result in one.results:
            check_result(
                [Win(winner, loser) for winner, loser in result], TOURNAMENT_NAMES, GAMES_PER_PAIR
            )
    for pair in clients.go:
        for match in pair.matches:
            assert all(is_recorded(client, records) for client in match)
    cancelled = [r for r in records if r.room == GO and r.result.ending is Ending.CANCELLED]
    assert len(cancelled) == history.cut_short
    assert rooms[ASCENSION] == 1


def check_result(wins: Sequence[Win], names: Sequence[str], games: int) -> None:
    """Check that each pair has played this number of games."""
    meetings = Counter(frozenset((win.winner, win.loser)) for win in wins)
    assert meetings == {frozenset(pair): games for pair in combinations(names, 2)}
