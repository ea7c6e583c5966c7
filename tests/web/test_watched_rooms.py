"""Events for watchers of a room, and their cost, with a server in process."""

import asyncio
import inspect
import json
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType, MappingProxyType
from typing import Any

import msgspec
import pytest

from gamehall.clients.local import LocalClient
from gamehall.core import Game, Seat
from gamehall.export.described import described_picture
from gamehall.games.ascension import Ascension
from gamehall.games.connect_four import ConnectFour
from gamehall.match import MatchEnded, TurnBegan
from gamehall.protocols.catalogue import all_protocols
from gamehall.rooms.notices import Notice, Seated
from gamehall.rooms.requests import Join, Play
from gamehall.server.hall import Hall
from gamehall.server.plan import DoorPlan
from gamehall.web.errors import UnavailableError
from gamehall.web.streams import News, Reader
from gamehall.web.watched_room import ALL_TABLES, NO_TABLES, TABLES_ON_PAGE, Window
from gamehall.web.watching import MAX_WINDOWS, Watching
from gamehall.wire.settings import read_settings


class Player:
    """A native player that moves when told to."""

    def __init__(self, server: Hall, room: str, name: str) -> None:
        self.turn: TurnBegan[Any] | None = None
        self.is_over = False
        self._seat: Seat | None = None
        self._client = LocalClient(server.host, room, self._hear, name)
        self._client.submit(Join(name))

    @property
    def is_to_move(self) -> bool:
        return self.turn is not None and self.turn.seat is self._seat and not self.is_over

    def play(self, chance: random.Random | None = None) -> None:
        """Play the first legal move, or any."""
        assert self.turn is not None
        moves = list(self.turn.position.legal_moves())
        self._client.submit(Play(chance.choice(moves) if chance else moves[0]))

    def leave(self) -> None:
        self._client.leave()

    def _hear(self, notice: Notice[Any]) -> None:
        match notice:
            case Seated(seat):
                self._seat = seat
            case TurnBegan():
                self.turn = notice
            case MatchEnded():
                self.is_over = True
            case _:
                pass


class Watcher:
    """A reader of one topic that reads when told to."""

    def __init__(self, news: News) -> None:
        self.topic = news.topic
        self.sent = [write() for write in news.greeting]
        self._reader: Reader = news.topic.listen()

    def read(self) -> None:
        self.sent.append(self.topic.take(self._reader))

    def events(self) -> Iterator[tuple[str, Any]]:
        for event in b"".join(self.sent).decode().split("\n\n")[:-1]:
            name, data = event.split("\n")
            yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))

    def tables(self) -> dict[str, Any]:
        """Return the last state of each table."""
        return {state["table"]["name"]: state for name, state in self.events() if name == "table"}

    def close(self) -> None:
        self.topic.leave(self._reader)


class OneRoomServer:
    """A server with one room of native players, and its watchers."""

    def __init__(self, game: Game[Any] | None, tables: int, settings: Mapping[str, str]) -> None:
        """Start a server with a room of this game, or the room of TTTP with these settings."""
        loop = asyncio.get_running_loop()
        self.now = 1000.0
        plans, extra = [], []
        if game is None:
            tttp = all_protocols()["tttp"]
            plans = [DoorPlan(tttp, 0, read_settings(tttp.settings, settings, "tttp"), "tttp")]
        else:
            extra = [game]
        self.room = game.name if game else "tttp"
        self.hall = Hall(
            plans, 1, lambda: self.now, loop.call_soon, loop.call_later, extra_games=extra
        )
        addresses = {"tttp": "tttp://127.0.0.1:7003"}
        self.watching = Watching(self.hall, plans, extra, addresses, lambda: self.now)
        self.players: list[Player] = []
        self.tables = tables

    async def open(self) -> None:
        for number in range(2 * self.tables):
            self.players.append(Player(self.hall, self.room, f"player-{number}"))
            await settle()

    def watch(self, window: Window = ALL_TABLES) -> Watcher:
        return Watcher(self.watching.of_room(self.room, window))

    async def move(self, table: int, chance: random.Random | None = None) -> None:
        """Let the player to move at a table move; tables count from 0."""
        for player in self.players[2 * table : 2 * table + 2]:
            if player.is_to_move:
                player.play(chance)
                await settle()
                return

    async def tell(self, *watchers: Watcher) -> None:
        """Publish the changes, and let these watchers read them."""
        await self.watching.send_news()
        for watcher in watchers:
            watcher.read()

    async def last_states(self) -> dict[str, Any]:
        """Return every table as it is now, as JSON has it."""
        room = await self.watching.room(self.room, ALL_TABLES)
        states = {
            table.name: await self.watching.table(self.room, table.name) for table in room.tables
        }
        return {name: json.loads(msgspec.json.encode(state)) for name, state in states.items()}


async def settle() -> None:
    """Let the server process all requests."""
    for _ in range(4):
        await asyncio.sleep(0)


def run_with_server(
    play: Callable[[OneRoomServer], Awaitable[None]],
    game: Game[Any] | None = None,
    tables: int = 1,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> None:
    async def run() -> None:
        server = OneRoomServer(game, tables, settings)
        await server.open()
        await play(server)

    asyncio.run(run())


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """Count the calls of functions of gamehall by name, without resumptions of coroutines."""
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_waiting = code.co_flags & inspect.CO_COROUTINE
        if event == "call" and "/src/gamehall/" in code.co_filename and not is_waiting:
            calls[code.co_qualname] += 1

    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def work_for_a_move(
    tables: int, watchers: Callable[[OneRoomServer], list[Watcher]]
) -> Counter[str]:
    """Count the calls for a move at one of `tables` tables, until watchers have the event."""
    found: list[Counter[str]] = []

    async def play(server: OneRoomServer) -> None:
        watching = watchers(server)
        for table in range(tables):
            await server.move(table)
        await server.tell(*watching)
        with counted_calls() as calls:
            await server.move(1)
            await server.tell(*watching)
        found.append(calls)

    run_with_server(play, ConnectFour(), tables)
    return found[0]


def everything(server: OneRoomServer) -> list[Watcher]:
    """Watch the lobby, the room as its page does, and two tables."""
    watching = server.watching
    return [
        Watcher(watching.of_lobby(NO_TABLES)),
        server.watch(Window(0, 24)),
        *(Watcher(watching.of_table(server.room, f"table-{number}")) for number in (1, 2)),
    ]


def test_the_work_for_a_move_does_not_depend_on_the_number_of_tables() -> None:
    few, many = (work_for_a_move(tables, everything) for tables in (25, 100))
    assert few == many
    assert few["described_picture"] == 1, "the picture of the one table is drawn once for all"


def test_without_watchers_a_move_is_only_marked() -> None:
    async def play(server: OneRoomServer) -> None:
        await server.tell()
        with counted_calls() as calls:
            await server.move(0)
        assert [name for name in calls if name.startswith("Watch")] == ["Watching._note"]
        assert not server.watching._is_wanted.is_set(), "nothing is to be sent"

    run_with_server(play, ConnectFour())


def test_unwatched_tables_are_not_drawn() -> None:
    calls = work_for_a_move(3, lambda server: [server.watch(Window(0, 1))])
    assert calls["HostedRoom.view"] == 1, "the counts of the room may have changed"
    assert not calls["described_picture"]
    assert not calls["write_news"]


def test_events_are_encoded_once_for_all_watchers() -> None:
    one, many = (
        work_for_a_move(3, lambda server, count=count: [server.watch() for _ in range(count)])  # type: ignore[misc]
        for count in (1, 50)
    )
    names = ("described_picture", "write_news", "table_line", "WatchedTable.state")
    assert [one[name] for name in names] == [many[name] for name in names] == [1, 1, 1, 1]


def test_watchers_see_the_last_state_of_every_table_in_the_end() -> None:
    """Including one that has not read before, and one that came in the middle."""

    async def play(server: OneRoomServer) -> None:
        chance = random.Random(7)
        prompt, slow = server.watch(), server.watch()
        late: Watcher | None = None
        for number in range(200):
            await server.move(chance.randrange(server.tables), chance)
            if chance.random() < 0.2:
                await server.tell(prompt)
            if number == 100:
                late = server.watch()
        assert late is not None
        await server.tell(prompt, slow, late)
        expected = await server.last_states()
        assert len(expected) == server.tables
        for watcher in (prompt, slow, late):
            assert watcher.tables() == expected
        told = [value for name, value in slow.events() if name == "table"]
        assert len(told) == server.tables, "a slow reader skips what is old"

    run_with_server(play, ConnectFour(), 12)


def test_a_late_watcher_gets_everything_and_the_room_first() -> None:
    async def play(server: OneRoomServer) -> None:
        await server.tell(first := server.watch())
        for table in range(server.tables):
            await server.move(table)
            await server.tell(first)
        late = server.watch()
        names = [name for name, _ in late.events()]
        assert names == ["room"] + ["table"] * server.tables
        assert late.tables() == await server.last_states()
        [room] = [value for name, value in late.events() if name == "room"]
        assert (room["table_count"], room["playing_count"]) == (server.tables, server.tables)
        assert len(room["tables"]) == server.tables

    run_with_server(play, ConnectFour(), 3)


def test_a_late_watcher_gets_the_current_time_left() -> None:
    async def play(server: OneRoomServer) -> None:
        await server.move(0)
        await server.tell(first := server.watch())
        server.now += 20.0
        seconds = [
            watcher.tables()["table-2"]["seconds_left"] for watcher in (first, server.watch())
        ]
        assert seconds == [60.25, 40.25], "with the grace of the door"

    run_with_server(play, settings={"turn-seconds": "60"})


def test_a_window_shows_the_requested_tables_and_later_ones_replace_closed_ones() -> None:
    async def play(server: OneRoomServer) -> None:
        some, none = server.watch(Window(1, 2)), server.watch(NO_TABLES)
        await server.tell(some, none)
        assert list(some.tables()) == ["table-2", "table-3"]
        assert not none.tables()
        for player in server.players[2:4]:
            player.leave()
            await settle()
        await server.tell(some, none)
        assert set(some.tables()) == {"table-2", "table-3", "table-4"}
        *_, room = [value for name, value in some.events() if name == "room"]
        assert [table["name"] for table in room["tables"]] == ["table-3", "table-4"]
        *_, counts = [value for name, value in none.events() if name == "room"]
        assert (counts["table_count"], counts["playing_count"], counts["tables"]) == (3, 3, [])

    run_with_server(play, ConnectFour(), 4)


def test_windows_that_no_page_shows_are_limited() -> None:
    async def play(server: OneRoomServer) -> None:
        odd = [server.watch(Window(0, number)) for number in range(1, MAX_WINDOWS + 1)]
        server.watch(Window(0, MAX_WINDOWS))
        with pytest.raises(UnavailableError, match="tables=24"):
            server.watch(Window(0, MAX_WINDOWS + 1))
        with pytest.raises(UnavailableError):
            server.watch(Window(2 * TABLES_ON_PAGE, TABLES_ON_PAGE))
        for window in (ALL_TABLES, NO_TABLES, Window(0, TABLES_ON_PAGE)):
            server.watch(window)
        odd[0].close()
        server.watch(Window(0, MAX_WINDOWS + 1))

    run_with_server(play, ConnectFour())


def test_moves_do_not_repeat_the_line_of_the_room_but_ends_do() -> None:
    async def play(server: OneRoomServer) -> None:
        await server.tell(watcher := server.watch())
        for _ in range(6):
            await server.move(0)
            await server.tell(watcher)
        assert [name for name, _ in watcher.events()].count("room") == 1
        while not server.players[0].is_over:
            await server.move(0)
        await server.tell(watcher)
        *_, room = [value for name, value in watcher.events() if name == "room"]
        assert room["tables"][0]["result"]
        assert room["playing_count"] == server.tables - 1

    run_with_server(play, ConnectFour(), 2)


@pytest.mark.parametrize("seed", range(3))
def test_TM_11_watchers_are_sent_no_hidden_cards(seed: int) -> None:
    """They get the pictures for spectators, at first without any card of a hand."""

    async def play(server: OneRoomServer) -> None:
        chance = random.Random(seed)
        watchers = [*everything(server)[:-1], server.watch()]
        await server.tell(*watchers)
        for watcher in watchers:
            assert b"Apprentice" not in b"".join(watcher.sent)
        shown = set()
        for _ in range(60):
            await server.move(0, chance)
            await server.tell(*watchers)
            [table] = server.watching._rooms[server.room].tables.values()
            position = table.view.position
            assert position is not None
            shown.add(described_picture(position.seen_by(None)))
        for watcher in watchers:
            pictures = [state["picture"] for name, state in watcher.events() if name == "table"]
            assert len(pictures) > 30
            assert set(pictures[1:]) <= shown

    run_with_server(play, Ascension())
