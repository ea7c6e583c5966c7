"""What watchers of a room are sent, and how much work that is: a hall without doors, in process."""

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
from gamehall.web.watching import MOST_WINDOWS, Watching
from gamehall.wire.settings import read_settings


class Player:
    """A native player, who plays what it is told to."""

    def __init__(self, hall: Hall, room: str, name: str) -> None:
        self.turn: TurnBegan[Any] | None = None
        self.is_over = False
        self._seat: Seat | None = None
        self._client = LocalClient(hall.host, room, self._hear, name)
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
    """Reads the news of one topic, when it is told to."""

    def __init__(self, news: News) -> None:
        self.topic = news.topic
        self.sent = [write() for write in news.greeting]
        self._reader: Reader = news.topic.listen()

    def read(self) -> None:
        """Take what is new."""
        self.sent.append(self.topic.take(self._reader))

    def events(self) -> Iterator[tuple[str, Any]]:
        """Return all that was sent so far."""
        for event in b"".join(self.sent).decode().split("\n\n")[:-1]:
            name, data = event.split("\n")
            yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))

    def tables(self) -> dict[str, Any]:
        """Return the last state of each table."""
        return {state["table"]["name"]: state for name, state in self.events() if name == "table"}

    def close(self) -> None:
        self.topic.leave(self._reader)


class Stage:
    """A hall with one room of native players, and its watchers."""

    def __init__(self, game: Game[Any] | None, tables: int, settings: Mapping[str, str]) -> None:
        """`game`: None for the room of TTTP, with these settings."""
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
        """Have the player play who is to move at a table, the first of which is 0."""
        for player in self.players[2 * table : 2 * table + 2]:
            if player.is_to_move:
                player.play(chance)
                await settle()
                return

    async def tell(self, *watchers: Watcher) -> None:
        """Send what is new, and have these watchers read it."""
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
    """Let the hall answer."""
    for _ in range(4):
        await asyncio.sleep(0)


def on_stage(
    play: Callable[[Stage], Awaitable[None]],
    game: Game[Any] | None = None,
    tables: int = 1,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> None:
    async def run() -> None:
        stage = Stage(game, tables, settings)
        await stage.open()
        await play(stage)

    asyncio.run(run())


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """Count the calls of the hall's functions, by name. How often coroutines wait is left out."""
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


def work_for_a_move(tables: int, watchers: Callable[[Stage], list[Watcher]]) -> Counter[str]:
    """Return what is called for a move at one of so many tables, until watchers have its news."""
    found: list[Counter[str]] = []

    async def play(stage: Stage) -> None:
        watching = watchers(stage)
        for table in range(tables):
            await stage.move(table)
        await stage.tell(*watching)
        with counted_calls() as calls:
            await stage.move(1)
            await stage.tell(*watching)
        found.append(calls)

    on_stage(play, ConnectFour(), tables)
    return found[0]


def everything(stage: Stage) -> list[Watcher]:
    """Watch the lobby, the room as its page does, and two tables."""
    watching = stage.watching
    return [
        Watcher(watching.of_lobby(NO_TABLES)),
        stage.watch(Window(0, 24)),
        *(Watcher(watching.of_table(stage.room, f"table-{number}")) for number in (1, 2)),
    ]


def test_the_work_for_a_move_does_not_depend_on_the_number_of_tables() -> None:
    few, many = (work_for_a_move(tables, everything) for tables in (25, 100))
    assert few == many
    assert few["described_picture"] == 1, "the picture of the one table is drawn once for all"


def test_where_nobody_watches_a_move_is_only_noted() -> None:
    async def play(stage: Stage) -> None:
        await stage.tell()
        with counted_calls() as calls:
            await stage.move(0)
        assert [name for name in calls if name.startswith("Watch")] == ["Watching._note"]
        assert not stage.watching._is_wanted.is_set(), "nothing is to be sent"

    on_stage(play, ConnectFour())


def test_what_nobody_is_shown_is_not_drawn() -> None:
    calls = work_for_a_move(3, lambda stage: [stage.watch(Window(0, 1))])
    assert calls["HostedRoom.view"] == 1, "the counts of the room may have changed"
    assert not calls["described_picture"]
    assert not calls["write_news"]


def test_news_is_written_once_however_many_watch() -> None:
    one, many = (
        work_for_a_move(3, lambda stage, count=count: [stage.watch() for _ in range(count)])  # type: ignore[misc]
        for count in (1, 50)
    )
    names = ("described_picture", "write_news", "table_line", "WatchedTable.state")
    assert [one[name] for name in names] == [many[name] for name in names] == [1, 1, 1, 1]


def test_watchers_see_the_last_state_of_every_table_in_the_end() -> None:
    """Also one that has read nothing meanwhile, and one that came in the middle."""

    async def play(stage: Stage) -> None:
        chance = random.Random(7)
        prompt, slow = stage.watch(), stage.watch()
        late: Watcher | None = None
        for number in range(200):
            await stage.move(chance.randrange(stage.tables), chance)
            if chance.random() < 0.2:
                await stage.tell(prompt)
            if number == 100:
                late = stage.watch()
        assert late is not None
        await stage.tell(prompt, slow, late)
        expected = await stage.last_states()
        assert len(expected) == stage.tables
        for watcher in (prompt, slow, late):
            assert watcher.tables() == expected
        told = [value for name, value in slow.events() if name == "table"]
        assert len(told) == stage.tables, "a slow reader skips what is old"

    on_stage(play, ConnectFour(), 12)


def test_a_late_watcher_gets_everything_and_the_room_first() -> None:
    async def play(stage: Stage) -> None:
        await stage.tell(first := stage.watch())
        for table in range(stage.tables):
            await stage.move(table)
            await stage.tell(first)
        late = stage.watch()
        names = [name for name, _ in late.events()]
        assert names == ["room"] + ["table"] * stage.tables
        assert late.tables() == await stage.last_states()
        [room] = [value for name, value in late.events() if name == "room"]
        assert (room["table_count"], room["playing_count"]) == (stage.tables, stage.tables)
        assert len(room["tables"]) == stage.tables

    on_stage(play, ConnectFour(), 3)


def test_a_late_watcher_is_told_the_time_that_is_left_then() -> None:
    async def play(stage: Stage) -> None:
        await stage.move(0)
        await stage.tell(first := stage.watch())
        stage.now += 20.0
        seconds = [
            watcher.tables()["table-2"]["seconds_left"] for watcher in (first, stage.watch())
        ]
        assert seconds == [60.25, 40.25], "with the grace of the door"

    on_stage(play, settings={"turn-seconds": "60"})


def test_a_window_shows_as_many_tables_as_were_asked_for_and_closed_ones_make_room() -> None:
    async def play(stage: Stage) -> None:
        some, none = stage.watch(Window(1, 2)), stage.watch(NO_TABLES)
        await stage.tell(some, none)
        assert list(some.tables()) == ["table-2", "table-3"]
        assert not none.tables()
        for player in stage.players[2:4]:
            player.leave()
            await settle()
        await stage.tell(some, none)
        assert set(some.tables()) == {"table-2", "table-3", "table-4"}
        *_, room = [value for name, value in some.events() if name == "room"]
        assert [table["name"] for table in room["tables"]] == ["table-3", "table-4"]
        *_, counts = [value for name, value in none.events() if name == "room"]
        assert (counts["table_count"], counts["playing_count"], counts["tables"]) == (3, 3, [])

    on_stage(play, ConnectFour(), 4)


def test_windows_that_no_page_shows_are_limited() -> None:
    async def play(stage: Stage) -> None:
        odd = [stage.watch(Window(0, number)) for number in range(1, MOST_WINDOWS + 1)]
        stage.watch(Window(0, MOST_WINDOWS))
        with pytest.raises(UnavailableError, match="tables=24"):
            stage.watch(Window(0, MOST_WINDOWS + 1))
        with pytest.raises(UnavailableError):
            stage.watch(Window(2 * TABLES_ON_PAGE, TABLES_ON_PAGE))
        for window in (ALL_TABLES, NO_TABLES, Window(0, TABLES_ON_PAGE)):
            stage.watch(window)
        odd[0].close()
        stage.watch(Window(0, MOST_WINDOWS + 1))

    on_stage(play, ConnectFour())


def test_moves_do_not_repeat_the_line_of_the_room_but_ends_do() -> None:
    async def play(stage: Stage) -> None:
        await stage.tell(watcher := stage.watch())
        for _ in range(6):
            await stage.move(0)
            await stage.tell(watcher)
        assert [name for name, _ in watcher.events()].count("room") == 1
        while not stage.players[0].is_over:
            await stage.move(0)
        await stage.tell(watcher)
        *_, room = [value for name, value in watcher.events() if name == "room"]
        assert room["tables"][0]["result"]
        assert room["playing_count"] == stage.tables - 1

    on_stage(play, ConnectFour(), 2)


@pytest.mark.parametrize("seed", range(3))
def test_TM_11_watchers_are_sent_no_hidden_cards(seed: int) -> None:
    """They see the pictures for spectators, and at first no name of a card in a hand."""

    async def play(stage: Stage) -> None:
        chance = random.Random(seed)
        watchers = [*everything(stage)[:-1], stage.watch()]
        await stage.tell(*watchers)
        for watcher in watchers:
            assert b"Apprentice" not in b"".join(watcher.sent)
        shown = set()
        for _ in range(60):
            await stage.move(0, chance)
            await stage.tell(*watchers)
            [table] = stage.watching._rooms[stage.room].tables.values()
            position = table.view.position
            assert position is not None
            shown.add(described_picture(position.seen_by(None)))
        for watcher in watchers:
            pictures = [state["picture"] for name, state in watcher.events() if name == "table"]
            assert len(pictures) > 30
            assert set(pictures[1:]) <= shown

    on_stage(play, Ascension())
